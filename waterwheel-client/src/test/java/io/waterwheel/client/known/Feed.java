package io.waterwheel.client.known;

import io.waterwheel.client.Appender;
import io.waterwheel.client.AppenderSettings;
import io.waterwheel.client.admin.StreamDetails;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Appends known rows at a rate until it is told to end; what it has begun and what is acknowledged can be asked. */
public final class Feed implements AutoCloseable {
    private static final int ROWS_A_FLUSH = 200;
    private static final long CLOSE_MILLIS = 5_000;
    /** Longer than any fault lasts: the appender waits for a broker that is away. */
    private static final AppenderSettings SETTINGS =
            new AppenderSettings(Duration.ofMillis(2), 4 << 10, 8 << 20, Duration.ofMinutes(10));

    /**
     * @param rows rows 0 to rows - 1 are acknowledged
     * @param positions by partition the offset below which they lie
     */
    public record Acknowledged(long rows, Map<Integer, Long> positions) {}

    private final Appender appender;
    private final long nanosARow;
    private final Thread thread;
    private volatile long begun;
    private volatile Acknowledged acknowledged = new Acknowledged(0, Map.of());
    private volatile boolean ending;
    private volatile @Nullable RuntimeException failure;

    /** Begins to append. */
    public Feed(StreamDetails stream, int rowsASecond) {
        this.appender = Appender.open(stream, SETTINGS);
        this.nanosARow = 1_000_000_000L / rowsASecond;
        this.thread = new Thread(this::run, "feed");
        thread.start();
    }

    private void run() {
        try {
            long due = System.nanoTime();
            while (!ending) {
                long from = begun;
                long to = from + ROWS_A_FLUSH;
                begun = to;
                for (long id = from; id < to; id++) {
                    appender.append(KnownRows.row(id));
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

    /** Rows that may be in the log: none beyond is. */
    public long begun() {
        return begun;
    }

    /** What is acknowledged by now; fails when appending has. */
    public Acknowledged acknowledged() {
        RuntimeException e = failure;
        if (e != null) {
            throw new IllegalStateException("appending failed", e);
        }
        return acknowledged;
    }

    /** Ends it; all that was begun is acknowledged then. */
    public Acknowledged end() throws InterruptedException {
        ending = true;
        LockSupport.unpark(thread);
        thread.join();
        return acknowledged();
    }

    @Override
    public void close() throws InterruptedException {
        ending = true;
        LockSupport.unpark(thread);
        thread.interrupt();
        thread.join();
        // With no broker left it would wait for one as long as the appender's patience is.
        Thread closing = new Thread(appender::close, "feed-close");
        closing.setDaemon(true);
        closing.start();
        closing.join(CLOSE_MILLIS);
    }
}
