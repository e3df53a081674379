package io.waterwheel.topology.indexer;

import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.topology.worker.IndexerServices;
import java.util.List;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells why indexers could not start: the log, and those who ask for them. */
final class FailedStarts {
    private static final Logger LOG = LoggerFactory.getLogger(FailedStarts.class);

    private FailedStarts() {}

    /** They are tried again. What is known to pass is told without a stack, for it comes at each try. */
    static void tell(IndexerServices services, StreamInfo stream, IntStream ids, RuntimeException failure) {
        boolean passes =
                failure instanceof WaterwheelException known && known.kind() == WaterwheelException.Kind.TEMPORARY;
        String why = failure instanceof WaterwheelException known
                ? known.code() + ": " + known.getMessage()
                : String.valueOf(failure);
        List<Integer> indexers = ids.boxed().toList();
        if (passes) {
            LOG.warn("[{}] indexers {} cannot start: {}; trying again", stream.name(), indexers, why);
        } else {
            LOG.warn("[{}] indexers {} cannot start; trying again", stream.name(), indexers, failure);
        }
        indexers.forEach(indexer -> services.indexerAbsent(stream.id(), indexer, why));
    }
}
