package io.waterwheel.embedded.server;

import io.waterwheel.topology.worker.Uninterrupted;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a part of the server up: one that has ended, mostly since its disk was full or read-only, is stopped, and
 * started again at the same address as soon as the disk can be written. A start that fails is tried again after a pause
 * that doubles to 10 s; {@link #trouble} says what it failed with. Thread-safe.
 *
 * @param <P> the part
 */
final class KeptPart<P extends KeptPart.Part<P>> implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(KeptPart.class);
    private static final long LOOK_MILLIS = 500;
    private static final long LONGEST_PAUSE_MILLIS = 10_000;

    /** For a part that is just starting or ending, before its keeper is interrupted in it. */
    private static final long CLOSE_MILLIS = TimeUnit.SECONDS.toMillis(90);

    /** After that. A broker that waits for its controller takes minutes. */
    private static final long CLOSE_MOST_MILLIS = TimeUnit.MINUTES.toMillis(7);

    /** What can be kept up. */
    interface Part<P> extends AutoCloseable {
        /** Whether it has ended by itself. */
        boolean ended();

        /** Starts its successor, on the same folder and at the same address; it has been closed. */
        P again() throws IOException;

        @Override
        void close();
    }

    private final String name;
    private final Supplier<String> unwritable;
    private final long lookMillis;
    private final CountDownLatch closing = new CountDownLatch(1);
    private final Thread thread;
    // All three: the thread only.
    private P part;
    private boolean down;
    private long pauseMillis;

    private volatile String trouble = "";

    private KeptPart(String name, P part, Supplier<String> unwritable, long lookMillis) {
        this.name = name;
        this.part = part;
        this.unwritable = unwritable;
        this.lookMillis = lookMillis;
        this.pauseMillis = lookMillis;
        this.thread = new Thread(this::run, name + "-keeper");
        thread.setDaemon(true);
    }

    /**
     * Keeps a part that runs. From now on only {@link #close} closes it.
     *
     * @param unwritable why its disk cannot be written now, for people; until that is empty, no start is tried
     */
    static <P extends Part<P>> KeptPart<P> of(String name, P part, Supplier<String> unwritable) {
        return of(name, part, unwritable, LOOK_MILLIS);
    }

    /** The same, for tests that cannot wait as long between two looks. */
    static <P extends Part<P>> KeptPart<P> of(String name, P part, Supplier<String> unwritable, long lookMillis) {
        KeptPart<P> kept = new KeptPart<>(name, part, unwritable, lookMillis);
        kept.thread.start();
        return kept;
    }

    private void run() {
        try {
            while (!closing.await(pauseMillis, TimeUnit.MILLISECONDS)) {
                look();
            }
        } catch (InterruptedException e) {
            LOG.debug("{} is kept no longer", name, e);
        } finally {
            // Here, and not by the caller of close: a start that outlasts its patience is closed too.
            stop();
        }
    }

    /**
     * Whatever it fails with, memory for a thread among it, the keeper goes on: without it the part never comes back.
     */
    private void look() {
        try {
            if (!down && part.ended()) {
                LOG.error("{} has ended; it is started again when its disk can be written", name);
                trouble = name + " has ended";
                down = true;
                stop();
            }
            if (!down) {
                return;
            }
            String why = unwritable.get();
            if (!why.isEmpty()) {
                trouble = name + " has ended, and is started again when its disk can be written: " + why;
                return;
            }
            part = part.again();
            down = false;
            pauseMillis = lookMillis;
            trouble = "";
            LOG.info("{} is back", name);
        } catch (IOException | RuntimeException | Error e) {
            if (down) {
                pauseMillis = Math.min(2 * pauseMillis, LONGEST_PAUSE_MILLIS);
            }
            failed(e);
        }
    }

    private void stop() {
        try {
            part.close();
        } catch (RuntimeException | Error e) {
            LOG.warn("{} did not stop in order", name, e);
        }
    }

    /** The same trouble again is one line: a stack each time would fill the disk of the log. */
    private void failed(Throwable failure) {
        String now = name + " did not start again: " + failure;
        if (now.equals(trouble)) {
            LOG.warn("{}; it is tried again in {} ms", now, pauseMillis);
        } else {
            LOG.warn("{}; it is tried again in {} ms", now, pauseMillis, failure);
        }
        trouble = now;
    }

    /** Why the part is not up, for people; empty when it is. */
    String trouble() {
        return trouble;
    }

    /**
     * Closes the part too. Waits for that also on a thread that is interrupted, since the part would run on: 90 s, and
     * then, with what is under way interrupted, 7 minutes. What still runs after that is logged, and left behind.
     */
    @Override
    public void close() {
        closing.countDown();
        if (!Uninterrupted.join(thread, CLOSE_MILLIS)) {
            thread.interrupt();
            if (!Uninterrupted.join(thread, CLOSE_MOST_MILLIS)) {
                LOG.warn("{} did not stop, and is left behind", name);
            }
        }
    }
}
