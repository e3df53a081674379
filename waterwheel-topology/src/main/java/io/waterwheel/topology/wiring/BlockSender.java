package io.waterwheel.topology.wiring;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.ScanStatistics;
import io.waterwheel.query.memory.Reservation;
import io.waterwheel.query.rows.RowSink;
import io.waterwheel.query.scan.IndexerReply;
import io.waterwheel.topology.rpc.MessageSink;
import io.waterwheel.tuple.TupleBlock;
import org.jspecify.annotations.Nullable;

/**
 * Sends the blocks of a subquery's answer to another worker, numbered, and the end mark when they are all. Ends the
 * scan when the caller is gone or the time is up; there is no end mark then. One thread.
 */
final class BlockSender implements RowSink {
    private static final long[] NOTHING = {};

    private final MessageSink sink;
    private final long deadlineNanos;
    private final Reservation memory;
    /** Whose rows these are; null for a chunk's. */
    private @Nullable IndexerReply reply;

    private int blocks;
    private boolean cut;
    private boolean interrupted;
    private ScanStatistics scanned = ScanStatistics.NOTHING;
    private int nextLeaf = PeerMessages.NO_LEAF;

    /**
     * A sender.
     *
     * @param deadlineNanos as {@link System#nanoTime} counts
     * @param memory of the subquery
     */
    BlockSender(MessageSink sink, long deadlineNanos, Reservation memory) {
        this.memory = memory;
        this.sink = sink;
        this.deadlineNanos = deadlineNanos;
    }

    /** What follows is of this reply. */
    void of(IndexerReply indexers) {
        reply = indexers;
    }

    @Override
    public boolean accept(TupleBlock rows) {
        try {
            // After the scan that found the rows: no earlier moment knows how far up they lie.
            long[] shown = reply == null ? NOTHING : reply.shown();
            long[] watermarks = reply == null ? NOTHING : reply.header().watermarks();
            sink.send(PeerMessages.block(blocks++, rows, shown, watermarks));
            return wanted();
        } catch (InterruptedException e) {
            interrupted = true;
            return false;
        }
    }

    @Override
    public boolean wanted() {
        cut |= sink.cancelled() || System.nanoTime() - deadlineNanos >= 0;
        return !cut && !interrupted;
    }

    @Override
    public Reservation memory() {
        return memory;
    }

    @Override
    public void scanned(ScanStatistics what) {
        scanned = scanned.plus(what);
    }

    @Override
    public void pausedAt(int leaf) {
        nextLeaf = leaf;
    }

    /**
     * Sends the end mark.
     *
     * @param found the number of matching tuples
     * @throws WaterwheelException of kind TEMPORARY when the scan was told to end before it was through
     */
    void end(long found) throws InterruptedException {
        if (interrupted) {
            throw new InterruptedException("the answer was given up");
        }
        if (cut) {
            throw new WaterwheelException(
                    ErrorCode.SUBQUERY_CUT,
                    "the subquery ended after " + blocks + " blocks, before it was through: "
                            + (sink.cancelled() ? "the caller is gone" : "it is out of time"));
        }
        sink.send(PeerMessages.end(blocks, found, scanned, nextLeaf));
    }
}
