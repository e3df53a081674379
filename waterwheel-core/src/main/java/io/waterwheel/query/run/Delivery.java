package io.waterwheel.query.run;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.PageToken;
import io.waterwheel.query.Subquery;
import io.waterwheel.query.column.ScanEndedException;
import io.waterwheel.query.column.Workspace;
import io.waterwheel.query.memory.Reservation;
import io.waterwheel.query.result.Gather;
import io.waterwheel.query.rows.PartialMerge;
import io.waterwheel.query.rows.RowCopy;
import io.waterwheel.query.scan.QueryClock;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.TupleBlock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One answer on its way out: what the parts make together, what is missing, and when it is enough. Made by the thread
 * that runs the query, which alone finishes it; parts come from several threads, and one at a time merges them
 * ({@link MergeQueue}). Thread-safe.
 */
final class Delivery implements AutoCloseable {
    /** A batch is filled while the one before is on its way. */
    private static final int BATCHES = 2;
    /** What has come of a partial answer is put in order in this time at least. */
    private static final long MOST_NANOS = TimeUnit.HOURS.toNanos(2);

    private static final long LEAST_TO_END_NANOS = TimeUnit.SECONDS.toNanos(10);
    /** Rows that are handed out are there as a block, and again as they are put into the batch. */
    private static final int COPIES = 2;
    /** Batches and pieces grow within this share of what is left to the query. */
    private static final int SHARE_OF_WHAT_IS_LEFT = 4;
    /** Parts that wait to be merged where merging keeps them; a reader that has more waits with it. */
    private static final long UNMERGED_BYTES = 8 << 20;

    private final AnswerSink sink;
    private final PartialMerge merge;
    /** Bytes to reserve before anything is read. */
    private final long room;
    /** Whether what is read may come in pieces, as the client takes it. */
    private final boolean inPieces;
    /** Bytes of the rows that were handed out; written by the one thread that merges. */
    private volatile long handedOut;
    /** What the sink may hold back; of the one thread that merges. */
    private int batchBytes = AnswerPace.LEAST_BATCH_BYTES;
    /** What is merged. */
    private final Reservation merging;
    /** What is on its way to the client. */
    private final Reservation answering;

    private final MergeQueue queue = new MergeQueue(this::unmergedBytes, new Merging());
    private final boolean partial;
    private final long deadlineNanos;
    /** When a partial answer must have been put together: it has as long again. */
    private final long partialEndNanos;

    private final QueryClock clock;
    private volatile boolean enough;
    /** Trees whose rows are held by a {@link FreshPart}. */
    private final AtomicInteger freshHeld = new AtomicInteger();

    private final AnswerTally tally;

    // Guarded by this.
    private final List<String> missing = new ArrayList<>();

    /**
     * An answer without rows yet, which this thread puts together.
     *
     * @param partial whether what has come by the deadline is wanted then
     * @param deadlineNanos by the clock
     * @param memory the query's; {@link #close} gives back what the answer took of it
     */
    Delivery(
            AnswerSink sink,
            Gather gather,
            boolean partial,
            long deadlineNanos,
            QueryClock clock,
            AnswerTally tally,
            Reservation memory) {
        this.clock = clock;
        this.tally = tally;
        this.sink = sink;
        this.partial = partial;
        this.deadlineNanos = deadlineNanos;
        long left = deadlineNanos - clock.nanos();
        this.partialEndNanos = left > MOST_NANOS ? deadlineNanos : deadlineNanos + Math.max(LEAST_TO_END_NANOS, left);
        this.merging = memory.part();
        this.answering = memory.part();
        // Blocks are somewhat larger at times.
        this.room = gather.isAggregate() ? 0 : underWay(batchBytes, 2 * RowCopy.BLOCK_BYTES);
        // What a partial answer has of a chunk is all of it.
        this.inPieces = gather.handsOutAtOnce() && !partial;
        this.merge = gather.merge(new Workspace(this::mayMerge, merging));
        sink.whileWaiting(new Unread());
    }

    /** What is on its way to the client at most, with batches and blocks of these sizes. */
    private static long underWay(int batchBytes, long blockBytes) {
        return AnswerPace.QUEUED_BYTES + (long) BATCHES * batchBytes + COPIES * blockBytes;
    }

