package io.waterwheel.topology.worker;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a worker does now and then. Jobs of one {@link Line} run one after another, each again some time after it has
 * ended. Jobs of different lines never wait for each other, however long they take: a job runs on a thread of its own,
 * which is there only while there is something to do. Lines that mostly rest have two threads together, that of the
 * clock and one that serves them in turn. Thread-safe.
 */
public final class TimedJobs implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(TimedJobs.class);
    /** How long a thread waits for the next job before it ends. */
    private static final long REST_SECONDS = 10;

    private static final int CLOSE_SECONDS = 5;
    /** Where there is no memory to say when a job is done again. */
    private static final long RETRY_MILLIS = 1000;

    /** Only says what is due. */
    private final ScheduledThreadPoolExecutor clock;

    private final ThreadPoolExecutor threads;

    /** @param name how its threads' names begin while they rest */
    public TimedJobs(String name) {
        AtomicInteger number = new AtomicInteger();
        this.clock = new ScheduledThreadPoolExecutor(1, task -> daemon(task, name + "-clock"));
        clock.setRemoveOnCancelPolicy(true);
        this.threads = new ThreadPoolExecutor(
                0,
                Integer.MAX_VALUE,
                REST_SECONDS,
                TimeUnit.SECONDS,
                new SynchronousQueue<>(),
                task -> daemon(task, name + "-" + number.incrementAndGet()));
    }

    private static Thread daemon(Runnable task, String name) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        return thread;
    }

    /** What is done in a line. May throw: that is logged, and it is done again. */
    @FunctionalInterface
    public interface Job {
        void run() throws Exception;
    }

    /** A new line without jobs; its name is that of the thread while a job runs. To be closed. */
    public Line line(String name) {
        return new Line(name);
    }

    /** Jobs that run one after another. */
    public final class Line implements AutoCloseable {
        private final String name;

        // Guarded by this.
        private final ArrayDeque<Timed> due = new ArrayDeque<>();
        private boolean running;
        private @Nullable Thread runner;
        private boolean closed;

        private Line(String name) {
            this.name = name;
        }

        private record Timed(Job job, long pauseNanos) {}

        /**
         * Does something again and again, until this is closed.
         *
         * @param first how long before the first time
         * @param pause how long after the end of one time before the next
         */
        public Line every(Duration first, Duration pause, Job job) {
            later(new Timed(job, pause.toNanos()), first.toNanos());
            return this;
        }

        private synchronized void later(Timed timed, long nanos) {
            if (!closed) {
                try {
                    ScheduledFuture<?> unused = clock.schedule(() -> due(timed), nanos, TimeUnit.NANOSECONDS);
                } catch (RejectedExecutionException e) {
                    LOG.debug("[{}] all jobs end", name, e);
                }
            }
        }

        private synchronized void due(Timed timed) {
            if (closed) {
                return;
            }
            due.add(timed);
            if (running) {
                return;
            }
            running = true;
            try {
                threads.execute(this::work);
            } catch (RejectedExecutionException e) {
                running = false;
                LOG.debug("[{}] all jobs end", name, e);
            } catch (Error e) {
                // No memory for a thread: later perhaps.
                running = false;
                due.remove(timed);
                again(timed, Math.max(timed.pauseNanos, TimeUnit.SECONDS.toNanos(1)));
                LOG.warn("[{}] could not begin, tries again: {}", name, e.toString());
            }
        }

        private void work() {
            Thread thread = Thread.currentThread();
            String before = thread.getName();
            boolean ended = false;
            try {
                thread.setName(name);
                Timed timed;
                while ((timed = next()) != null) {
                    try {
                        run(timed);
                    } catch (Throwable e) {
                        // Where memory is out, the line of a log may fail: what is due is done all the same.
                    }
                }
                ended = true;
            } finally {
                if (!ended) {
                    leave();
                }
                thread.setName(before);
            }
        }

        /** Whatever it fails with, what is due next begins on another thread. */
        private synchronized void leave() {
            runner = null;
            running = false;
            notifyAll();
        }

        /** From now on a close interrupts this thread. */
        private synchronized @Nullable Timed next() {
            Timed timed = closed ? null : due.poll();
            runner = timed == null ? null : Thread.currentThread();
            running = timed != null;
            if (timed == null) {
                notifyAll();
            }
            return timed;
        }

        private void run(Timed timed) {
            try {
                timed.job.run();
            } catch (InterruptedException e) {
                // Only a close interrupts.
                LOG.debug("[{}] is told to end", name, e);
            } catch (Exception | Error e) {
                LOG.error("[{}] failed; trying again", name, e);
            } finally {
                // Where memory is out, the line may fail.
                again(timed, timed.pauseNanos);
            }
        }

        /** Until it works: what is not done again is never done. Waits meanwhile, which lets others have the memory. */
        private synchronized void again(Timed timed, long nanos) {
            while (!closed) {
                try {
                    later(timed, nanos);
                    return;
                } catch (Error e) {
                    try {
                        wait(RETRY_MILLIS);
                    } catch (InterruptedException interrupted) {
                        // Only a close interrupts.
                        return;
                    }
                }
            }
        }

        /** Interrupts what runs, waits some seconds for its end, and lets nothing begin. */
        @Override
        public void close() {
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(CLOSE_SECONDS);
            synchronized (this) {
                closed = true;
                due.clear();
                if (runner != null) {
                    runner.interrupt();
                }
                try {
                    while (running && runner != Thread.currentThread()) {
                        long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
                        if (left <= 0) {
                            LOG.warn("[{}] did not end in time", name);
                            return;
                        }
                        wait(left);
                    }
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
        }
    }

    /** Ends all lines: what runs is interrupted, and not waited for. */
    @Override
    public void close() {
        clock.shutdownNow();
        threads.shutdownNow();
    }
}
