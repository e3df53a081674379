package io.waterwheel.embedded.server;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.apache.kafka.common.utils.Exit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One broker, from its start to its end. Where Kafka cannot write its folder it halts the virtual machine; a broker
 * that is spared ends alone: the thread that would have halted everything dies, and {@link #ended} says so. Which
 * broker a thread is of, its group tells. Thread-safe.
 */
final class KafkaLife {
    private static final Logger LOG = LoggerFactory.getLogger(KafkaLife.class);
    private static final long LOOK_MILLIS = 200;
    private static final long INTERRUPTED_MILLIS = 10_000;

    /** Of a broker that has ended: its threads wait for each other now and then, and some are dead. */
    private static final long STOP_NANOS = TimeUnit.SECONDS.toNanos(60);

    private static final List<KafkaLife> LIVES = new CopyOnWriteArrayList<>();

    /** Ends a thread of a broker that is spared. */
    private static final class BrokerEndedError extends Error {
        private static final long serialVersionUID = 1;

        BrokerEndedError(Path folder) {
            super("the broker in " + folder + " has ended, and this thread with it");
        }
    }

    private final Path folder;
    private final BooleanSupplier spared;
    private final ThreadGroup threads;
    private volatile boolean ended;

    private KafkaLife(Path folder, BooleanSupplier spared) {
        this.folder = folder;
        this.spared = spared;
        this.threads = new ThreadGroup("kafka " + folder);
    }

    /**
     * Begins one.
     *
     * @param spared whether the process goes on where the broker ends now: it is started again. Else the process ends,
     *     as Kafka wants it, with a last word
     */
    static KafkaLife begin(Path folder, BooleanSupplier spared) {
        KafkaLife life = new KafkaLife(folder, spared);
        LIVES.add(life);
        Exit.setHaltProcedure((status, message) -> {
            endAlone();
            try {
                LastWord.say(current(), status, message);
            } finally {
                Runtime.getRuntime().halt(status);
            }
        });
        Exit.setExitProcedure((status, message) -> {
            endAlone();
            Runtime.getRuntime().exit(status);
        });
        return life;
    }

    /** Returns when the broker of this thread does not end alone. */
    private static void endAlone() {
        KafkaLife life = ofThisThread();
        if (life != null && (life.ended || life.spared.getAsBoolean())) {
            if (!life.ended) {
                LOG.error("the broker in {} has ended, since nothing can be written there", life.folder);
            }
            life.ended = true;
            throw new BrokerEndedError(life.folder);
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

    /** The folder of this thread's broker, or of the last one that was begun. */
    private static Path current() {
        KafkaLife life = ofThisThread();
        return life != null ? life.folder : LIVES.get(LIVES.size() - 1).folder;
    }

    /** Whether the broker has ended by itself, and waits to be stopped and started again. */
    boolean ended() {
        return ended;
    }

    /**
     * Starts it, in its own threads.
     *
     * @throws IOException when it does not start, or ended meanwhile
     */
    <T> T start(Callable<T> start) throws IOException {
        FutureTask<T> task = new FutureTask<>(start);
        Thread thread = new Thread(threads, task, "kafka-start");
        thread.start();
        try {
            while (thread.isAlive()) {
                thread.join(LOOK_MILLIS);
                if (ended) {
                    // It waits for what will not come any longer.
                    thread.interrupt();
                }
            }
            return task.get();
        } catch (ExecutionException e) {
            throw new IOException("Kafka in " + folder + " did not start: " + e.getCause(), e);
        } catch (InterruptedException e) {
            thread.interrupt();
            awaitEnd(thread);
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while Kafka was starting", e);
        }
    }

    /** What is half started and goes on could not be stopped. */
    private static void awaitEnd(Thread thread) {
        try {
            thread.join(INTERRUPTED_MILLIS);
        } catch (InterruptedException e) {
            LOG.debug("interrupted again", e);
        }
    }

    /** Stops it; one that has ended is given a minute, and then what is left of it stays behind. */
    void stop(Runnable stop) {
        Thread thread = new Thread(threads, stop, "kafka-stop");
        thread.setDaemon(true);
        thread.start();
        long begin = System.nanoTime();
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join(LOOK_MILLIS);
            } catch (InterruptedException e) {
                // Half a broker would keep its ports and its lock.
                interrupted = true;
            }
            if (ended && asksTheController(thread)) {
                thread.interrupt();
            }
            if (ended && System.nanoTime() - begin > STOP_NANOS) {
                LOG.warn("the broker in {} did not stop in order, and is left behind", folder);
                break;
            }
        }
        LIVES.remove(this);
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Whether it waits, for minutes, until the controller lets the broker go: that may have ended too. */
    private static boolean asksTheController(Thread thread) {
        for (StackTraceElement frame : thread.getStackTrace()) {
            if (frame.getClassName().startsWith("kafka.server.")) {
                return frame.getClassName().equals("kafka.server.BrokerServer")
                        && frame.getMethodName().equals("shutdown");
            }
        }
        return false;
    }
}
