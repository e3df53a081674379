package io.waterwheel.gateway.rows;

import io.waterwheel.gateway.http.PushBudget;
import io.waterwheel.tuple.TupleBlock;

/** Room for rows in a block, taken from a budget before the memory is. */
public final class RowSpace {
    private RowSpace() {}

    /**
     * Makes room for one row. A wide row takes far more than short text.
     *
     * @param arenaBytes that the row's text and bytes take at most
     */
    public static void make(TupleBlock into, int arenaBytes, PushBudget.Lease lease) {
        long growth = into.growthBytes(1, arenaBytes);
        if (growth == 0) {
            return;
        }
        // While the arrays grow there are the old ones and the new ones.
        lease.grow(growth);
        long before = into.allocatedBytes();
        into.ensureRows(into.size() + 1);
        into.ensureArena(arenaBytes);
        lease.shrink(growth - (into.allocatedBytes() - before));
    }
}
