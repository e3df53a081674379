package io.waterwheel.topology.spout;

import io.waterwheel.catalog.LogMemory;
import io.waterwheel.catalog.StreamCatalog;
import io.waterwheel.catalog.state.LogIdentity;
import io.waterwheel.catalog.state.PartitionRoute;
import io.waterwheel.catalog.state.StreamGoneException;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.ingest.source.LogTracker;
import io.waterwheel.topology.worker.SpoutServices;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads from the catalog where the partitions of streams begin, elsewhere than on the spout's thread. Owner: the
 * spout's thread; what was read comes back by {@link #poll}.
 */
final class StreamStarts {
    private static final Logger LOG = LoggerFactory.getLogger(StreamStarts.class);
    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    /**
     * The partitions of a stream that are this spout's; none when it was dropped.
     *
     * @param stream as it was when they were looked for: there may be more partitions since
     */
    record Begun(StreamInfo stream, List<Start> starts) {}

    /**
     * Where a partition begins.
     *
     * @param position first position to read
     * @param tracker of its log, as the catalog has it
     */
    record Start(int number, long position, LogTracker tracker) {}

    /**
     * What is wanted.
     *
     * @param from first partition that is not known yet
     */
    record Wanted(StreamInfo stream, int from) {}

    private final SpoutServices services;
    private final int spout;
    private final Queue<Begun> begun = new ConcurrentLinkedQueue<>();
    private volatile boolean underWay;
    private volatile long retryNanos = System.nanoTime();

    StreamStarts(SpoutServices services, int spout) {
        this.services = services;
        this.spout = spout;
    }

    /** Begins to read, unless that is under way or failed a moment ago: call it again. */
    void begin(List<Wanted> wanted, IntPredicateOfStream mine) {
        if (wanted.isEmpty() || underWay || System.nanoTime() - retryNanos < 0) {
            return;
        }
        underWay = true;
        try {
            services.blockingCalls().execute(() -> {
                try {
                    wanted.forEach(
                            one -> read(one, partition -> mine.test(one.stream().id(), partition)));
                } finally {
                    underWay = false;
                }
            });
        } catch (RejectedExecutionException e) {
            retryNanos = System.nanoTime() + RETRY_NANOS;
            underWay = false;
        }
    }

    /** Whether a partition of a stream is this spout's. */
    @FunctionalInterface
    interface IntPredicateOfStream {
        boolean test(int streamId, int partition);
    }

    @Nullable
    Begun poll() {
        return begun.poll();
    }

    private void read(Wanted wanted, IntPredicate mine) {
        StreamInfo stream = wanted.stream();
        try {
            List<Integer> numbers = new ArrayList<>();
            for (int p = wanted.from(); p < stream.partitions(); p++) {
                if (mine.test(p)) {
                    numbers.add(p);
                }
            }
            List<Start> starts = new ArrayList<>();
            if (!numbers.isEmpty()) {
                StreamCatalog catalog = new StreamCatalog(services.catalogStore(), stream);
                // An indexer that is behind the furthest is served by the dispatcher's own reading of the log, and
                // delays nothing.
                long[] furthest = catalog.furthest();
                List<PartitionRoute> routes = catalog.readRoutes(numbers);
                // After the routes: whatever they have left is among it.
                LogMemory.Known known = new LogMemory(services.catalogStore(), stream).read(numbers);
                Map<Integer, LogMemory.LeaderEpoch> epochs = known.epochs();
                for (int i = 0; i < numbers.size(); i++) {
                    int number = numbers.get(i);
                    LogIdentity log = routes.get(i).log();
                    starts.add(new Start(
                            number,
                            Math.max(furthest[number], log.since()),
                            new LogTracker(log, known.left(), epochs.get(number))));
                }
            }
            begun.add(new Begun(stream, starts));
        } catch (StreamGoneException e) {
            LOG.info("[{}/spout-{}] dropped before it was read", stream.name(), spout);
            begun.add(new Begun(stream, List.of()));
        } catch (WaterwheelException e) {
            LOG.warn("[{}/spout-{}] cannot be read yet; trying again", stream.name(), spout, e);
            retryNanos = System.nanoTime() + RETRY_NANOS;
        }
    }
}
