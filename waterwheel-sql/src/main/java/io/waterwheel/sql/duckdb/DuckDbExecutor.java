package io.waterwheel.sql.duckdb;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.sql.ResidualPlan;
import io.waterwheel.sql.exec.ResidualExecutor;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Answers the rest of plans by DuckDB in a process that the first such statement starts. When the process ends in the
 * middle, its statements fail with SQL_EXECUTOR_ENDED, and the next one starts another. Thread-safe.
 */
public final class DuckDbExecutor implements ResidualExecutor {
    /** How soon a statement ends that was cancelled, or whose deadline has passed. */
    private static final long WATCH_MILLIS = 50;

    private final DuckDbSettings settings;
    private final Semaphore turns;
    private final ScheduledExecutorService watch;
    /** Null when there is none. Written under this, read without by {@link #load}, which must not wait for a start. */
    private volatile @Nullable DuckDbChild child;
    /** Processes that were started. As {@link #child}. */
    private volatile long starts;
    /** Guarded by this. */
    private boolean closed;

    public DuckDbExecutor(DuckDbSettings settings) {
        this.settings = settings;
        this.turns = new Semaphore(settings.atOnce(), true);
        this.watch = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, "statement-watch");
            thread.setDaemon(true);
            return thread;
        });
    }

    @Override
    public void execute(ResidualPlan plan, LeafReader leaves, Asker asker) throws InterruptedException {
        if (!turns.tryAcquire(asker.deadlineNanos() - System.nanoTime(), TimeUnit.NANOSECONDS)) {
            throw new WaterwheelException(
                    ErrorCode.SERVER_BUSY,
                    "the statement waited for its turn until its timeout: " + settings.atOnce()
                            + " statements with joins or windows are answered at a time (sql.at-once)");
        }
        try (SocketChannel channel = connect()) {
            DuckDbStatement statement = new DuckDbStatement(channel, plan, leaves, asker);
            ScheduledFuture<?> watching = watch.scheduleWithFixedDelay(
                    statement::endWhenUnwanted, WATCH_MILLIS, WATCH_MILLIS, TimeUnit.MILLISECONDS);
            try {
                statement.run();
            } catch (WaterwheelException e) {
                if (e.code().equals(ErrorCode.SQL_EXECUTOR_ENDED.name())) {
                    awaitEnd();
                }
                throw e;
            } finally {
                watching.cancel(false);
            }
        } catch (IOException e) {
            throw new WaterwheelException(
                    ErrorCode.SQL_EXECUTOR_ENDED, "DuckDB's process cannot be reached: " + e.getMessage(), e);
        } finally {
            turns.release();
        }
    }

    private synchronized SocketChannel connect() throws IOException {
        if (closed) {
            throw new WaterwheelException(ErrorCode.SERVER_BUSY, "the server is closing; ask again");
        }
        DuckDbChild known = child;
        if (known != null && known.alive()) {
            try {
                return known.connect();
            } catch (IOException e) {
                // It may have ended just now, having had nothing to do; another is started.
                known.close();
            }
        } else if (known != null) {
            known.close();
        }
        child = null;
        DuckDbChild started = DuckDbChild.start(settings);
        child = started;
        starts++;
        return started.connect();
    }

    /** One that is ending takes connections for a moment still: the next statement must not be given to it. */
    private void awaitEnd() throws InterruptedException {
        DuckDbChild ending;
        synchronized (this) {
            ending = child;
        }
        if (ending != null) {
            ending.awaitEnd();
        }
    }

    @Override
    public Load load() {
        DuckDbChild present = child;
        return new Load(
                settings.atOnce() - turns.availablePermits(),
                turns.getQueueLength(),
                settings.atOnce(),
                starts,
                present == null || !present.alive() ? 0 : present.residentBytes());
    }

    /** The process, for tests that end it; null when there is none. */
    synchronized @Nullable ProcessHandle process() {
        return child == null ? null : child.handle();
    }

    @Override
    public void close() {
        watch.shutdownNow();
        synchronized (this) {
            closed = true;
            if (child != null) {
                child.close();
                child = null;
            }
        }
    }
}