    /** While the client takes nothing, what the query holds is bounded together with others'. */
    private final class Unread implements ClientWait {
        @Override
        public void begin(Runnable end) {
            answering.beginUnread(end);
        }

        @Override
        public void end() {
            WaterwheelException madeWay = answering.endUnread();
            if (madeWay != null) {
                throw madeWay;
            }
        }
    }

    /** How much of a chunk to read from this leaf on, before it is handed over. */
    Subquery.Piece pieceFrom(int leaf) {
        if (!inPieces) {
            return Subquery.Piece.WHOLE;
        }
        long most = Math.max(AnswerPace.pieceBytes(0), answering.left() / SHARE_OF_WHAT_IS_LEFT);
        return new Subquery.Piece(leaf, Math.min(most, AnswerPace.pieceBytes(handedOut)));
    }

    private long unmergedBytes() {
        return inPieces ? AnswerPace.unmergedBytes(handedOut) : UNMERGED_BYTES;
    }

    /** Whether to go on with a merge: as {@link #done}, but what has come by the deadline may be put in order then. */
    private boolean mayMerge() {
        return !nobodyWaits() && clock.nanos() - (partial ? partialEndNanos : deadlineNanos) < 0;
    }

    /** Why a merge that was not to go on fails the query; a query that was given up has told another reason before. */
    private WaterwheelException mergeEnded() {
        enough = true;
        boolean gone = sink.cancelled();
        return new WaterwheelException(
                gone ? ErrorCode.CLIENT_GONE : ErrorCode.INCOMPLETE,
                gone
                        ? "the receiver of the answer is gone"
                        : "the answer could not be put together in time; allow more time, or ask for less");
    }

    /**
     * Reserves what it takes to hand out rows, before others take the rest: readers that are refused memory are put off
     * until what was read is merged, and that must go on. Aggregates are handed out when all is read, and reserve what
     * they are then.
     */
    void reserveRoom() {
        if (room > 0) {
            answering.reserve(room);
        }
    }

    private void handOut(TupleBlock rows) {
        long before = handedOut;
        int wanted = AnswerPace.batchBytes(before);
        if (wanted > batchBytes) {
            long more = (long) BATCHES * (wanted - batchBytes);
            if (more <= answering.left() / SHARE_OF_WHAT_IS_LEFT && answering.tryReserve(more)) {
                batchBytes = wanted;
                sink.holdBack(wanted);
            }
        }
        // No more is under way than was handed out.
        long bytes =
                Math.min(underWay(batchBytes, rows.allocatedBytes()), before + (COPIES + 1) * rows.allocatedBytes());
        if (bytes > answering.held()) {
            answering.reserve(bytes - answering.held());
        }
        // What goes to the client: a block of few rows may have taken far more.
        handedOut = before + rows.bytes();
        long begin = tally.nanos();
        sink.rows(rows);
        tally.sent(tally.nanos() - begin);
    }

    /** What the thread does that has the turn to merge. */
    private final class Merging implements MergeQueue.Step {
        @Override
        public void merge(Part part) {
            boolean more;
            long begin = tally.nanos();
            try {
                more = part.mergeNext(merge, rows -> {
                    handOut(rows);
                    return true;
                });
            } catch (ScanEndedException e) {
                if (enough) {
                    return;
                }
                throw mergeEnded();
            } finally {
                tally.merged(tally.nanos() - begin);
            }
            if (!more) {
                // Never back to false: somebody may have given up meanwhile.
                enough = true;
            }
        }

        @Override
        public boolean ready() {
            return sink.ready();
        }

        @Override
        public void idle() {
            flush();
        }

        @Override
        public boolean ended() {
            return nobodyWaits();
        }

        @Override
        public void failed() {
            enough = true;
        }
    }

    /** Gives the memory back; the answer may not be used afterwards. */
    @Override
    public void close() {
        end();
        merging.close();
        answering.close();
    }

    long deadlineNanos() {
        return deadlineNanos;
    }

    /** Notes what the answer lacks, in a sentence. */
    synchronized void miss(String what) {
        missing.add(what);
    }

    synchronized List<String> missing() {
        return List.copyOf(missing);
    }

    /** What is looked at for the answer. */
    AnswerTally tally() {
        return tally;
    }

