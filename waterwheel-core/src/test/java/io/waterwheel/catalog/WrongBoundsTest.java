package io.waterwheel.catalog;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.catalog.state.ChunkDescriptor;
import io.waterwheel.catalog.state.IndexerCheckpoint;
import io.waterwheel.catalog.state.LogIdentity;
import io.waterwheel.catalog.state.StartOfTopic;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.catalog.store.CatalogStore;
import io.waterwheel.catalog.store.CorruptCatalogException;
import io.waterwheel.catalog.store.InMemoryCatalogStore;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.StreamPolicy;
import io.waterwheel.store.LocalChunkStore;
import io.waterwheel.tuple.KeyBox;
import io.waterwheel.tuple.Region;
import io.waterwheel.tuple.WideKeys;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Bounds of dimensions that keys of a chunk cannot have: never committed, and damage where they are read. */
final class WrongBoundsTest {
    private static final Region KEYS_1_TO_2 = Region.of(1, 2, 0, 1);

    private final CatalogStore store = new InMemoryCatalogStore(new InMemoryCatalogStore.Tree());
    private final StreamInfo stream = new Namespace(store)
            .create(
                    "s",
                    WideKeys.SCHEMA,
                    RecordFormat.BLOCK,
                    new StartOfTopic("s", new long[1], LogIdentity.first("one")),
                    1,
                    StreamPolicy.DEFAULT);
    private final StreamCatalog catalog = new StreamCatalog(store, stream);

    private StreamCatalog.CommitOutcome flush(KeyBox box) {
        StreamCatalog.IndexerStart start = catalog.startIndexer(0);
        int epoch = start.checkpoint().epoch();
        IndexerCheckpoint next = new IndexerCheckpoint(epoch, start.checkpoint().flushed() + 1, new long[1], 0);
        return catalog.commitFlush(
                0,
                start.nodeVersion(),
                next,
                List.of(new ChunkDescriptor("c", 0, epoch, 1, 0, 1, 1, KEYS_1_TO_2, box)));
    }

    @Test
    void areNotCommitted(@TempDir Path folder) throws Exception {
        assertThatThrownBy(() -> flush(new KeyBox(0, 2)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("key box: expected cells around those of the lowest and the highest key");
        assertThat(flush(new KeyBox(0, 3))).isInstanceOf(StreamCatalog.CommitOutcome.Done.class);
        assertThat(new SnapshotReader(store, new LocalChunkStore(folder), stream)
                        .latest()
                        .chunkCount())
                .isOne();
    }

    @Test
    void areDamageOfTheCatalogWhereTheyAreRead(@TempDir Path folder) throws Exception {
        flush(new KeyBox(0, 3));
        SnapshotReader reader = new SnapshotReader(store, new LocalChunkStore(folder), stream);
        long edit = reader.latest().edit();
        String path = Namespace.dataPath(stream.id()) + "/edits/" + String.format("%010d", edit);
        CatalogStore.Node node = store.read(path).orElseThrow();
        String forged = new String(node.data(), UTF_8).replace("\"greatestCells\":3", "\"greatestCells\":2");
        assertThat(forged).contains("\"greatestCells\":2");
        store.commit(List.of(new CatalogStore.Op.Set(path, forged.getBytes(UTF_8), node.version())));
        assertThatThrownBy(reader::latest)
                .isInstanceOf(CorruptCatalogException.class)
                .hasMessageContaining("edit " + edit + " of stream s");
    }
}
