package io.waterwheel.query.run;

import io.waterwheel.query.ScanStatistics;
import io.waterwheel.query.memory.Reservation;
import io.waterwheel.query.rows.RowSink;
import io.waterwheel.tuple.TupleBlock;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.LongPredicate;

/** What one attempt at a piece of a chunk has read so far, which counts once it is read whole. One thread. */
final class ChunkAttempt implements RowSink {
    private final BooleanSupplier ended;
    private final LongPredicate mayLookAt;
    private final Reservation held;
    private final Reservation memory;
    private final List<TupleBlock> rows = new ArrayList<>();
    private boolean cut;
    private ScanStatistics scanned = ScanStatistics.NOTHING;
    private int nextLeaf = ChunkReads.THROUGH;

    /**
     * Nothing yet.
     *
     * @param ended whether the answer waits for it no longer
     * @param held what the rows take is reserved from it
     * @param memory the query's, for the scan
     */
    ChunkAttempt(BooleanSupplier ended, Reservation held, Reservation memory) {
        this(ended, tuples -> true, held, memory);
    }

    /**
     * The same.
     *
     * @param mayLookAt told of the tuples of a leaf, whether a scan of the cache alone may look at them too
     */
    ChunkAttempt(BooleanSupplier ended, LongPredicate mayLookAt, Reservation held, Reservation memory) {
        this.ended = ended;
        this.mayLookAt = mayLookAt;
        this.held = held;
        this.memory = memory;
    }

    @Override
    public boolean accept(TupleBlock block) {
        held.reserve(block.allocatedBytes());
        rows.add(block);
        return wanted();
    }

    @Override
    public boolean wanted() {
        cut |= ended.getAsBoolean();
        return !cut;
    }

    @Override
    public boolean mayLookAt(long tuples) {
        return mayLookAt.test(tuples);
    }

    @Override
    public Reservation memory() {
        return memory;
    }

    @Override
    public void scanned(ScanStatistics what) {
        scanned = what;
    }

    @Override
    public void pausedAt(int leaf) {
        nextLeaf = leaf;
    }

    /** The rows, which are the caller's from then on. */
    List<TupleBlock> rows() {
        return rows;
    }

    /** Whether the scan was told that no more is wanted: what it gave is not the whole. */
    boolean isCut() {
        return cut;
    }

    ScanStatistics scanned() {
        return scanned;
    }

    /** Where the next piece of the chunk begins, or {@link ChunkReads#THROUGH}. */
    int nextLeaf() {
        return nextLeaf;
    }
}
