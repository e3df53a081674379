package io.waterwheel.sql.duckdb;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.sql.ResidualPlan;
import io.waterwheel.sql.exec.ResidualExecutor;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.SocketChannel;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Answers the rest of plans by DuckDB in a process that the first such statement starts. When the process ends in the
 * middle, its statements fail with SQL_EXECUTOR_ENDED, and the next one starts another. Thread-safe.
 */
public final class DuckDbExecutor implements ResidualExecutor {
    /** How soon a statement ends that was cancelled, or whose deadline has passed. */
    private static final long WATCH_MILLIS = 50;

    /** Handed over in some ten milliseconds; of a leaf that has no more, the tuples themselves are few enough. */
    private static final int SAMPLED_TUPLES = 65_536;

    private final DuckDbSettings settings;
    private final int sampled;
    private final Semaphore turns;
    private final ScheduledExecutorService watch;
    /** Guarded by this; null when there is none. It may be on its way still, or may have failed to start. */
    private @Nullable CompletableFuture<DuckDbChild> child;
    /** Processes that were started. Guarded by this. */
    private long starts;
    /** Guarded by this. */
    private boolean closed;

    public DuckDbExecutor(DuckDbSettings settings) {
        this(settings, SAMPLED_TUPLES);
    }

    /** @param sampled tuples of a leaf that are looked at before its groups are asked for */
    DuckDbExecutor(DuckDbSettings settings, int sampled) {
        this.settings = settings;
        this.sampled = sampled;
        this.turns = new Semaphore(settings.atOnce(), true);
        this.watch = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, "statement-watch");
            thread.setDaemon(true);
            return thread;
        });
    }

    /** On a thread of its own, which no statement's end interrupts. */
    private CompletableFuture<DuckDbChild> start() {
        return CompletableFuture.supplyAsync(() -> DuckDbChild.start(settings), task -> {
            Thread thread = new Thread(task, "duckdb-start");
            thread.setDaemon(true);
            thread.start();
        });
    }

    @Override
    public void execute(ResidualPlan plan, LeafReader leaves, Asker asker) throws InterruptedException {
        awaitTurn(asker);
        asker.begins();
        try (SocketChannel channel = connect(asker)) {
            DuckDbStatement statement = new DuckDbStatement(channel, plan, leaves, asker, sampled);
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
        } catch (ClosedByInterruptException e) {
            throw interrupted(e);
        } catch (IOException e) {
            throw new WaterwheelException(
                    ErrorCode.SQL_EXECUTOR_ENDED, "DuckDB's process cannot be reached: " + e.getMessage(), e);
        } finally {
            turns.release();
        }
    }

    /** What a channel says of an interrupt, as others say it. */
    static InterruptedException interrupted(ClosedByInterruptException cause) {
        boolean unused = Thread.interrupted();
        InterruptedException interrupted = new InterruptedException("while DuckDB answered a statement");
        interrupted.initCause(cause);
        return interrupted;
    }

    private void awaitTurn(Asker asker) throws InterruptedException {
        while (!turns.tryAcquire(WATCH_MILLIS, TimeUnit.MILLISECONDS)) {
            requireWanted(
                    asker,
                    ErrorCode.SERVER_BUSY,
                    "the statement waited for its turn until its timeout: " + settings.atOnce()
                            + " statements with joins or windows are answered at a time (sql.at-once)");
        }
    }

    /** @param late what a deadline that has passed means, by code and message */
    private static void requireWanted(Asker asker, ErrorCode code, String late) {
        if (asker.cancelled()) {
            throw new WaterwheelException(ErrorCode.CANCELLED, "the statement was cancelled");
        } else if (System.nanoTime() - asker.deadlineNanos() > 0) {
            throw new WaterwheelException(code, late);
        }
    }

    private SocketChannel connect(Asker asker) throws IOException, InterruptedException {
        CompletableFuture<DuckDbChild> known = child();
        DuckDbChild process = awaited(known, asker);
        try {
            return process.connect();
        } catch (ClosedByInterruptException e) {
            throw e;
        } catch (IOException e) {
            if (process.listens()) {
                throw e;
            }
        }
        // It has ended just now, having had nothing to do; another is started.
        forget(known);
        process.close();
        return awaited(child(), asker).connect();
    }

    /** The process that is there, or on its way; another one in place of one that has ended. */
    private synchronized CompletableFuture<DuckDbChild> child() {
        if (closed) {
            throw new WaterwheelException(ErrorCode.SERVER_BUSY, "the server is closing; ask again");
        }
        CompletableFuture<DuckDbChild> known = child;
        if (known != null && known.isDone()) {
            DuckDbChild process = known.isCompletedExceptionally() ? null : known.join();
            if (process == null || !process.alive()) {
                if (process != null) {
                    process.close();
                }
                known = null;
            }
        }
        if (known == null) {
            known = start();
            child = known;
            starts++;
        }
        return known;
    }

    private synchronized void forget(CompletableFuture<DuckDbChild> known) {
        if (child == known) {
            child = null;
        }
    }

    private static DuckDbChild awaited(CompletableFuture<DuckDbChild> child, Asker asker) throws InterruptedException {
        while (true) {
            try {
                return child.get(WATCH_MILLIS, TimeUnit.MILLISECONDS);
            } catch (TimeoutException e) {
                requireWanted(
                        asker, ErrorCode.TIMEOUT, "DuckDB's process was not ready within the statement's timeout");
            } catch (ExecutionException e) {
                throw e.getCause() instanceof WaterwheelException failure
                        ? failure.withMessage(String.valueOf(failure.getMessage()))
                        : new WaterwheelException(ErrorCode.BUG, "DuckDB's process is not started: " + e, e);
            }
        }
    }

    /** One that is ending takes connections for a moment still: the next statement must not be given to it. */
    private void awaitEnd() throws InterruptedException {
        DuckDbChild ending = running();
        if (ending != null) {
            ending.awaitEnd();
        }
    }

    @Override
    public Load load() {
        long started;
        synchronized (this) {
            started = starts;
        }
        DuckDbChild present = running();
        return new Load(
                settings.atOnce() - turns.availablePermits(),
                turns.getQueueLength(),
                settings.atOnce(),
                started,
                present == null || !present.alive() ? 0 : present.residentBytes());
    }

    private synchronized @Nullable DuckDbChild running() {
        CompletableFuture<DuckDbChild> known = child;
        return known == null || !known.isDone() || known.isCompletedExceptionally() ? null : known.join();
    }

    /** The process, for tests that end it; null when there is none. */
    @Nullable
    ProcessHandle process() {
        DuckDbChild running = running();
        return running == null ? null : running.handle();
    }

    @Override
    public void close() {
        watch.shutdownNow();
        CompletableFuture<DuckDbChild> last;
        synchronized (this) {
            closed = true;
            last = child;
            child = null;
        }
        if (last != null) {
            // One that is on its way ends as soon as it is there.
            CompletableFuture<Void> unused = last.thenAccept(DuckDbChild::close);
        }
    }
}
