package io.waterwheel.query.result;

import io.waterwheel.query.aggregate.state.AggregateState;
import io.waterwheel.query.column.Workspace;
import io.waterwheel.query.rows.PartialBlockWriter;
import io.waterwheel.tuple.TupleBlock;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes groups as rows of a part: what is grouped by, then the columns of each state. Pure functions. */
final class GroupParts {
    /** About what writing a row of a part takes; more where a state takes several. */
    private static final long ROW_NANOS = 1000;

    private GroupParts() {}

    /**
     * Writes all groups, which are to be cleared then: their states have one more.
     *
     * @param order numbers of the groups; null for their own order
     * @return false when no more are wanted
     */
    static boolean write(
            HeldGroups held, int @Nullable [] order, int groupColumns, Workspace workspace, PartialBlockWriter blocks) {
        GroupTable table = held.table();
        List<AggregateState> states = held.states();
        int empty = table.groups();
        for (AggregateState state : states) {
            // One group more, without tuples: what states of fewer rows write beside one of more.
            state.groups(empty + 1);
        }
        int[] rows = new int[states.size()];
        for (int i = 0; i < empty; i++) {
            int group = order == null ? i : order[i];
            int most = 1;
            for (int a = 0; a < rows.length; a++) {
                rows[a] = states.get(a).rows(group);
                most = Math.max(most, rows[a]);
            }
            for (int slice = 0; slice < most; slice++) {
                TupleBlock block = blocks.row();
                int row = block.size();
                workspace.spend(ROW_NANOS);
                table.write(group, block, row);
                int field = groupColumns;
                for (int a = 0; a < rows.length; a++) {
                    AggregateState state = states.get(a);
                    if (slice < rows[a]) {
                        state.writeSlice(block, row, field, group, slice);
                    } else {
                        state.writePart(block, row, field, empty);
                    }
                    field += state.columns().size();
                }
                if (!blocks.wrote()) {
                    return false;
                }
            }
        }
        return true;
    }
}
