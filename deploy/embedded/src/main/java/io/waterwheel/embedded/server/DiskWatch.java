package io.waterwheel.embedded.server;

import io.waterwheel.store.DiskSpace;
import java.io.IOException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks whether the disk of the data folder has room, so that writing ends while what must write a little to go on,
 * ZooKeeper and Kafka's own files, still can: every two seconds, and several times a second when so little room is left
 * that it could be full by then. Thread-safe.
 */
public final class DiskWatch implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(DiskWatch.class);
    private static final long LOOK_MILLIS = 200;
    /** Between two looks at most: a disk may also become read-only. */
    private static final long MOST_MILLIS = 2_000;

    /** No disk takes more. */
    private static final long MOST_BYTES_A_MILLI = 8_000_000;

    private static final long CLOSE_SECONDS = 5;
    /** Divides the reserve: this part of it must be free beyond it before writing goes on. */
    private static final int SLACK_SHARE = 8;

    private static final long LONG_AGO_NANOS = TimeUnit.DAYS.toNanos(365);

    private final DiskSpace space;
    /** Held by a look; once closed there is none. */
    private final Semaphore looking = new Semaphore(1);

    private @Nullable ScheduledFuture<?> looks;
    /** Those in between, at a disk that could be full by the next; null while it is roomy. Guarded by this. */
    private @Nullable ScheduledFuture<?> closeLooks;

    /** Guarded by this. */
    private boolean closed;

    private volatile String trouble = "";
    /** By {@link System#nanoTime}, when a look in between is due. */
    private volatile long nextNanos = System.nanoTime();
    /** By {@link System#nanoTime}, when it could not be written at all. */
    private volatile long fullNanos = System.nanoTime() - LONG_AGO_NANOS;

    private DiskWatch(DiskSpace space) {
        this.space = space;
    }

    public static DiskWatch start(DiskSpace space) {
        DiskWatch watch = new DiskWatch(space);
        watch.look();
        watch.looks = Looks.every(MOST_MILLIS, watch::lookUnlessClosed);
        watch.lookUnlessClosed();
        return watch;
    }

    /** Why nothing should be written now, for people; empty when it may be. */
    public String trouble() {
        return trouble;
    }

    /**
     * Whether a look has found it read-only, or without any room, at this time or later: it may have room again.
     *
     * @param nanos by {@link System#nanoTime}
     */
    boolean wasFullSince(long nanos) {
        return fullNanos - nanos >= 0;
    }

    private void lookWhenDue() {
        if (System.nanoTime() - nextNanos >= 0) {
            lookUnlessClosed();
        }
    }

    private void lookUnlessClosed() {
        if (!looking.tryAcquire()) {
            return;
        }
        try {
            look();
            long pause = pauseMillis(space.roomBytes());
            nextNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(pause);
            lookClosely(pause < pauseMillis(Long.MAX_VALUE));
        } catch (RuntimeException | Error e) {
            // The watch goes on: without it what is refused would be refused for ever.
            LOG.error("the disk could not be looked at", e);
            lookClosely(true);
        } finally {
            looking.release();
        }
    }

    /**
     * Looks several times a second too, or no longer: a thread that wakes up so often is a good part of what an idle
     * server does.
     */
    private synchronized void lookClosely(boolean closely) {
        if (!closely || closed) {
            if (closeLooks != null) {
                closeLooks.cancel(false);
                closeLooks = null;
            }
        } else if (closeLooks == null) {
            closeLooks = Looks.every(LOOK_MILLIS, this::lookWhenDue);
        }
    }

    /** Whether looks come several times a second. */
    synchronized boolean looksClosely() {
        return closeLooks != null;
    }

    public void look() {
        if (space.isFull(LastWord.NO_ROOM_BYTES)) {
            fullNanos = System.nanoTime();
        }
        String before = trouble;
        String now = space.trouble(0);
        if (now.isEmpty() && !before.isEmpty() && !space.trouble(slack()).isEmpty()) {
            // Not on and off with every record.
            now = before;
        }
        if (before.isEmpty() && !now.isEmpty()) {
            LOG.error("{}: the broker refuses records, and no chunk is written; questions are answered", now);
        } else if (now.isEmpty() && !before.isEmpty()) {
            LOG.info("the disk has room again: writing goes on");
        }
        trouble = now;
    }

    /** The longest pause in which so much room cannot run out. */
    static long pauseMillis(long roomBytes) {
        return Math.max(LOOK_MILLIS, Math.min(MOST_MILLIS, roomBytes / MOST_BYTES_A_MILLI)) - LOOK_MILLIS / 2;
    }

    private long slack() {
        try {
            return space.keptBytes() / SLACK_SHARE;
        } catch (IOException e) {
            // The look itself will say so.
            return 0;
        }
    }

    @Override
    public void close() throws InterruptedException {
        if (looks != null) {
            looks.cancel(false);
        }
        synchronized (this) {
            closed = true;
        }
        lookClosely(false);
        if (!looking.tryAcquire(CLOSE_SECONDS, TimeUnit.SECONDS)) {
            LOG.warn("a look at the disk did not end in time");
        }
    }
}
