package io.waterwheel.ingest.dispatch;

import io.waterwheel.catalog.state.RoutingTable;
import io.waterwheel.ingest.block.BlockBody;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A run [from, to) of one partition, decoded and routed under one routing version: a body for each indexer that has
 * tuples in it. Owner: the dispatcher's thread.
 */
final class Segment {
    final long from;
    final long to;
    final RoutingTable table;
    /** By the table's slot; null where an indexer has nothing. */
    final @Nullable BlockBody[] bodies;

    /** Of its tuples, and of what tells its refused rows. */
    final long bytes;

    /** What the log has as the time of the first of its records; -1 where that is not known. */
    final long producedMillis;
    /** Until these are stored nothing of the segment may be sent (rule 4). */
    private List<RefusedRow> unstored;

    Segment(
            long from,
            long to,
            RoutingTable table,
            @Nullable BlockBody[] bodies,
            List<RefusedRow> refused,
            long producedMillis) {
        this.from = from;
        this.to = to;
        this.table = table;
        this.bodies = bodies;
        this.producedMillis = producedMillis;
        this.unstored = List.copyOf(refused);
        long sum = 0;
        for (BlockBody body : bodies) {
            sum += body == null ? 0 : body.bytes() + (long) body.rejectedCount() * Integer.BYTES;
        }
        this.bytes = sum;
    }

    /** Rows that must be stored as dead letters before anything of it is sent. */
    List<RefusedRow> unstored() {
        return unstored;
    }

    /** Keeps those of {@link #unstored} that are to be stored still. */
    void keepUnstored(Predicate<RefusedRow> still) {
        unstored = unstored.stream().filter(still).toList();
    }

    @Nullable
    BlockBody bodyOf(int indexer) {
        int slot = table.slotOfIndexer(indexer);
        return slot < 0 ? null : bodies[slot];
    }

    void release() {
        for (BlockBody body : bodies) {
            if (body != null) {
                body.release();
            }
        }
    }
}
