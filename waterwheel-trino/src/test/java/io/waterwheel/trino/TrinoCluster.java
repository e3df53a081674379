package io.waterwheel.trino;

import io.trino.Session;
import io.trino.plugin.memory.MemoryPlugin;
import io.trino.plugin.tpch.TpchPlugin;
import io.trino.spi.Plugin;
import io.trino.testing.DistributedQueryRunner;
import io.trino.testing.TestingSession;
import java.util.Map;

/** A coordinator and two workers of Trino's in this JVM, with the server's streams as a catalog. */
final class TrinoCluster {
    /** Streams as tables. */
    static final String CATALOG = "waterwheel";

    private static final DistributedQueryRunner ONLY = start(new WaterwheelPlugin(), 2, streams());

    private TrinoCluster() {}

    /** A session in which the streams' names need no more. */
    static Session streams() {
        return TestingSession.testSessionBuilder()
                .setCatalog(CATALOG)
                .setSchema(StreamMetadata.SCHEMA)
                .build();
    }

    /** For all tests of this JVM that do not end it. */
    static DistributedQueryRunner shared() {
        return ONLY;
    }

    /**
     * One of the test's own.
     *
     * @param plugin with the connector
     * @param workers beside the coordinator
     * @param session that statements without one are of
     */
    static DistributedQueryRunner start(Plugin plugin, int workers, Session session) {
        try {
            DistributedQueryRunner runner = DistributedQueryRunner.builder(session)
                    .setWorkerCount(workers)
                    .build();
            runner.installPlugin(plugin);
            runner.createCatalog(
                    CATALOG,
                    "waterwheel",
                    Map.of(
                            // Small, so that small streams have many splits.
                            "waterwheel.split-size",
                            "4kB",
                            // Twice the same: the splits go by two clients in turn.
                            "waterwheel.server",
                            ServerProcess.address() + "," + ServerProcess.address()));
            runner.installPlugin(new MemoryPlugin());
            runner.createCatalog("memory", "memory", Map.of());
            runner.installPlugin(new TpchPlugin());
            runner.createCatalog("tpch", "tpch", Map.of("tpch.splits-per-node", "1"));
            return runner;
        } catch (Exception e) {
            throw new IllegalStateException("Trino did not start", e);
        }
    }
}
