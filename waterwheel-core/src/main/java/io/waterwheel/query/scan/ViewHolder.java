package io.waterwheel.query.scan;

import io.waterwheel.index.FreshView;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Where an indexer leaves its present view and readers find it, or wait for a later one.
 *
 * <p>Owner: the indexer's thread ({@link #publish}, never waits long: the lock is only taken when somebody waits, and
 * waiters hold it for a check). Readers: any. Published by: volatile write of the view.
 */
public final class ViewHolder {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private volatile @Nullable FreshView view;
    /** Guarded by the lock for writing; read without it: a waiter that comes later sees the newer view itself. */
    private final AtomicInteger waiters = new AtomicInteger();

    private final AtomicInteger askedEpoch = new AtomicInteger();

    /** Notes that somebody has asked for this epoch, which is in the catalog. */
    void asked(int epoch) {
        askedEpoch.accumulateAndGet(epoch, Math::max);
    }

    /**
     * The highest epoch that anybody has asked for and not got: if it is above the indexer's own, there was a
     * successor, alive or not.
     */
    public int askedEpoch() {
        return askedEpoch.get();
    }

    public void publish(FreshView newer) {
        view = newer;
        if (waiters.get() > 0) {
            lock.lock();
            try {
                changed.signalAll();
            } finally {
                lock.unlock();
            }
        }
    }

    /** The present view, or null before the first. */
    public @Nullable FreshView current() {
        return view;
    }

    /**
     * Waits for a view that the test accepts.
     *
     * @param deadlineNanos by {@link System#nanoTime}
     * @return such a view, or null when there was none in time
     */
    @Nullable
    FreshView await(Predicate<FreshView> test, long deadlineNanos) throws InterruptedException {
        FreshView now = view;
        if (now != null && test.test(now)) {
            return now;
        }
        lock.lock();
        try {
            waiters.incrementAndGet();
            while (true) {
                now = view;
                if (now != null && test.test(now)) {
                    return now;
                }
                long left = deadlineNanos - System.nanoTime();
                if (left <= 0 || !changed.await(left, TimeUnit.NANOSECONDS)) {
                    now = view;
                    return now != null && test.test(now) ? now : null;
                }
            }
        } finally {
            waiters.decrementAndGet();
            lock.unlock();
        }
    }
}
