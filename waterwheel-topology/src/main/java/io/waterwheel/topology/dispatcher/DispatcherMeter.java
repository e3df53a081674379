package io.waterwheel.topology.dispatcher;

import io.waterwheel.decode.RefusalKind;
import io.waterwheel.ingest.block.ChannelBlock;
import io.waterwheel.ingest.dispatch.CatchUpBudget;
import io.waterwheel.ingest.dispatch.DispatcherSettings;
import io.waterwheel.ingest.dispatch.PartitionDispatcher;
import io.waterwheel.ingest.dispatch.RefusedRow;
import io.waterwheel.metrics.Counter;
import io.waterwheel.metrics.Histogram;
import io.waterwheel.metrics.Metrics;
import io.waterwheel.metrics.WayInMetrics;
import io.waterwheel.topology.worker.Closing;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Measures what a dispatcher task does. Owner: the task's loop, but for what is read at a scrape. */
final class DispatcherMeter implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(DispatcherMeter.class);
    /** Between two sums of what the partitions hold. */
    private static final long SUM_NANOS = 1_000_000_000;

    /** Of one stream. */
    static final class OfStream {
        private final Histogram routed;
        private final Counter creditWait;
        private final Map<RefusalKind, Counter> records = new EnumMap<>(RefusalKind.class);
        private final Map<RefusalKind, Counter> rows = new EnumMap<>(RefusalKind.class);

        private final Counter stored;
        private final Counter failed;

        OfStream(Metrics metrics, String name) {
            String stream = metrics.stream(name);
            // There from the beginning, at 0: of a counter that begins with its first refusals no rate can be told.
            for (RefusalKind kind : RefusalKind.values()) {
                records.put(kind, metrics.counter(WayInMetrics.REFUSED, stream, "record", kind.label()));
                rows.put(kind, metrics.counter(WayInMetrics.REFUSED, stream, "row", kind.label()));
            }
            this.routed = metrics.histogram(WayInMetrics.DELAY, stream, "routed");
            this.creditWait = metrics.counter(WayInMetrics.CREDIT_WAIT, stream);
            this.stored = metrics.counter(WayInMetrics.DEAD_LETTERS, stream, "stored");
            this.failed = metrics.counter(WayInMetrics.DEAD_LETTERS, stream, "failed");
        }

        void sent(ChannelBlock block) {
            if (block.producedMillis() >= 0) {
                routed.millis(System.currentTimeMillis() - block.producedMillis());
            }
        }

        void refused(List<RefusedRow> letters) {
            for (RefusedRow letter : letters) {
                Counter counter = (letter.index() < 0 ? records : rows).get(letter.kind());
                Objects.requireNonNull(counter).increment();
            }
        }

        /** Any thread. */
        void letters(int count, boolean kept) {
            (kept ? stored : failed).add(count);
        }
    }

    /** What the partitions hold together, bytes. */
    private record Held(long pending, long ring, long again) {}

    private final Metrics metrics;
    private final Histogram step;
    private final AutoCloseable[] parts;
    private final Map<Integer, OfStream> streams = new HashMap<>();
    private long sampledNanos = System.nanoTime();
    private long summedNanos = sampledNanos;
    private volatile Held held = new Held(0, 0, 0);
    private volatile int partitions;

    DispatcherMeter(Metrics metrics, String task, DispatcherSettings settings) {
        this.metrics = metrics;
        this.step = metrics.histogram(WayInMetrics.STEP, "route");
        this.parts = new AutoCloseable[] {
            metrics.read(WayInMetrics.DISPATCHER_BYTES, values -> {
                Held now = held;
                values.add(now.pending(), task, "pending");
                values.add(now.ring(), task, "ring");
                values.add(now.again(), task, "again");
            }),
            metrics.read(WayInMetrics.DISPATCHER_LIMIT, values -> {
                values.add(
                        Math.min(settings.ringBytes(), Math.max(1, partitions) * settings.pendingBytes()),
                        task,
                        "pending");
                values.add(settings.ringBytes(), task, "ring");
                values.add(CatchUpBudget.bytesOfRing(settings.ringBytes()), task, "again");
            })
        };
    }

    /** The meter of a stream, which its partitions keep. */
    OfStream stream(int id, String name) {
        return streams.computeIfAbsent(id, unused -> new OfStream(metrics, name));
    }

    /** Forgets a stream. */
    void forget(int id) {
        streams.remove(id);
    }

    /** A batch of records was taken since then. */
    void step(long beginNanos) {
        step.since(beginNanos);
    }

    /** Time passes. */
    void onTick(Map<PartitionId, PartitionDispatcher> all, long now) {
        long since = now - sampledNanos;
        sampledNanos = now;
        all.forEach((id, partition) -> {
            int waiting = partition.channelsWithoutCredit();
            OfStream stream = waiting == 0 ? null : streams.get(id.streamId());
            if (stream != null) {
                stream.creditWait.add(waiting * since);
            }
        });
        if (now - summedNanos >= SUM_NANOS) {
            summedNanos = now;
            sum(all.values());
        }
    }

    private void sum(Collection<PartitionDispatcher> all) {
        long pending = 0;
        long ring = 0;
        long again = 0;
        for (PartitionDispatcher partition : all) {
            pending += partition.pendingBytes();
            ring += partition.ringBytes();
            again += partition.catchUpBytes();
        }
        held = new Held(pending, ring, again);
        partitions = all.size();
    }

    @Override
    public void close() {
        Closing.all(LOG, "dispatcher's metrics", parts);
    }
}
