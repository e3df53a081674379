package io.waterwheel.topology.coordinator;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.catalog.Namespace;
import io.waterwheel.catalog.StreamCatalog;
import io.waterwheel.catalog.StreamSnapshots;
import io.waterwheel.catalog.maintenance.ManifestCompaction;
import io.waterwheel.catalog.maintenance.ManifestCompactionPolicy;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.catalog.store.InMemoryCatalogStore;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Schema;
import io.waterwheel.store.LocalChunkStore;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ManifestCompactionsTest {
    private static final Schema SCHEMA =
            new Schema(List.of(new Field("t", FieldType.TIMESTAMP, false)), new KeySpec.Ordered("t"), "t");
    private static final int EDITS = 4;

    @TempDir
    Path folder;

    @Test
    void countsTheManifestsOfTheFirstLookToo() throws Exception {
        InMemoryCatalogStore store = new InMemoryCatalogStore(new InMemoryCatalogStore.Tree());
        Namespace namespace = new Namespace(store);
        Map<Integer, StreamInfo> streams = new HashMap<>();
        for (String name : List.of("a", "b")) {
            StreamInfo stream = namespace.create(name, SCHEMA, RecordFormat.CSV, name, new long[1], 1);
            streams.put(stream.id(), stream);
            start(new StreamCatalog(store, stream));
        }
        try (LocalChunkStore files = new LocalChunkStore(folder)) {
            ManifestCompactions rollUps = new ManifestCompactions(
                    new StreamSnapshots(store, files),
                    new ManifestCompactionPolicy(ManifestCompaction.Settings.of(EDITS), 1_000, Long.MAX_VALUE),
                    stream -> Optional.empty());
            rollUps.round(streams);
            assertThat(rollUps.totals()).isEqualTo(new ManifestCompactions.Totals(2, ""));
            rollUps.round(streams);
            assertThat(rollUps.totals().manifests()).as("nothing new").isEqualTo(2);
        }
    }

    /** More edits than stay. */
    private static void start(StreamCatalog catalog) {
        for (int i = 0; i < EDITS; i++) {
            catalog.startIndexer(0);
        }
    }
}
