package io.waterwheel.catalog.manifest;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.catalog.Namespace;
import io.waterwheel.catalog.manifest.ManifestPointer.ManifestFile;
import io.waterwheel.catalog.state.ChunkChanges;
import io.waterwheel.catalog.state.ChunkDescriptor;
import io.waterwheel.catalog.state.Edit;
import io.waterwheel.catalog.state.IndexerCheckpoint;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.catalog.store.InMemoryCatalogStore;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Schema;
import io.waterwheel.store.LocalChunkStore;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.Region;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where chunks lie in their store, now and in manifests of releases for which a stream was one folder. */
final class ChunkNamesTest {
    private static final Schema SCHEMA = new Schema(
            List.of(new Field("k", FieldType.LONG, false), new Field("t", FieldType.TIMESTAMP, false)),
            new KeySpec.Ordered("k"),
            "t");

    @TempDir
    Path folder;

    private int files;

    private final StreamInfo stream = new Namespace(new InMemoryCatalogStore(new InMemoryCatalogStore.Tree()))
            .create("s", SCHEMA, RecordFormat.BLOCK, "t", new long[1], 1);

    @Test
    void noFolderGetsMoreFilesThanANameNodeTakes() {
        Map<String, Integer> files = new HashMap<>();
        for (int indexer = 0; indexer < 4; indexer++) {
            for (long flush = 1; flush <= 25_000; flush++) {
                for (int part = 0; part < 3; part++) {
                    String name = ChunkDescriptor.fileName("s", 1, indexer, 1, flush, part);
                    files.merge(name.substring(0, name.lastIndexOf('/')), 1, Integer::sum);
                }
            }
        }
        assertThat(files).hasSize(4 * 3);
        assertThat(files.values()).allMatch(count -> count <= 30_000);
        assertThat(ChunkDescriptor.fileName("s", 1, 7, 3, 123_456, 2)).isEqualTo("s-1/7-12/7-3-123456-2.chunk");
    }

    @Test
    void manifestsWithoutTheFolderOfFlushesNameTheFilesOfTheirTime() throws IOException {
        ChunkChanges changes = new ChunkChanges(0);
        for (long flush = 1; flush <= 3; flush++) {
            changes.apply(
                    flush,
                    new Edit.Flushed(
                            0,
                            new IndexerCheckpoint(1, flush, new long[1], 0),
                            List.of(chunk(ChunkDescriptor.fileName("s", stream.id(), 0, 1, flush, 0), flush))));
        }
        byte[] bytes = ManifestWriter.chunks(stream, changes).array();
        assertThat(names(bytes))
                .containsExactly("s-1/0-0/0-1-1-0.chunk", "s-1/0-0/0-1-2-0.chunk", "s-1/0-0/0-1-3-0.chunk");
        LittleEndian.putInt(bytes, ManifestFormat.AT_VERSION, ManifestFormat.FLAT_NAMES);
        LittleEndian.putInt(
                bytes, ManifestFormat.AT_CHECKSUM, ManifestWriter.checksum(bytes, 0, ManifestFormat.AT_CHECKSUM));
        assertThat(names(bytes)).containsExactly("s-1/0-1-1-0.chunk", "s-1/0-1-2-0.chunk", "s-1/0-1-3-0.chunk");

        // What was read so is written with its names, and read as it was.
        ChunkChanges old = new ChunkChanges(0);
        old.apply(
                1,
                new Edit.Flushed(
                        0,
                        new IndexerCheckpoint(1, 1, new long[1], 0),
                        List.of(chunk(ChunkDescriptor.flatFileName("s", stream.id(), 0, 1, 1, 0), 1))));
        assertThat(names(ManifestWriter.chunks(stream, old).array())).containsExactly("s-1/0-1-1-0.chunk");
    }

    private static ChunkDescriptor chunk(String file, long flush) {
        return new ChunkDescriptor(file, 0, 1, flush, 0, 1, 1, Region.of(0, 1, 0, 1));
    }

    private List<String> names(byte[] bytes) throws IOException {
        LocalChunkStore store = new LocalChunkStore(folder);
        String name = "s-1/manifest-" + files++;
        store.write(name, List.of(ByteBuffer.wrap(bytes)));
        long to = LittleEndian.getLong(bytes, ManifestFormat.AT_TO);
        ManifestFile file = new ManifestFile(
                name, bytes.length, ManifestWriter.checksum(bytes, 0, bytes.length), 0, to, (int) to, 0);
        return new ManifestReader(store, stream)
                .changes(file).added().stream().map(ChunkDescriptor::file).toList();
    }
}
