package io.waterwheel.catalog.manifest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.GoldenFiles;
import io.waterwheel.catalog.manifest.ManifestPointer.ManifestFile;
import io.waterwheel.catalog.state.ChunkChanges;
import io.waterwheel.catalog.state.ChunkDescriptor;
import io.waterwheel.catalog.state.Edit;
import io.waterwheel.catalog.state.IndexerCheckpoint;
import io.waterwheel.catalog.state.RoutingTable;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.catalog.state.StreamSnapshot;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.store.LocalChunkStore;
import io.waterwheel.tuple.KeyBox;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.Region;
import io.waterwheel.tuple.WideKeys;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Bounds of the dimensions of chunks, in manifests with them, without, and with some. */
final class ChunkBoxesTest {
    private static final StreamInfo STREAM = new StreamInfo("s", 1, WideKeys.SCHEMA, RecordFormat.BLOCK, "s", 1, 1);
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
            KeyBox box = boxes[i];
            Region region = box == null ? Region.of(0, 1, 0, 1) : Region.of(box.least(), box.greatest(), 0, 1);
            ChunkDescriptor chunk = new ChunkDescriptor(file, 0, 1, flush, 0, 1, 1, region, box);
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
        assertThat(LittleEndian.getInt(written(null, null), ManifestFormat.AT_VERSION))
                .isEqualTo(4);
        assertThat(LittleEndian.getInt(written(null, BOX), ManifestFormat.AT_VERSION))
                .isEqualTo(5);
    }

    @Test
    void theWriterMakesAndTheReaderReadsTheGoldenFiles() throws IOException {
        golden("v4.chunks", null, null, null);
        golden("v5.chunks", BOX, null, WIDE);
    }

    private void golden(String name, @Nullable KeyBox... boxes) throws IOException {
        byte[] written = written(boxes);
        byte[] golden = GoldenFiles.read("manifest/" + name, written);
        assertThat(read(golden)).as(name).containsExactly(boxes);
        assertThat(HexFormat.of().formatHex(written))
                .as(name)
                .isEqualTo(HexFormat.of().formatHex(golden));
    }

    @Test
    void cornersThatCannotBeAreDamage() {
        assertForged(3, "key box: expected corners from 0 on, the lower first, got 3 and 2");
        assertForged(
                2,
                "key box: expected cells around those of the lowest and the highest key, got cells 2 to 2 of dimension"
                        + " 6 for keys 1 to 2");
    }

    /** As an edit has them: nothing of a chunk with wrong bounds gets into a snapshot. */
    @Test
    void cornersThatCannotBeAreRefusedInEdits() {
        StreamSnapshot before = StreamSnapshot.before(STREAM)
                .apply(1, new Edit.Created(RoutingTable.even(1, new KeyInterval(0, Long.MAX_VALUE), 1), List.of(0L)))
                .apply(2, new Edit.Started(0, 1));
        IndexerCheckpoint checkpoint = new IndexerCheckpoint(1, 1, new long[1], 0);
        Region region = Region.of(1, 2, 0, 1);
        before.apply(
                3,
                new Edit.Flushed(
                        0, checkpoint, List.of(new ChunkDescriptor("c", 0, 1, 1, 0, 1, 1, region, new KeyBox(0, 3)))));
        assertThatThrownBy(() -> before.apply(
                        3,
                        new Edit.Flushed(
                                0,
                                checkpoint,
                                List.of(new ChunkDescriptor("c", 0, 1, 1, 0, 1, 1, region, new KeyBox(0, 2))))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("stream s, edit 3, chunk c: key box: expected cells around those of the lowest and the"
                        + " highest key, got cells 0 to 0 of dimension 7 for keys 1 to 2");
    }

    /** The least cells are forged. */
    private void assertForged(long leastCells, String message) {
        byte[] bytes = written(new KeyBox(1, 2), new KeyBox(1, 1));
        int least = bytes.length
                - ManifestFormat.END_MAGIC.length
                - 2 * (ManifestFormat.SECTION_BYTES + ManifestFormat.COLUMN_HEAD)
                - 2;
        int base = least + ManifestFormat.SECTION_BYTES + 1;
        LittleEndian.putLong(bytes, base, leastCells);
        LittleEndian.putInt(
                bytes,
                least + ManifestFormat.SECTION_CHECKSUM,
                ManifestWriter.sectionChecksum(
                        bytes, least, bytes.clone(), least + ManifestFormat.SECTION_BYTES, ManifestFormat.COLUMN_HEAD));
        assertThatThrownBy(() -> read(bytes))
                .isInstanceOf(CorruptManifestException.class)
                .hasMessageContaining(message);
    }
}