    /**
     * Takes a part, to be merged by this thread or another; what fails then is told by {@link #finish}. Returns at once
     * unless this thread merges, or too much waits to be merged.
     */
    void take(Part part) {
        queue.put(part);
    }

    /**
     * Merges what others hand over, until something is true, or about so long. For the thread that made it, which has
     * nothing else to do.
     *
     * @param until changes are told by {@link #wake}
     * @return whether it is true
     */
    boolean work(BooleanSupplier until, long nanos) throws InterruptedException {
        return queue.work(until, nanos);
    }

    /** What {@link #work} waits for may be true now. */
    void wake() {
        queue.wake();
    }

    /** Notes that rows of a tree are held, to be taken later, or are held no longer. */
    void freshHeld(boolean held) {
        freshHeld.addAndGet(held ? 1 : -1);
    }

    /** Whether nothing that was taken, or is held to be taken, is still to be merged. */
    boolean isMerged() {
        return queue.isIdle() && freshHeld.get() == 0;
    }

    /** Merges all that was taken. For the thread that made it. */
    void mergeAll() {
        // What failed is told at the end.
        Throwable unused = queue.settle();
    }

    /** Merges what is left; throws what failed on the way, on whatever thread. */
    private void settle() {
        throwThat(queue.settle());
    }

    /** Throws what failed in merging, if anything did; with it what a reader met after that. */
    void throwFailure(RuntimeException later) {
        Throwable first = queue.failure();
        if (first != null && first != later) {
            first.addSuppressed(later);
            throwThat(first);
        }
    }

    private static void throwThat(@Nullable Throwable failure) {
        if (failure instanceof RuntimeException known) {
            throw known;
        } else if (failure instanceof Error error) {
            throw QueryRunner.failed(error);
        }
    }

    /**
     * Hands out what is left; returns the number of tuples in the answer. Nothing of one that lacks something, unless a
     * partial one is wanted: groups would have wrong counts, and the client cannot tell before the verdict.
     *
     * @throws WaterwheelException also when what was taken could not be merged
     */
    long finish() {
        settle();
        List<String> lacks = missing();
        if (!partial && !lacks.isEmpty()) {
            throw incomplete(lacks);
        }
        long begin = tally.nanos();
        try {
            return merge.finish(rows -> {
                handOut(rows);
                return !sink.cancelled();
            });
        } catch (ScanEndedException e) {
            throw mergeEnded();
        } finally {
            tally.merged(tally.nanos() - begin);
        }
    }

    static WaterwheelException incomplete(List<String> missing) {
        return new WaterwheelException(
                ErrorCode.INCOMPLETE,
                "the answer lacks something: " + missing + "; ask again, or allow a partial answer");
    }

    /** Sends what the sink holds back, unless that would have to wait. For the thread that merges. */
    void flush() {
        long begin = tally.nanos();
        sink.flush();
        long took = tally.nanos() - begin;
        // As of rows that are handed out while a part is merged.
        tally.merged(took);
        tally.sent(took);
    }

    /** After {@link #finish}: where the page ended; null when there is nothing behind it. */
    @Nullable
    PageToken next() {
        return merge.next();
    }

    /** No tuple before this time can change the answer, given that only these keys match; fails as {@link #finish}. */
    long settledBefore(List<KeyInterval> keys) {
        settle();
        try {
            return merge.settledBefore(keys);
        } catch (ScanEndedException e) {
            throw mergeEnded();
        }
    }

    /** Whether {@link #settledBefore} can ever tell such a time. */
    boolean canSettle(List<KeyInterval> keys) {
        return merge.canSettle(keys);
    }

    /** Ends the reading of parts: the answer fails. */
    void giveUp() {
        enough = true;
    }

    /** The same, and waits for the thread that hands out rows: none touches the sink afterwards. */
    void end() {
        enough = true;
        mergeAll();
    }

    /** Whether the answer has all it needs, or the client is gone. Missing parts are then not reported. */
    boolean nobodyWaits() {
        return enough || sink.cancelled();
    }

    /** Whether to stop reading: the client is gone, or time is up. */
    boolean done() {
        return nobodyWaits() || clock.nanos() - deadlineNanos >= 0;
    }

    /** The same at a time by the clock, whose reading costs as much as a small step does. */
    boolean doneAt(long nowNanos) {
        return nobodyWaits() || nowNanos - deadlineNanos >= 0;
    }
}
