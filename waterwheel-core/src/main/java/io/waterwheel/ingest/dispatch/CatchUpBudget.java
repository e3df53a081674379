package io.waterwheel.ingest.dispatch;

import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * The memory in which all partitions of a dispatcher task read the log again for channels that lag, taken in turn: a
 * partition has a turn while it reads and holds what it read, the others wait in line. Owner: the dispatcher's thread.
 *
 * <p>Bytes are bounded by the budget, but for what each turn exceeds its share by: one block, or one record that is
 * larger than the share. Turns are bounded in time too, see {@link CatchUp}: so each partition that waits has its own
 * after those before it in line, however many there are, and whether or not these can send what they read.
 *
 * <p>Partitions whose log did not answer in time wait in a line of their own, and all of them together have half of the
 * turns: they may need long ones, and the others do not wait for them.
 */
public final class CatchUpBudget {
    /** Less read again at a time would be a question to Kafka for every few records. */
    private static final int LEAST_TURN_BYTES = 64 << 10;

    private static final int MOST_TURN_BYTES = 1 << 20;
    /** Turns at a time, of a budget that is large enough. */
    private static final int TURNS = 8;

    private static final long LEAST_BYTES = 1 << 20;
    /** Divides the bytes that the ring may hold: the budget is this part of them. */
    private static final int RING_SHARE = 4;

    /** A partition's turn, or its place in line. */
    static final class Turn {
        private final Runnable onTurn;
        private long bytes;
        private boolean held;
        private boolean waiting;
        /** Whether its partition's log did not answer last time. */
        private boolean slow;
        /** Whether it was so when its turn came. */
        private boolean heldAsSlow;

        /** @param onTurn called when its turn has come; it reads, or gives the turn back */
        Turn(Runnable onTurn) {
            this.onTurn = onTurn;
        }

        boolean isHeld() {
            return held;
        }

        boolean isWaiting() {
            return waiting;
        }

        boolean isSlow() {
            return slow;
        }
    }

    private final long bytes;
    private final int turnBytes;
    private final ArrayDeque<Turn> quickLine = new ArrayDeque<>();
    private final ArrayDeque<Turn> slowLine = new ArrayDeque<>();
    private long used;
    private long slowUsed;
    /** Which line is served next, where both may be. */
    private boolean slowNext;

    private boolean handing;

    /**
     * @param bytes of all turns
     * @param turnBytes of one; at least one is always given
     */
    public CatchUpBudget(long bytes, int turnBytes) {
        if (bytes <= 0 || turnBytes <= 0) {
            throw new IllegalArgumentException(
                    "a budget of " + bytes + " bytes, " + turnBytes + " a turn: expected more than 0");
        }
        this.bytes = bytes;
        this.turnBytes = turnBytes;
    }

    /** The budget of a task whose rings may hold {@code ringBytes}: a quarter of them, 1 MiB at least. */
    public static CatchUpBudget ofRing(long ringBytes) {
        long bytes = bytesOfRing(ringBytes);
        return new CatchUpBudget(bytes, (int) Math.max(LEAST_TURN_BYTES, Math.min(MOST_TURN_BYTES, bytes / TURNS)));
    }

    /** Bytes of {@link #ofRing}. */
    public static long bytesOfRing(long ringBytes) {
        return Math.max(LEAST_BYTES, ringBytes / RING_SHARE);
    }

    /** Bytes that one turn is meant to take. */
    public int turnBytes() {
        return turnBytes;
    }

    /** Bytes that are taken: a turn's share, or what it holds when that is more. */
    public long used() {
        return used;
    }

    /** Whether some partition waits for its turn. */
    boolean isAwaited() {
        return !quickLine.isEmpty() || !slowLine.isEmpty();
    }

    /** Whether partitions whose log answers wait behind others that have more than their share. */
    boolean isSlowInTheWay() {
        return !quickLine.isEmpty() && slowUsed > bytes / 2;
    }

    /** Says whether a partition's log answers in time; only while it does not wait. */
    void slow(Turn turn, boolean now) {
        turn.slow = now;
    }

    private ArrayDeque<Turn> lineOf(Turn turn) {
        return turn.slow ? slowLine : quickLine;
    }

    private boolean hasRoom() {
        return used == 0 || used + turnBytes <= bytes;
    }

    /** Takes a turn, or a place in line if there is no room or others wait: then its {@code onTurn} will be called. */
    boolean take(Turn turn) {
        if (turn.held) {
            return true;
        }
        if (!turn.waiting) {
            lineOf(turn).add(turn);
            turn.waiting = true;
        }
        if (next() != turn) {
            return false;
        }
        begin(turn);
        return true;
    }

    /** Whose turn it is; null when there is no room, or no partition waits that may have it. */
    private @Nullable Turn next() {
        if (!hasRoom()) {
            return null;
        }
        boolean slowMay = slowUsed == 0 || slowUsed + turnBytes <= bytes / 2;
        Turn slow = slowMay ? slowLine.peek() : null;
        Turn quick = quickLine.peek();
        return slow != null && (slowNext || quick == null) ? slow : quick;
    }

    private void begin(Turn turn) {
        lineOf(turn).remove();
        turn.waiting = false;
        turn.held = true;
        turn.heldAsSlow = turn.slow;
        slowNext = !turn.slow;
        use(turn, turnBytes);
    }

    private void use(Turn turn, long now) {
        long more = now - turn.bytes;
        turn.bytes = now;
        used += more;
        slowUsed += turn.heldAsSlow ? more : 0;
    }

    /** Says how much a turn holds. */
    void charge(Turn turn, long held) {
        if (turn.held) {
            use(turn, Math.max(turnBytes, held));
        }
    }

    /** Ends a turn; the next in line has it. */
    void give(Turn turn) {
        if (turn.held) {
            turn.held = false;
            use(turn, 0);
        }
        handOn();
    }

    /** Ends a turn, or leaves the line. */
    void leave(Turn turn) {
        if (turn.waiting) {
            turn.waiting = false;
            lineOf(turn).remove(turn);
        }
        give(turn);
    }

    private void handOn() {
        // A partition that has no use for its turn gives it back at once, which is seen by the loop that is under way.
        if (!handing) {
            handing = true;
            try {
                for (Turn turn = next(); turn != null; turn = next()) {
                    begin(turn);
                    turn.onTurn.run();
                }
            } finally {
                handing = false;
            }
        }
    }
}
