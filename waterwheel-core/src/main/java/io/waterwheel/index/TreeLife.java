package io.waterwheel.index;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Who holds the memory of a tree, and when it goes back: once its owner has ended it and no reader has a lease, or,
 * where the owner revokes the leases, once no reader looks at it. What each call promises says the method of its name
 * in {@link TemplateTree}. Thread-safe, without locks.
 */
final class TreeLife {
    /** In {@link #inside} once the memory is gone. */
    private static final int CLOSED = Integer.MIN_VALUE;

    private final Runnable recycle;

    /** The owner, until it discards, and the readers. */
    private final AtomicInteger holders = new AtomicInteger(1);

    private final AtomicBoolean discarded = new AtomicBoolean();

    /** Readers that look at the memory at this moment. */
    private final AtomicInteger inside = new AtomicInteger();

    private volatile boolean revoked;

    /** @param recycle gives the memory back; done once, by the thread that was the last to hold it */
    TreeLife(Runnable recycle) {
        this.recycle = recycle;
    }

    boolean tryRetain() {
        int now = holders.get();
        while (now > 0) {
            if (holders.compareAndSet(now, now + 1)) {
                return true;
            }
            now = holders.get();
        }
        return false;
    }

    void release() {
        int left = holders.decrementAndGet();
        if (left < 0) {
            throw new IllegalStateException("a tree was released more often than retained");
        }
        if (left == 0) {
            // No lease is left, so no thread is inside; it may be reclaimed already.
            reclaim();
        }
    }

    void discard() {
        if (discarded.compareAndSet(false, true)) {
            release();
        }
    }

    boolean isDiscarded() {
        return discarded.get();
    }

    void revoke() {
        discard();
        revoked = true;
        reclaim();
    }

    boolean isReclaimed() {
        return inside.get() == CLOSED;
    }

    boolean enter() {
        int now = inside.get();
        // Revoked is asked too: readers who come and go in turn would keep it for ever.
        while (now >= 0 && !revoked) {
            if (inside.compareAndSet(now, now + 1)) {
                return true;
            }
            now = inside.get();
        }
        return false;
    }

    void exit() {
        if (inside.decrementAndGet() == 0 && revoked) {
            reclaim();
        }
    }

    private void reclaim() {
        if (inside.compareAndSet(0, CLOSED)) {
            recycle.run();
        }
    }
}
