package io.waterwheel.query.plan;

import java.util.Comparator;
import java.util.TreeSet;

/**
 * Turns of those that make a large shape ready. Each takes a processor for up to a second, and plans are made before
 * queries have their turns: so only few do at a time. Of those that wait, the smallest shape is next, for it is ready
 * soonest. Thread-safe.
 */
final class ShapeTurns {
    /** How often one who waits looks whether it may go on. */
    private static final long LOOK_MILLIS = 20;

    private record Waiting(int size, long number) {}

    private final int most;

    // Guarded by this.
    private final TreeSet<Waiting> waiting =
            new TreeSet<>(Comparator.comparingInt(Waiting::size).thenComparingLong(Waiting::number));
    private int taken;
    private long came;

    /** @param most turns at a time, at least 1 */
    ShapeTurns(int most) {
        this.most = most;
    }

    /**
     * Waits for a turn, to be given back.
     *
     * @param size of the shape; only compared with others
     * @throws io.waterwheel.error.WaterwheelException SERVER_BUSY when the query's time is over before its turn, others
     *     when it may not go on
     */
    void take(int size, Planning planning) {
        Waiting own = come(size);
        boolean begun = begin(own, 0);
        try {
            while (!begun) {
                planning.checkTurn();
                begun = begin(own, LOOK_MILLIS);
            }
        } finally {
            if (!begun) {
                leave(own);
            }
        }
    }

    private synchronized Waiting come(int size) {
        Waiting own = new Waiting(size, came++);
        waiting.add(own);
        return own;
    }

    /** Whether it is its turn, now or within these milliseconds. */
    private synchronized boolean begin(Waiting own, long millis) {
        boolean waited = millis == 0;
        while (!waited && !isNext(own)) {
            waited = true;
            try {
                wait(millis);
            } catch (InterruptedException e) {
                // Its own check says so.
                Thread.currentThread().interrupt();
            }
        }
        if (!isNext(own)) {
            return false;
        }
        waiting.remove(own);
        taken++;
        notifyAll();
        return true;
    }

    private boolean isNext(Waiting own) {
        return taken < most && waiting.first().equals(own);
    }

    private synchronized void leave(Waiting own) {
        waiting.remove(own);
        notifyAll();
    }

    synchronized void giveBack() {
        taken--;
        notifyAll();
    }
}
