package io.waterwheel.trino;

import io.trino.testing.AbstractTestQueries;
import io.trino.testing.DistributedQueryRunner;
import io.trino.testing.QueryRunner;
import io.trino.testing.TestingSession;

/** Trino's own statements over TPC-H, beside H2; the tables are streams, seen through views that have days. */
final class TrinoQueriesTest extends AbstractTestQueries {
    @Override
    protected QueryRunner createQueryRunner() {
        // Its own: the kit closes it.
        DistributedQueryRunner trino = TrinoCluster.start(
                new WaterwheelPlugin(),
                2,
                TestingSession.testSessionBuilder()
                        .setCatalog("memory")
                        .setSchema("default")
                        .build());
        TpchStreams.make(trino, "tpch_");
        return trino;
    }
}
