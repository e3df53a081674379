package io.waterwheel.catalog.manifest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.catalog.manifest.ManifestPointer.ManifestFile;
import io.waterwheel.catalog.state.ChunkChanges;
import io.waterwheel.catalog.state.ChunkDescriptor;
import io.waterwheel.catalog.state.Edit;
import io.waterwheel.catalog.state.IndexerCheckpoint;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Schema;
import io.waterwheel.store.LocalChunkStore;
import io.waterwheel.tuple.KeyBox;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.Region;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Bounds of the dimensions of chunks, in manifests with them, without, and with some. */
final class ChunkBoxesTest {
    private static final StreamInfo STREAM = new StreamInfo(
            "s",
            1,
            new Schema(
                    List.of(new Field("k", FieldType.LONG, false), new Field("t", FieldType.TIMESTAMP, false)),
                    new KeySpec.Ordered("k"),
                    "t"),
            RecordFormat.BLOCK,
            "s",
            1,
            1);
    private static final KeyBox BOX = new KeyBox(3, 900);
    private static final KeyBox WIDE = new KeyBox(0, Long.MAX_VALUE);

    @TempDir
    Path folder;

    private int files;

    private static ChunkChanges changes(@Nullable KeyBox... boxes) {
        ChunkChanges changes = new ChunkChanges(0);
        for (int i = 0; i < boxes.length; i++) {
            long flush = i + 1L;
            String file = ChunkDescriptor.fileName("s", 1, 0, 1, flush, 0);
            ChunkDescriptor chunk = new ChunkDescriptor(file, 0, 1, flush, 0, 1, 1, Region.of(0, 1, 0, 1), boxes[i]);
            changes.apply(flush, new Edit.Flushed(0, new IndexerCheckpoint(1, flush, new long[1], 0), List.of(chunk)));
        }
        return changes;
    }

    private List<@Nullable KeyBox> read(byte[] bytes) throws IOException {
        LocalChunkStore store = new LocalChunkStore(folder);
        String name = "s-1/manifest-" + files++;
        store.write(name, List.of(ByteBuffer.wrap(bytes)));
        long to = LittleEndian.getLong(bytes, ManifestFormat.AT_TO);
        ManifestFile file = new ManifestFile(
                name, bytes.length, ManifestWriter.checksum(bytes, 0, bytes.length), 0, to, (int) to, 0);
        List<@Nullable KeyBox> boxes = new ArrayList<>();
        new ManifestReader(store, STREAM).changes(file).added().forEach(chunk -> boxes.add(chunk.box()));
        return boxes;
    }

    private static byte[] written(@Nullable KeyBox... boxes) {
        return ManifestWriter.chunks(STREAM, changes(boxes)).array();
    }

    @Test
    void theyAreReadAsTheyWereWritten() throws IOException {
        assertThat(read(written(BOX, WIDE, BOX))).containsExactly(BOX, WIDE, BOX);
        assertThat(read(written(null, BOX, null, WIDE))).containsExactly(null, BOX, null, WIDE);
        assertThat(read(written(null, null))).containsExactly(null, null);
    }

    /** Releases that know of no dimensions read what has none. */
    @Test
    void withoutThemAFileIsOfTheVersionBefore() {
        byte[] without = written(null, null);
        assertThat(LittleEndian.getInt(without, ManifestFormat.AT_VERSION)).isEqualTo(4);
        byte[] with = written(null, BOX);
        assertThat(LittleEndian.getInt(with, ManifestFormat.AT_VERSION)).isEqualTo(5);
        // Two columns: each with its head, width, base, and a value a chunk.
        assertThat(with.length - without.length)
                .isEqualTo(2 * (ManifestFormat.SECTION_BYTES + ManifestFormat.COLUMN_HEAD) + 2 + 2 * 2);
    }

    @Test
    void cornersThatCannotBeAreDamage() {
        byte[] bytes = written(new KeyBox(1, 2), new KeyBox(1, 1));
        int least = bytes.length
                - ManifestFormat.END_MAGIC.length
                - 2 * (ManifestFormat.SECTION_BYTES + ManifestFormat.COLUMN_HEAD)
                - 2;
        // The least cells become 3: above the greatest.
        int base = least + ManifestFormat.SECTION_BYTES + 1;
        LittleEndian.putLong(bytes, base, 3);
        LittleEndian.putInt(
                bytes,
                least + ManifestFormat.SECTION_CHECKSUM,
                ManifestWriter.sectionChecksum(
                        bytes, least, bytes.clone(), least + ManifestFormat.SECTION_BYTES, ManifestFormat.COLUMN_HEAD));
        assertThatThrownBy(() -> read(bytes))
                .isInstanceOf(CorruptManifestException.class)
                .hasMessageContaining("key box: expected corners from 0 on, the lower first, got 3 and 2");
    }
}
