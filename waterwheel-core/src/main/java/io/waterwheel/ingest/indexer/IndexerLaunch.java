package io.waterwheel.ingest.indexer;

import io.waterwheel.catalog.StreamCatalog;
import io.waterwheel.catalog.state.PartitionRoute;
import java.util.List;
import java.util.function.Supplier;

/**
 * What an instance of an indexer starts with (protocol rule 3): its epoch, raised, with the checkpoint that the raise
 * was based on; and per partition where the log ended after that, as far as it may be routed. Whatever an answer may
 * have shown before this instance began lies below these targets.
 *
 * @param start epoch and checkpoint
 * @param targets per partition, the recovery target
 */
@SuppressWarnings("ArrayRecordComponent") // one number per partition; never compared
public record IndexerLaunch(StreamCatalog.IndexerStart start, long[] targets) {
    /**
     * Raises the epoch, then reads the targets. Blocks. May be repeated after a failure; it costs an epoch.
     *
     * @param logEnds reads, per partition, the first offset after the last visible record
     */
    public static IndexerLaunch of(StreamCatalog catalog, int indexer, Supplier<long[]> logEnds) {
        catalog.sync();
        StreamCatalog.IndexerStart start = catalog.startIndexer(indexer);
        long[] targets = logEnds.get().clone();
        catalog.sync();
        List<PartitionRoute> routes = catalog.routes();
        for (int p = 0; p < targets.length; p++) {
            targets[p] = Math.min(routes.get(p).limit(), targets[p]);
        }
        return new IndexerLaunch(start, targets);
    }
}
