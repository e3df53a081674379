package io.waterwheel.embedded.server;

import io.waterwheel.topology.worker.Uninterrupted;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.IntConsumer;
import org.apache.kafka.common.utils.Exit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One broker, from its start to its end. Where Kafka cannot write its folder it halts the virtual machine; a broker may
 * end alone instead: the thread that would have halted everything dies, and {@link #ended} says so. The group of a
 * thread tells which broker it belongs to.
 *
 * <p>A broker has also ended once one of its request handlers has died. A page of a mapped file that finds no place on
 * a full disk is an Error, which the virtual machine may throw long after the write, wherever the thread is then: also
 * where Kafka catches none. Without handlers a broker answers no request, and Kafka notices nothing.
 *
 * <p>A broker that did not stop in order may still write its folder. No other is begun on that folder in this process:
 * where one is to follow, the process ends ({@link #endProcessWhereOneIsLeft}). Thread-safe.
 */
final class KafkaLife {
    private static final Logger LOG = LoggerFactory.getLogger(KafkaLife.class);
    private static final long LOOK_MILLIS = 200;
    private static final long INTERRUPTED_MILLIS = 10_000;

    /** In the names of the threads that serve requests, by Kafka 4.3 (KeptBrokerTest looks at them). */
    private static final String HANDLER = "-kafka-request-handler-";

    /** What the stop of a broker waits where a request handler has died, which never says that it is done. */
    private static final long HANDLERS_NANOS = TimeUnit.SECONDS.toNanos(2);

    /**
     * How long it is waited, and what ends the process.
     *
     * @param endedNanos for the start and the stop of a broker that has ended: its threads wait for each other now and
     *     then, and some are dead
     * @param stopNanos for the stop of any other: it waits 5 minutes for its controller
     */
    record Limits(long endedNanos, long stopNanos, IntConsumer halt) {}

    private static final Limits LIMITS =
            new Limits(TimeUnit.MINUTES.toNanos(3), TimeUnit.MINUTES.toNanos(6), status -> Runtime.getRuntime()
                    .halt(status));

    /** Those that run, and of the others those of which threads may be left: they must not halt the process later. */
    private static final List<KafkaLife> LIVES = new CopyOnWriteArrayList<>();

    /** Ends a thread of a broker that ends alone. */
    private static final class BrokerEndedError extends Error {
        private static final long serialVersionUID = 1;

        BrokerEndedError(Path folder) {
            super("the broker in " + folder + " has ended, and this thread with it");
        }
    }

    /** What Kafka wanted to end the process with. */
    private record End(int status, @Nullable String message) {}

    private final Path folder;
    private final BooleanSupplier endsAlone;
    private final Limits limits;
    private final ThreadGroup threads;
    private volatile @Nullable End end;
    private volatile @Nullable Thread starting;
    /** Those that serve requests, also when they have died. Guarded by this. */
    private final Set<Thread> handlers = new LinkedHashSet<>();

    private volatile @Nullable FutureTask<Void> stopping;

    private KafkaLife(Path folder, BooleanSupplier endsAlone, Limits limits) {
        this.folder = folder;
        this.endsAlone = endsAlone;
        this.limits = limits;
        this.threads = new ThreadGroup("kafka " + folder);
    }

    /**
     * Begins one.
     *
     * @param endsAlone whether the process goes on where the broker ends now: it is started again. Else the process
     *     ends, as Kafka wants it, with a last word
     * @throws IOException when a broker of this process on the folder did not stop in order
     */
    static KafkaLife begin(Path folder, BooleanSupplier endsAlone) throws IOException {
        return begin(folder, endsAlone, LIMITS);
    }

    /** The same, for tests that cannot wait as long, and outlive a halt. */
    static KafkaLife begin(Path folder, BooleanSupplier endsAlone, Limits limits) throws IOException {
        LIVES.removeIf(life -> life.stopping != null && !life.isLeftBehind() && life.threads.activeCount() == 0);
        if (leftBehind(folder) != null) {
            throw new IOException(
                    "Kafka in " + folder + ": a broker of this process did not stop in order, and may still"
                            + " write there; end the process, and start another");
        }
        KafkaLife life = new KafkaLife(folder, endsAlone, limits);
        LIVES.add(life);
        Exit.setHaltProcedure((status, message) -> {
            endAlone(status, message);
            try {
                LastWord.say(current(), status, message);
            } finally {
                limits.halt().accept(status);
            }
        });
        Exit.setExitProcedure((status, message) -> {
            endAlone(status, message);
            Runtime.getRuntime().exit(status);
        });
        return life;
    }

    /**
     * Ends the process, with a last word, where a broker of it on this folder did not stop in order: of two on one
     * folder each would write into the other's logs. Returns where there is none.
     */
    static void endProcessWhereOneIsLeft(Path folder) {
        KafkaLife left = leftBehind(folder);
        if (left != null) {
            try {
                LastWord.say(folder, 1, "its broker had ended and did not stop in order, so no other can be started");
            } finally {
                left.limits.halt().accept(1);
            }
        }
    }

    private static @Nullable KafkaLife leftBehind(Path folder) {
        for (KafkaLife life : LIVES) {
            if (life.folder.equals(folder) && life.isLeftBehind()) {
                return life;
            }
        }
        return null;
    }

    /** Returns when the broker of this thread does not end alone. */
    private static void endAlone(int status, @Nullable String message) {
        KafkaLife life = ofThisThread();
        if (life == null) {
            return;
        }
        if (life.end == null) {
            if (!life.isToEndAlone()) {
                return;
            }
            life.end = new End(status, message);
            LOG.error(
                    "the broker in {} has ended, since nothing can be written there, or could not shortly before"
                            + " (status {}, {})",
                    life.folder,
                    status,
                    message);
        }
        throw new BrokerEndedError(life.folder);
    }

    private boolean isToEndAlone() {
        try {
            return endsAlone.getAsBoolean();
        } catch (RuntimeException e) {
            LOG.error("whether {} can be written is not known: the process ends", folder, e);
            return false;
        }
    }

    private static @Nullable KafkaLife ofThisThread() {
        for (KafkaLife life : LIVES) {
            if (life.threads.parentOf(Thread.currentThread().getThreadGroup())) {
                return life;
            }
        }
        return null;
    }

    /** The folder of this thread's broker. */
    private static @Nullable Path current() {
        KafkaLife life = ofThisThread();
        return life == null ? null : life.folder;
    }

    /** Whether the broker has ended by itself, and waits to be stopped and started again. */
    boolean ended() {
        lookAtHandlers();
        return end != null;
    }

    private synchronized void lookAtHandlers() {
        Thread dead = end == null && stopping == null ? handler(false) : null;
        if (dead != null) {
            end = new End(1, "its thread " + dead.getName() + " has died");
            LOG.error(
                    "the broker in {} has ended: its thread {}, which serves requests, has died",
                    folder,
                    dead.getName());
        }
    }

    /** One of them that lives, or one that has died; null where there is none. */
    private synchronized @Nullable Thread handler(boolean alive) {
        for (Thread handler : handlers) {
            if (handler.isAlive() == alive) {
                return handler;
            }
        }
        return null;
    }

    private synchronized void findHandlers() {
        // The count is an estimate: what does not fit would be left out.
        Thread[] living = new Thread[2 * threads.activeCount() + 10];
        int count = threads.enumerate(living);
        for (int i = 0; i < count; i++) {
            if (living[i].getName().contains(HANDLER)) {
                handlers.add(living[i]);
            }
        }
    }

    /**
     * Starts it, in its own threads. After a failure it is to be stopped.
     *
     * @throws IOException when it does not start, or ended meanwhile
     */
    <T> T start(Callable<T> start) throws IOException {
        FutureTask<T> task = new FutureTask<>(start);
        Thread thread = new Thread(threads, task, "kafka-start");
        starting = thread;
        thread.start();
        long begin = System.nanoTime();
        try {
            while (thread.isAlive()) {
                thread.join(LOOK_MILLIS);
                findHandlers();
                if (end == null) {
                    begin = System.nanoTime();
                } else if (System.nanoTime() - begin > limits.endedNanos()) {
                    throw notStarted("it has ended, and its start does not end", null);
                } else {
                    // It waits for what will not come any longer.
                    thread.interrupt();
                }
            }
            return task.get();
        } catch (ExecutionException e) {
            throw notStarted(String.valueOf(e.getCause()), e);
        } catch (InterruptedException e) {
            thread.interrupt();
            awaitEnd(thread);
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while Kafka was starting", e);
        }
    }

    private IOException notStarted(String why, @Nullable Throwable cause) {
        End how = end;
        return new IOException(
                how == null
                        ? "Kafka in " + folder + " did not start: " + why
                        : "Kafka did not start: " + LastWord.reason(folder, how.status(), how.message()),
                cause);
    }

    /** What is half started and goes on could not be stopped. */
    private static void awaitEnd(Thread thread) {
        try {
            thread.join(INTERRUPTED_MILLIS);
        } catch (InterruptedException e) {
            LOG.debug("interrupted again", e);
        }
    }

    /**
     * Stops it, once, its request handlers too. One that has ended is given three minutes, any other six; what is left
     * of it then stays behind. Waits also on a thread that is interrupted, since half a broker would keep its ports and
     * its lock.
     *
     * @return whether it went in order
     */
    boolean stop(Runnable stop) {
        FutureTask<Void> task = new FutureTask<>(stop, null);
        synchronized (this) {
            if (stopping != null) {
                return !isLeftBehind();
            }
            // From here on it is the stop that ends them.
            lookAtHandlers();
            stopping = task;
        }
        Thread thread = new Thread(threads, task, "kafka-stop");
        thread.setDaemon(true);
        thread.start();
        long begin = System.nanoTime();
        long servedNanos = begin;
        Thread awaited = thread;
        while (awaited != null) {
            if (Uninterrupted.join(awaited, LOOK_MILLIS)) {
                // A handler that nothing waited for may still write.
                awaited = handler(true);
                continue;
            }
            long now = System.nanoTime();
            if (now - begin > (end != null ? limits.endedNanos() : limits.stopNanos())) {
                break;
            }
            if (!waits(thread, "KafkaRequestHandler", "") || handler(false) == null) {
                servedNanos = now;
            }
            if (now - servedNanos > HANDLERS_NANOS || (end != null && waits(thread, "BrokerServer", "shutdown"))) {
                thread.interrupt();
                servedNanos = now;
            }
        }
        if (isLeftBehind()) {
            LOG.warn("the broker in {} did not stop in order, and is left behind", folder, failure(task));
            return false;
        }
        if (end == null) {
            LIVES.remove(this);
        }
        return true;
    }

    /** Whether its stop was begun and has failed, or is not at its end, or its start or a handler still goes on. */
    private boolean isLeftBehind() {
        FutureTask<Void> stop = stopping;
        Thread start = starting;
        return stop != null
                && (!stop.isDone()
                        || failure(stop) != null
                        || (start != null && start.isAlive())
                        || handler(true) != null);
    }

    /** What the stop failed with; null where it is not at its end too. */
    private static @Nullable Throwable failure(FutureTask<Void> stop) {
        if (stop.isDone()) {
            try {
                stop.get();
            } catch (ExecutionException e) {
                return e.getCause();
            } catch (InterruptedException e) {
                // Not of one that is done, but for a caller that is interrupted it would be hidden.
                Thread.currentThread().interrupt();
                return e;
            }
        }
        return null;
    }

    /**
     * Whether it waits in a method of Kafka: {@code BrokerServer.shutdown} waits for minutes until the controller lets
     * the broker go, which may have ended too, and {@code KafkaRequestHandler.awaitShutdown} for ever for a thread that
     * has died. The names are those of Kafka 4.3; under others a broker that has ended is left behind (KafkaLifeTest
     * looks at them).
     *
     * @param method any of the class where it is empty
     */
    private static boolean waits(Thread thread, String className, String method) {
        for (StackTraceElement frame : thread.getStackTrace()) {
            if (frame.getClassName().startsWith("kafka.server.")) {
                return frame.getClassName().equals("kafka.server." + className)
                        && (method.isEmpty() || frame.getMethodName().equals(method));
            }
        }
        return false;
    }
}
