package io.waterwheel.embedded;

import io.waterwheel.client.Appender;
import io.waterwheel.client.AppenderSettings;
import io.waterwheel.client.admin.StreamDetails;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Appends tuples at a rate, and keeps the history of it: every tuple, and how many are acknowledged by now. The keys
 * are skewed: nine of ten lie in a range a billionth of the domain wide, which {@link #flip} moves.
 */
final class HistoryProducer implements AutoCloseable {
    private static final int ROWS_A_FLUSH = 200;
    private static final long HOT_WIDTH = 1L << 34;
    private static final long LATE_MILLIS = 30L * 24 * 3600 * 1000;

    /** Tuples 0 to {@code tuples - 1} are acknowledged; below these positions they lie. */
    record Acknowledged(int tuples, Map<Integer, Long> positions) {}

    private final int number;
    private final Appender appender;
    private final Random random;
    private final long nanosARow;
    private final int latePerCent;
    private final Thread thread;
    /** Written by the thread before {@link #begun} moves on. */
    private volatile long[] keys = new long[1 << 16];

    private volatile long[] times = new long[1 << 16];
    private volatile int begun;
    private volatile Acknowledged acknowledged = new Acknowledged(0, Map.of());
    private volatile long hotFrom;
    private volatile boolean ending;
    private volatile @Nullable RuntimeException failure;

    HistoryProducer(int number, StreamDetails stream, long seed, int rowsASecond, int latePerCent) {
        this.number = number;
        this.appender = Appender.open(stream, AppenderSettings.DEFAULT);
        this.random = new Random(seed);
        this.nanosARow = 1_000_000_000L / rowsASecond;
        this.latePerCent = latePerCent;
        this.thread = new Thread(this::run, "producer-" + number);
    }

    void start() {
        thread.start();
    }

    /** From now on the hot keys lie elsewhere. */
    void flip(long from) {
        hotFrom = from;
    }

    private void run() {
        try {
            long due = System.nanoTime();
            while (!ending) {
                int from = begun;
                int to = from + ROWS_A_FLUSH;
                if (to > keys.length) {
                    keys = Arrays.copyOf(keys, 2 * keys.length);
                    times = Arrays.copyOf(times, 2 * times.length);
                }
                for (int n = from; n < to; n++) {
                    keys[n] =
                            random.nextInt(10) == 0 ? random.nextLong() : hotFrom + (random.nextLong() & HOT_WIDTH - 1);
                    times[n] = System.currentTimeMillis()
                            - (random.nextInt(100) < latePerCent ? random.nextLong(LATE_MILLIS) : random.nextInt(50));
                }
                begun = to;
                for (int n = from; n < to; n++) {
                    appender.append(times[n], keys[n], id(n));
                }
                acknowledged = new Acknowledged(to, appender.flush());
                due += ROWS_A_FLUSH * nanosARow;
                while (System.nanoTime() - due < 0 && !ending) {
                    LockSupport.parkNanos(due - System.nanoTime());
                }
            }
        } catch (RuntimeException e) {
            failure = e;
        }
    }

    /** Unique over all producers. */
    long id(int tuple) {
        return (long) number << 32 | tuple;
    }

    int number() {
        return number;
    }

    /** How many may be in the log: none beyond is. */
    int begun() {
        return begun;
    }

    Acknowledged acknowledged() {
        RuntimeException e = failure;
        if (e != null) {
            throw new IllegalStateException("producer " + number + " failed", e);
        }
        return acknowledged;
    }

    long key(int tuple) {
        return keys[tuple];
    }

    long time(int tuple) {
        return times[tuple];
    }

    long hotFrom() {
        return hotFrom;
    }

    long hotTo() {
        return hotFrom + HOT_WIDTH - 1;
    }

    @Override
    public void close() throws InterruptedException {
        ending = true;
        LockSupport.unpark(thread);
        thread.join();
        appender.close();
    }
}
