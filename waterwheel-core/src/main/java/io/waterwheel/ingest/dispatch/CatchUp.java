package io.waterwheel.ingest.dispatch;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The decoded segments that one partition has read again from the log, for channels that lag behind its ring (protocol
 * rule 6). Segments are held until those channels have passed them, in turns of the task's {@link CatchUpBudget}. A
 * dropped segment is read again when a cursor reaches it. Owner: the dispatcher's thread.
 */
final class CatchUp {
    /**
     * How long what was read is held while other partitions wait for a turn: long enough to send it to indexers that
     * have credit. A channel without credit must not keep other streams from reading.
     */
    static final long PATIENCE_NANOS = 200_000_000;

    /**
     * How long the log may take to answer while other partitions wait for a turn. The read is taken back then, and the
     * partition tries again when it has its turn among those whose logs are slow: with twice the patience each time, as
     * a log may be slow and yet not away.
     */
    static final long READ_PATIENCE_NANOS = 500_000_000;

    static final long MOST_READ_PATIENCE_NANOS = 30_000_000_000L;

    /** Of a turn, the least that is read, where records become much larger when they are decoded. */
    private static final int LEAST_SHARE = 16;

    private static final long NEVER = Long.MIN_VALUE;

    private final CatchUpBudget budget;
    private final DeadLetterQueue letters;
    private final Runnable takeBack;
    private final CatchUpBudget.Turn turn;
    private final List<Segment> segments = new ArrayList<>();
    private long bytes;
    private int readBytes;
    /** Whether the turn was used to read. */
    private boolean used;

    private boolean reading;
    /** When the read under way was first seen to be so. */
    private long readingSinceNanos = NEVER;

    private long readPatienceNanos = READ_PATIENCE_NANOS;
    /** Whether what is under way was taken back. */
    private boolean takenBack;

    private long cameNanos;
    private boolean failed;
    private long retryNanos;
    private boolean closed;

    /**
     * Begins with nothing.
     *
     * @param onTurn reads what is wanted now; called when a turn was waited for and has come
     * @param takeBack lets what is under way be answered at once
     */
    CatchUp(CatchUpBudget budget, DeadLetterQueue letters, Runnable onTurn, Runnable takeBack) {
        this.budget = budget;
        this.letters = letters;
        this.takeBack = takeBack;
        this.readBytes = budget.turnBytes();
        this.turn = new CatchUpBudget.Turn(() -> {
            onTurn.run();
            rest();
        });
    }

    /** Bytes of what is held, see {@link Segment#bytes}. */
    long bytes() {
        return bytes;
    }

    /** Whether it has a turn. */
    boolean hasTurn() {
        return turn.isHeld();
    }

    /** Whether it waits for one, and only for those before it: not among those whose log is slow. */
    boolean waitsAmongQuick() {
        return turn.isWaiting() && !turn.isSlow();
    }

    /** The segment that covers an offset, or null. */
    @Nullable
    Segment find(long offset) {
        return SegmentRing.search(segments, offset);
    }

    /** Whether more may be read: nothing is under way, has just failed, or waits for its dead letters. */
    boolean mayRead() {
        if (reading || failed || closed) {
            return false;
        }
        for (int i = 0; i < segments.size(); i++) {
            if (!segments.get(i).unstored().isEmpty()) {
                // Read again before its dead letters are stored, it would only wait for the same.
                return false;
            }
        }
        return true;
    }

    /**
     * Begins to read, if it is this partition's turn.
     *
     * @return bytes to read; 0 when others come first
     */
    int begin() {
        if (used && budget.isAwaited()) {
            end();
        }
        if (!budget.take(turn)) {
            return 0;
        }
        used = true;
        reading = true;
        readingSinceNanos = NEVER;
        return readBytes;
    }

    /** What is under way has come: what was held before goes. */
    void came(long now) {
        reading = false;
        takenBack = false;
        long took = readingSinceNanos == NEVER ? 0 : now - readingSinceNanos;
        boolean late = took >= READ_PATIENCE_NANOS;
        // One that is late again and again comes with this patience, without being taken back first each time.
        readPatienceNanos =
                late ? Math.min(Math.max(readPatienceNanos, 2 * took), MOST_READ_PATIENCE_NANOS) : READ_PATIENCE_NANOS;
        budget.slow(turn, late);
        cameNanos = now;
        drop();
    }

    /** Whether there is room for more of what has come; if not, the rest is read again later, less at a time. */
    boolean hasRoom() {
        return bytes < budget.turnBytes();
    }

    /** Takes what follows. */
    void add(Segment segment, long now) {
        segments.add(segment);
        bytes += segment.bytes;
        budget.charge(turn, bytes);
        letters.add(segment, now);
    }

    /** All that came is taken, or as much as there was room for. */
    void taken(boolean whole) {
        int most = budget.turnBytes();
        readBytes = whole ? (int) Math.min(most, 2L * readBytes) : Math.max(most / LEAST_SHARE, readBytes / 2);
    }

    boolean isEmpty() {
        return segments.isEmpty();
    }

    /** Nothing came that is of use: it is tried again after a time. */
    void failed(long retryAtNanos) {
        reading = false;
        failed = true;
        retryNanos = retryAtNanos;
        if (takenBack) {
            takenBack = false;
            readPatienceNanos = Math.min(2 * readPatienceNanos, MOST_READ_PATIENCE_NANOS);
            budget.slow(turn, true);
        }
        if (segments.isEmpty()) {
            end();
        }
    }

    /** It may be tried again at once. */
    void retry() {
        failed = false;
    }

    /** Time passes. */
    void onTick(long now) {
        if (failed && now - retryNanos >= 0) {
            failed = false;
        }
    }

    /** Drops what every channel that lags is past. */
    void pass(long least) {
        int passed = 0;
        while (passed < segments.size()
                && segments.get(passed).to <= least
                && segments.get(passed).unstored().isEmpty()) {
            drop(segments.get(passed++));
        }
        segments.subList(0, passed).clear();
    }

    /** Lets others have their turn, when this one has lasted. */
    void letOthers(long now) {
        if (reading) {
            takeBackWhenLate(now);
        } else if (budget.isAwaited() && now - cameNanos >= PATIENCE_NANOS && turn.isHeld()) {
            end();
        }
    }

    /** The turn is kept until the read is answered, so that what comes all the same has its room. */
    private void takeBackWhenLate(long now) {
        if (readingSinceNanos == NEVER) {
            readingSinceNanos = now;
        }
        long patience = budget.isSlowInTheWay() ? READ_PATIENCE_NANOS : readPatienceNanos;
        if (!takenBack && budget.isAwaited() && now - readingSinceNanos >= patience) {
            takenBack = true;
            takeBack.run();
        }
    }

    /** Nothing is to be read now. */
    void rest() {
        if (!reading && segments.isEmpty() && turn.isHeld()) {
            end();
        }
    }

    private void end() {
        drop();
        used = false;
        budget.give(turn);
    }

    /** Lets go of everything that is held. */
    void drop() {
        segments.forEach(this::drop);
        segments.clear();
    }

    /** For ever: it takes no turn again. */
    void close() {
        closed = true;
        drop();
        budget.leave(turn);
    }

    private void drop(Segment segment) {
        bytes -= segment.bytes;
        letters.remove(segment);
        segment.release();
    }
}
