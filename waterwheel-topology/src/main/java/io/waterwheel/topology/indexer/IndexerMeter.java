package io.waterwheel.topology.indexer;

import io.waterwheel.index.PagePool;
import io.waterwheel.index.TemplateTree;
import io.waterwheel.ingest.indexer.IndexerCore;
import io.waterwheel.metrics.ChunkMetrics;
import io.waterwheel.metrics.Counter;
import io.waterwheel.metrics.Histogram;
import io.waterwheel.metrics.Metrics;
import io.waterwheel.metrics.WayInMetrics;
import io.waterwheel.topology.worker.Closing;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Measures what an indexer task does. Owner: the task's loop, but for what is read at a scrape. */
final class IndexerMeter implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(IndexerMeter.class);
    /** Between two sums of what the indexers hold. */
    private static final long SUM_NANOS = 1_000_000_000;

    /**
     * An indexer before it takes a block: the one that ends its recovery was read again, too.
     *
     * @param tuples that it had taken
     */
    record Before(long tuples, boolean recovering) {
        static Before of(@Nullable IndexerCore core) {
            return core == null ? new Before(0, false) : new Before(core.insertedTuples(), core.recovering());
        }
    }

    /** Of one stream. Thread-safe. */
    static final class OfStream {
        private final String label;
        private final Histogram visible;
        private final Counter inserted;
        private final Counter rebuilds;
        private final Counter flushed;
        private final Counter failures;
        private final Histogram pause;

        private OfStream(Metrics metrics, String name) {
            this.label = metrics.stream(name);
            this.visible = metrics.histogram(WayInMetrics.DELAY, label, "visible");
            this.inserted = metrics.counter(WayInMetrics.INSERTED, label);
            this.rebuilds = metrics.counter(ChunkMetrics.REBUILDS, label);
            this.flushed = metrics.counter(ChunkMetrics.FLUSHED_TUPLES, label);
            this.failures = metrics.counter(ChunkMetrics.FLUSH_FAILURES, label);
            this.pause = metrics.histogram(ChunkMetrics.REBUILD_PAUSE);
        }

        /** A block was taken, or dropped. */
        void block(IndexerCore core, Before before, long producedMillis, long clockMillis) {
            long more = core.insertedTuples() - before.tuples;
            if (more > 0) {
                inserted.add(more);
                if (producedMillis >= 0 && !before.recovering) {
                    visible.millis(clockMillis - producedMillis);
                }
            }
        }

        void rebuilt(TemplateTree.Rebuilt rebuilt) {
            rebuilds.increment();
            pause.nanos(rebuilt.longestNanos());
        }

        void flushed(long tuples) {
            flushed.add(tuples);
        }

        void flushFailed() {
            failures.increment();
        }
    }

    /** What the indexers of streams of one label hold. */
    private static final class Held {
        int indexers;
        long bytes;
        long tuples;
        int sealed;
        int recovering;
    }

    private final Metrics metrics;
    private final Histogram step;
    private final AutoCloseable[] parts;
    private final Map<Integer, OfStream> streams = new HashMap<>();
    private long summedNanos = System.nanoTime();
    /** By label; not changed once it is published. */
    private volatile Map<String, Held> held = Map.of();

    IndexerMeter(Metrics metrics, String task, PagePool pool, long poolBytes, long sealBytes) {
        this.metrics = metrics;
        this.step = metrics.histogram(WayInMetrics.STEP, "insert");
        this.parts = new AutoCloseable[] {
            metrics.gauge(ChunkMetrics.MEMORY, pool::usedBytes, task),
            metrics.gauge(ChunkMetrics.MEMORY_LIMIT, () -> poolBytes, task),
            metrics.read(ChunkMetrics.TREE_BYTES, values -> held.forEach((stream, of) -> values.add(of.bytes, stream))),
            metrics.read(
                    ChunkMetrics.TREE_LIMIT,
                    values -> held.forEach((stream, of) -> values.add(sealBytes * of.indexers, stream))),
            metrics.read(
                    ChunkMetrics.UNFLUSHED_TUPLES,
                    values -> held.forEach((stream, of) -> values.add(of.tuples, stream))),
            metrics.read(
                    ChunkMetrics.SEALED_TREES, values -> held.forEach((stream, of) -> values.add(of.sealed, stream))),
            metrics.read(
                    ChunkMetrics.RECOVERING, values -> held.forEach((stream, of) -> values.add(of.recovering, stream)))
        };
    }

    /** The meter of a stream, which those that index it keep. */
    OfStream stream(int id, String name) {
        return streams.computeIfAbsent(id, unused -> new OfStream(metrics, name));
    }

    /** Forgets a stream. */
    void forget(int id) {
        streams.remove(id);
    }

    /** A block was taken since then. */
    void step(long beginNanos) {
        step.since(beginNanos);
    }

    /** Time passes. */
    void onTick(Iterable<IndexerCore> cores, long now) {
        if (now - summedNanos < SUM_NANOS) {
            return;
        }
        summedNanos = now;
        Map<String, Held> sums = new HashMap<>();
        for (IndexerCore core : cores) {
            OfStream stream = streams.get(core.stream().id());
            if (stream != null) {
                Held sum = sums.computeIfAbsent(stream.label, unused -> new Held());
                sum.indexers++;
                sum.bytes += core.activeTupleBytes();
                sum.tuples += core.unflushedTuples();
                sum.sealed += core.unflushedTrees();
                sum.recovering += core.recovering() ? 1 : 0;
            }
        }
        held = sums;
    }

    @Override
    public void close() {
        Closing.all(LOG, "indexer's metrics", parts);
    }
}
