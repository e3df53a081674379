package io.waterwheel.query.exec;

import io.waterwheel.model.KeyInterval;
import io.waterwheel.model.TupleBlock;
import io.waterwheel.query.Scanned;
import io.waterwheel.query.Statistics;
import java.util.ArrayList;
import java.util.List;

/**
 * One answer on its way out: what the parts make together, what is missing, and when it is enough. Thread-safe: the
 * parts come from several threads, and one at a time is merged.
 */
final class Delivery {
    /** Where a chunk was read from. */
    enum Nearness {
        /** From the cache, or from a store that is equally near to all. */
        NONE,
        /** By a server beside a replica. */
        NEAR,
        /** By a server on a host without one. */
        FAR
    }

    private final AnswerSink sink;
    private final PartsMerge merge;
    private final long deadlineNanos;
    private final QueryClock clock;
    private final List<String> missing = new ArrayList<>();
    private volatile boolean enough;

    // Guarded by this.
    private int chunksRead;
    private int nearReads;
    private int farReads;
    private Scanned inChunks = Scanned.NOTHING;
    private Scanned fresh = Scanned.NOTHING;

    /** @param deadlineNanos by the clock */
    Delivery(AnswerSink sink, PartsMerge merge, long deadlineNanos, QueryClock clock) {
        this.clock = clock;
        this.sink = sink;
        this.merge = merge;
        this.deadlineNanos = deadlineNanos;
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

    /** Takes the number of rows that matched in a part. */
    synchronized void found(long rows) {
        merge.found(rows);
    }

    /** Takes what was looked at in a chunk that is part of the answer. */
    synchronized void readChunk(Scanned what, Nearness nearness) {
        chunksRead++;
        nearReads += nearness == Nearness.NEAR ? 1 : 0;
        farReads += nearness == Nearness.FAR ? 1 : 0;
        inChunks = inChunks.plus(what);
    }

    /** Takes what was looked at in a tree. */
    synchronized void scannedFresh(Scanned what) {
        fresh = fresh.plus(what);
    }

    /** What has been looked at for the answer. */
    synchronized Statistics statistics(QueryPlan plan) {
        return new Statistics(
                plan.snapshot().chunkCount(), plan.chunks().size(), chunksRead, nearReads, farReads, inChunks, fresh);
    }

    /** Merges a block of a part into the answer; false once nothing more is wanted. */
    synchronized boolean accept(TupleBlock part) {
        if (enough || sink.cancelled()) {
            return false;
        }
        boolean more = merge.accept(part, rows -> {
            sink.rows(rows);
            return true;
        });
        if (!more) {
            // Never back to false: somebody may have given up meanwhile.
            enough = true;
        }
        return !enough;
    }

    /** Merges blocks and forgets them; false once nothing more is wanted. */
    boolean acceptAll(List<TupleBlock> parts) {
        for (TupleBlock part : parts) {
            if (!accept(part)) {
                return false;
            }
        }
        parts.clear();
        return true;
    }

    /** Hands out what is left; returns the number of tuples in the answer. */
    synchronized long finish() {
        return merge.finish(rows -> {
            sink.rows(rows);
            return !sink.cancelled();
        });
    }

    /** No tuple before this time can change the answer, given that only these keys match. */
    synchronized long settledBefore(List<KeyInterval> keys) {
        return merge.settledBefore(keys);
    }

    /** Ends the reading of parts: the answer fails. */
    void giveUp() {
        enough = true;
    }

    /** The same, and waits for who is just handing out rows: nobody touches the sink afterwards. */
    synchronized void end() {
        enough = true;
    }

    /** Whether the answer has all it needs, or nobody takes it any more: what is missing then is not missed. */
    boolean nobodyWaits() {
        return enough || sink.cancelled();
    }

    /** Whether to stop reading: nobody waits, or time is up. Takes no lock: another reader may wait for the client. */
    boolean done() {
        return enough || sink.cancelled() || clock.nanos() - deadlineNanos >= 0;
    }
}
