package io.waterwheel.query.run;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Parts of one answer that wait to be merged, and the turn to merge them. Any thread hands a part over; if no other
 * merges, it merges itself, so that a small answer changes no thread. Else it goes on, and the one that merges takes
 * its part too.
 *
 * <p>The owner, the thread that runs the query, merges what is left whenever it has nothing else to do. Only the owner
 * merges while the client takes nothing; readers leave that to it. When the queue is full, a thread that has a part
 * waits for room, without a lock, until the answer ends. Thread-safe.
 */
final class MergeQueue {
    /** What a reader merges of others' parts before it leaves them to an owner that waits. */
    private static final long READER_BYTES = 1 << 20;

    /** How often a thread that waits looks whether the answer has ended, which nothing may tell. */
    private static final long LOOK_MILLIS = 20;

    /** Merges. Called by one thread at a time. */
    interface Step {
        /** Merges a block of a part. Once there is enough of an answer, the answer has ended. */
        void merge(Part part);

        /** Whether the client takes some at once: {@link #merge} hardly waits for it then. */
        boolean ready();

        /** Nothing has come to be merged for a moment. */
        void idle();

        /** Whether merging has ended. Never false again. */
        boolean ended();

        /** A merge failed, or a thread that waited was interrupted: the answer ends. */
        void failed();
    }

    private final Thread owner = Thread.currentThread();
    private final LongSupplier most;
    private final Step step;

    // Guarded by this; the first one is being merged.
    private final Queue<Part> parts = new ArrayDeque<>();
    private long bytes;
    private boolean merging;
    private boolean ownerWaits;
    private @Nullable Throwable failure;

    /**
     * A queue whose owner is this thread.
     *
     * @param most bytes of parts that wait or are being merged, at present; one alone may have more
     */
    MergeQueue(LongSupplier most, Step step) {
        this.most = most;
        this.step = step;
    }

    /**
     * Hands over a part, which is closed once it is merged, or not wanted. What fails in merging it, or another, fails
     * the answer, not the one who hands over.
     */
    void put(Part part) {
        boolean own = Thread.currentThread() == owner;
        while (!part.isEmpty() && !step.ended()) {
            boolean mayMerge = own || step.ready();
            boolean turn;
            synchronized (this) {
                if (step.ended()) {
                    // Looked at again: after the end no thread comes to close what is queued.
                    break;
                }
                turn = mayMerge && !merging;
                if (!turn && bytes > 0 && part.bytes() > most.getAsLong() - bytes) {
                    if (!awaitRoom()) {
                        break;
                    }
                    continue;
                }
                parts.add(part);
                bytes += part.bytes();
                merging |= turn;
                if (!merging) {
                    notifyAll();
                }
            }
            if (turn) {
                merge(own, Long.MAX_VALUE);
            }
            return;
        }
        part.close();
    }

    /** Waits a moment; false when it was interrupted, which fails the answer. Called under the lock. */
    @SuppressWarnings("WaitNotInLoop") // the loop is the caller's
    private boolean awaitRoom() {
        try {
            wait(LOOK_MILLIS);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            fail(new WaterwheelException(
                    ErrorCode.ANSWER_CUT_OFF, "the server ends what it was doing for this answer; ask again", e));
            return false;
        }
    }

    /**
     * Merges what is queued, and gives up the turn, which this thread has: a reader as long as that keeps no other
     * waiting, the owner until about a moment by {@link System#nanoTime}.
     */
    private void merge(boolean own, long untilNanos) {
        long merged = 0;
        while (true) {
            boolean mayMerge = own || step.ready();
            boolean late = untilNanos != Long.MAX_VALUE && merged > 0 && System.nanoTime() - untilNanos >= 0;
            Part part;
            synchronized (this) {
                if (step.ended()) {
                    clear();
                }
                part = parts.peek();
                if (part == null || late || !mayMerge || (!own && ownerWaits && merged >= READER_BYTES)) {
                    merging = false;
                    notifyAll();
                    return;
                }
            }
            try {
                step.merge(part);
            } catch (RuntimeException | Error e) {
                synchronized (this) {
                    merging = false;
                    fail(e);
                }
                return;
            }
            if (part.isMerged()) {
                merged += Math.max(1, part.bytes());
                part.close();
                synchronized (this) {
                    parts.remove();
                    bytes -= part.bytes();
                    notifyAll();
                }
            }
        }
    }

    /** The first failure counts. Called under the lock. */
    private void fail(Throwable why) {
        if (failure == null) {
            failure = why;
        }
        step.failed();
        if (!merging) {
            clear();
        }
        notifyAll();
    }

    private void clear() {
        parts.forEach(Part::close);
        parts.clear();
        bytes = 0;
    }

    /**
     * The owner's: merges what others hand over and leave, until something is true, or about so long.
     *
     * @param until changes are told by {@link #wake}
     * @return whether it is true
     */
    boolean work(BooleanSupplier until, long nanos) throws InterruptedException {
        long end = System.nanoTime() + nanos;
        while (true) {
            boolean idle;
            synchronized (this) {
                while (merging || parts.isEmpty()) {
                    if (until.getAsBoolean()) {
                        return true;
                    }
                    long left = end - System.nanoTime();
                    if (left <= 0) {
                        break;
                    }
                    ownerWaits = true;
                    try {
                        TimeUnit.NANOSECONDS.timedWait(this, left);
                    } finally {
                        ownerWaits = false;
                    }
                }
                if (merging) {
                    return false;
                }
                merging = true;
                idle = parts.isEmpty();
            }
            if (idle) {
                doNothing(end);
                return until.getAsBoolean();
            }
            merge(true, end);
            if (System.nanoTime() - end >= 0) {
                return until.getAsBoolean();
            }
        }
    }

    /** Takes the turn to merge, which this thread has, to tell that nothing is to be merged. */
    private void doNothing(long untilNanos) {
        try {
            if (!step.ended()) {
                step.idle();
            }
        } catch (RuntimeException | Error e) {
            synchronized (this) {
                merging = false;
                fail(e);
            }
            return;
        }
        merge(true, untilNanos);
    }

    /** What the owner waits for may be true now. */
    synchronized void wake() {
        notifyAll();
    }

    /** What failed first, or null. */
    synchronized @Nullable Throwable failure() {
        return failure;
    }

    /** Whether nothing waits to be merged, and nothing is being merged. */
    synchronized boolean isIdle() {
        return parts.isEmpty() && !merging;
    }

    /**
     * The owner's: merges all that is left, and waits for the thread that merges. Afterwards only the owner does, until
     * another part comes.
     *
     * @return why the answer fails, or null
     */
    @Nullable
    Throwable settle() {
        boolean interrupted = false;
        try {
            while (true) {
                synchronized (this) {
                    while (merging) {
                        try {
                            wait(LOOK_MILLIS);
                        } catch (InterruptedException e) {
                            // The thread that merges is about to end, or is interrupted as well.
                            interrupted = true;
                        }
                    }
                    if (parts.isEmpty()) {
                        return failure;
                    }
                    merging = true;
                }
                merge(true, Long.MAX_VALUE);
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
