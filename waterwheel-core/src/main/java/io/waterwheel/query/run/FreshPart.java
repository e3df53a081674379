package io.waterwheel.query.run;

import io.waterwheel.query.ScanStatistics;
import io.waterwheel.query.memory.Reservation;
import io.waterwheel.query.rows.RowSink;
import io.waterwheel.tuple.TupleBlock;
import java.util.ArrayList;
import java.util.List;

/**
 * Takes the rows of one indexer for an answer. They are held until the last has come, so that the indexer's memory is
 * needed for no longer than it takes to read them, whatever the client does; more than {@link #MOST_BYTES} are handed
 * on in pieces. One thread.
 */
final class FreshPart implements RowSink, AutoCloseable {
    /** Of one indexer's tuples, what is held here so that the indexer need not. */
    private static final long MOST_BYTES = 32 << 20;

    private final int indexer;
    private final Delivery delivery;
    private final Reservation memory;
    private final Reservation holding;
    private List<TupleBlock> held = new ArrayList<>();
    private boolean cut;
    private long mergingNanos;

    /** @param memory the query's */
    FreshPart(int indexer, Delivery delivery, Reservation memory) {
        this.indexer = indexer;
        this.delivery = delivery;
        this.memory = memory;
        this.holding = memory.part();
    }

    @Override
    public boolean accept(TupleBlock rows) {
        if (holding.held() >= MOST_BYTES || !holding.tryReserve(rows.allocatedBytes())) {
            long begin = delivery.tally().nanos();
            handOver(0);
            if (!holding.tryReserve(rows.allocatedBytes())) {
                // There is room once that is merged, or none at all.
                delivery.mergeAll();
                holding.reserve(rows.allocatedBytes());
            }
            mergingNanos += delivery.tally().nanos() - begin;
        }
        if (held.isEmpty()) {
            delivery.freshHeld(true);
        }
        held.add(rows);
        return wanted();
    }

    private void handOver(long found) {
        List<TupleBlock> rows = held;
        held = new ArrayList<>();
        // Queued before it is held no longer: in between it would be nowhere, and a reader think itself alone.
        delivery.take(new Part(rows, found, holding.moved()));
        if (!rows.isEmpty()) {
            delivery.freshHeld(false);
        }
    }

    /** All rows have come; {@code found} matched. */
    void ended(long found) {
        handOver(found);
    }

    /** How long rows were merged while others were still to come. */
    long mergingNanos() {
        return mergingNanos;
    }

    /** Whether not all rows were wanted. */
    boolean isCut() {
        return cut;
    }

    @Override
    public Reservation memory() {
        return memory;
    }

    @Override
    public boolean wanted() {
        cut |= delivery.done();
        return !cut;
    }

    @Override
    public void scanned(ScanStatistics what) {
        delivery.tally().scannedFresh(indexer, what);
    }

    @Override
    public void close() {
        if (!held.isEmpty()) {
            delivery.freshHeld(false);
        }
        holding.close();
    }
}
