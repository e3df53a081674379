package io.waterwheel.topology.spout;

import io.waterwheel.ingest.source.RecordBatch;
import io.waterwheel.metrics.Counter;
import io.waterwheel.metrics.Histogram;
import io.waterwheel.metrics.Metrics;
import io.waterwheel.metrics.WayInMetrics;
import io.waterwheel.topology.worker.Closing;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Measures what a spout reads. Owner: the spout's thread, but for what is read at a scrape. */
final class SpoutMeter implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SpoutMeter.class);

    /** Of one stream. */
    static final class OfStream {
        private final Histogram read;
        private final Counter records;
        private final Counter bytes;

        OfStream(Metrics metrics, String name) {
            String stream = metrics.stream(name);
            this.read = metrics.histogram(WayInMetrics.DELAY, stream, "read");
            this.records = metrics.counter(WayInMetrics.READ_RECORDS, stream);
            this.bytes = metrics.counter(WayInMetrics.READ_BYTES, stream);
        }

        /**
         * Counts a batch.
         *
         * @param handed bytes that went on since the call before
         */
        void read(RecordBatch batch, long handed) {
            records.add(batch.count());
            bytes.add(handed);
            if (batch.producedMillis() >= 0) {
                read.millis(System.currentTimeMillis() - batch.producedMillis());
            }
        }
    }

    private final Metrics metrics;
    private final AutoCloseable[] parts;
    private volatile long held;

    SpoutMeter(Metrics metrics, String task, long limit) {
        this.metrics = metrics;
        this.parts = new AutoCloseable[] {
            metrics.gauge(WayInMetrics.SPOUT_BYTES, () -> held, task),
            metrics.gauge(WayInMetrics.SPOUT_LIMIT, () -> limit, task)
        };
    }

    OfStream stream(String name) {
        return new OfStream(metrics, name);
    }

    /**
     * Time passes.
     *
     * @param bytes that are read and have not come to a dispatcher
     */
    void onTime(long bytes) {
        held = bytes;
    }

    @Override
    public void close() {
        Closing.all(LOG, "spout's metrics", parts);
    }
}
