package io.waterwheel.cluster;

import io.waterwheel.client.Cursor;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.client.known.KnownRows;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.Aggregate;
import io.waterwheel.query.Query;
import io.waterwheel.query.ResultSpec;
import io.waterwheel.tuple.TimeInterval;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Asks, one question after the other as long as it is open, for known rows that are wholly in chunks: each question
 * must be answered within its time, the client's own repetitions included, and rightly.
 */
final class History implements AutoCloseable {
    private static final long REST_NANOS = 100_000_000;

    private final WaterwheelClient client;
    private final long rows;
    private final Duration timeout;
    private final Random random;
    private final Thread thread;
    private volatile boolean ending;
    private volatile @Nullable Throwable failure;
    private volatile long answered;
    private volatile long refused;
    private volatile long slowestMillis;
    private volatile String lastRefusal = "none";

    /** @param rows known rows 0 to rows - 1 are in chunks */
    History(WaterwheelClient client, long rows, Duration timeout, long seed) {
        this.client = client;
        this.rows = rows;
        this.timeout = timeout;
        this.random = new Random(seed);
        this.thread = new Thread(this::run, "history");
        thread.start();
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // one thread writes
    private void run() {
        try {
            while (!ending) {
                long begun = System.nanoTime();
                try {
                    ask();
                    answered++;
                } catch (WaterwheelException e) {
                    if (e.kind() == WaterwheelException.Kind.USER || e.kind() == WaterwheelException.Kind.BUG) {
                        throw e;
                    }
                    refused++;
                    lastRefusal = e.kind() + " " + e.code() + ": " + e.getMessage();
                }
                slowestMillis = Math.max(slowestMillis, (System.nanoTime() - begun) / 1_000_000);
                LockSupport.parkNanos(REST_NANOS);
            }
        } catch (RuntimeException | Error e) {
            failure = e;
        }
    }

    /** Count and sum of a random interval of time. */
    private void ask() {
        long from = random.nextLong(rows / 8) * 8;
        long to = from + (1 + random.nextLong((rows - from) / 8)) * 8;
        Query query = Query.of(KnownRows.STREAM)
                .withTimes(new TimeInterval(KnownRows.time(from), KnownRows.time(to) - 1))
                .withTimeout(timeout)
                .withResult(new ResultSpec.Aggregates(
                        List.of(Aggregate.parse("count(*)"), Aggregate.parse("sum(v)")), List.of(), null));
        long sum = 0;
        for (long id = from; id < to; id++) {
            sum += KnownRows.value(id);
        }
        try (Cursor cursor = client.query(query)) {
            cursor.next();
            long count = (long) cursor.value(0);
            String total = String.valueOf(cursor.value(1));
            boolean more = true;
            while (more) {
                more = cursor.nextBatch();
            }
            if (count != to - from || !total.equals(Long.toString(sum))) {
                throw new AssertionError("history, rows " + from + " to " + (to - 1) + ": count " + count + ", sum "
                        + total + "; expected " + (to - from) + " and " + sum + "; " + cursor.verdict());
            }
        }
    }

    long answered() {
        return answered;
    }

    long refused() {
        return refused;
    }

    long slowestMillis() {
        return slowestMillis;
    }

    String lastRefusal() {
        return lastRefusal;
    }

    /** Waits for the last answer. */
    @Override
    public void close() throws InterruptedException {
        ending = true;
        thread.join();
        Throwable e = failure;
        if (e != null) {
            throw new IllegalStateException("a question on old data: " + e.getMessage(), e);
        }
    }
}
