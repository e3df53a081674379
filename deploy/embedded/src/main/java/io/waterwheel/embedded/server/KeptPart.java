package io.waterwheel.embedded.server;

import io.waterwheel.topology.worker.Uninterrupted;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a part of the server up: one that has ended, mostly since its disk was full or read-only, is stopped, and
 * started again at the same address as soon as the disk can be written. A start that fails is tried again after a pause
 * that doubles to 10 s; {@link #trouble} says what it failed with. Whether it has ended is seen by {@link Looks}; what
 * brings it back takes seconds to minutes, and has a thread of its own, which is there only meanwhile. Thread-safe.
 *
 * @param <P> the part
 */
final class KeptPart<P extends KeptPart.Part<P>> implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(KeptPart.class);
    private static final long LOOK_MILLIS = 1_000;
    /** Before the first try to bring a part back; each further one waits twice as long. */
    private static final long FIRST_PAUSE_MILLIS = 500;

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
    private final ScheduledFuture<?> looking;

    /** What brings the part back, or closes it; null while it is up. Guarded by this. */
    private @Nullable Thread thread;

    /** Guarded by this. */
    private boolean closed;
    // While there is a thread its own, else guarded by this.
    private P part;
    private boolean down;
    private long pauseMillis;

    private volatile String trouble = "";

    private KeptPart(String name, P part, Supplier<String> unwritable, long lookMillis) {
        this.name = name;
        this.part = part;
        this.unwritable = unwritable;
        this.lookMillis = lookMillis;
        this.pauseMillis = firstPauseMillis();
        this.looking = Looks.every(lookMillis, this::look);
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
        return new KeptPart<>(name, part, unwritable, lookMillis);
    }

    private long firstPauseMillis() {
        return Math.min(FIRST_PAUSE_MILLIS, lookMillis);
    }

    private void look() {
        P looked;
        synchronized (this) {
            if (closed || isKept()) {
                return;
            }
            // Down still where its keeper has died.
            looked = down ? null : part;
        }
        try {
            // Not under the lock, for which a close would wait: it may ask a disk.
            if (looked == null || looked.ended()) {
                beginToBringBack();
            }
        } catch (RuntimeException | Error e) {
            // Memory for a thread among it: the next look finds it ended as well.
            LOG.warn("{} could not be looked after; it is tried again in {} ms", name, lookMillis, e);
        }
    }

    private synchronized void beginToBringBack() {
        if (!closed && !isKept()) {
            LOG.error("{} has ended; it is started again when its disk can be written", name);
            trouble = name + " has ended";
            begin(this::bringBack);
        }
    }

    /** Under the lock. Whether a thread brings the part back, or closes it: one that has died does neither. */
    private boolean isKept() {
        return thread != null && thread.isAlive();
    }

    private synchronized Thread begin(Runnable work) {
        Thread made = new Thread(work, name + "-keeper");
        made.setDaemon(true);
        made.start();
        thread = made;
        return made;
    }

    private void bringBack() {
        down = true;
        stop();
        try {
            do {
                bringBackOnce();
            } while (down && !closing.await(pauseMillis, TimeUnit.MILLISECONDS));
        } catch (InterruptedException e) {
            LOG.debug("{} is kept no longer", name, e);
        }
        synchronized (this) {
            if (!closed) {
                thread = null;
                return;
            }
        }
        if (!down) {
            // Here, and not by the caller of close: a start that outlasts its patience is closed too.
            stop();
        }
    }

    /**
     * Whatever a start fails with, memory for a thread among it, the keeper goes on. Where even that cannot be told,
     * and it dies, the next look begins another.
     */
    private void bringBackOnce() {
        try {
            String why = unwritable.get();
            if (!why.isEmpty()) {
                trouble = name + " has ended, and is started again when its disk can be written: " + why;
                return;
            }
            part = part.again();
            down = false;
            pauseMillis = firstPauseMillis();
            trouble = "";
            LOG.info("{} is back", name);
        } catch (IOException | RuntimeException | Error e) {
            pauseMillis = Math.min(2 * pauseMillis, LONGEST_PAUSE_MILLIS);
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
        @Nullable Thread ending;
        synchronized (this) {
            closed = true;
            ending = isKept() ? thread : null;
        }
        looking.cancel(false);
        closing.countDown();
        if (ending == null) {
            try {
                ending = begin(this::stop);
            } catch (Error e) {
                LOG.warn("{} has no thread to stop on", name, e);
                stop();
                return;
            }
        }
        if (!Uninterrupted.join(ending, CLOSE_MILLIS)) {
            ending.interrupt();
            if (!Uninterrupted.join(ending, CLOSE_MOST_MILLIS)) {
                LOG.warn("{} did not stop, and is left behind", name);
            }
        }
    }
}
