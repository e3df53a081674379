package io.waterwheel.query.result;

import io.waterwheel.query.aggregate.AggregateState;
import io.waterwheel.query.column.ColumnNode;
import io.waterwheel.query.column.ExpressionCompiler;
import io.waterwheel.query.column.RowView;
import io.waterwheel.query.column.Values;
import io.waterwheel.query.column.Workspace;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.tuple.TupleBlock;
import java.util.Arrays;
import java.util.List;

/** Merges the parts of aggregates, and hands out the answer in the order of the groups. One thread at a time. */
final class GroupMerge extends PartialMerge {
    /** About what writing one aggregate of a group takes at worst; see {@link Workspace#spend}. */
    private static final long GROUP_NANOS = 200;

    private final GatherGroups gather;
    private final Workspace workspace;
    private final GroupTable table;
    private final GroupRoom room;
    private final List<AggregateState> states;
    private final ColumnNode[] groups;
    private final Values[] keys;
    private int[] groupOf = {};
    private long found;

    GroupMerge(GatherGroups gather, Workspace workspace) {
        this.gather = gather;
        this.workspace = workspace;
        this.table = gather.table(workspace.memory());
        this.room = new GroupRoom(workspace.memory());
        this.states = gather.states();
        ExpressionCompiler compiler = new ExpressionCompiler(gather.partLayout());
        this.groups = new ColumnNode[gather.groupColumns()];
        this.keys = new Values[groups.length];
        for (int g = 0; g < groups.length; g++) {
            groups[g] = compiler.field(g);
            keys[g] = groups[g].values();
        }
    }

    @Override
    public boolean accept(TupleBlock part, RowSink sink) {
        int[] all = all(part);
        RowView view = RowView.of(part, workspace);
        for (ColumnNode group : groups) {
            group.evaluate(view, all, all.length);
        }
        groupOf = workspace.renewed(groupOf, all.length);
        table.find(keys, all, all.length, groupOf);
        int field = groups.length;
        for (AggregateState state : states) {
            state.groups(table.groups());
            state.merge(part, field, groupOf);
            field += state.columns().size();
        }
        room.require(states);
        return true;
    }

    @Override
    public void found(long rows) {
        found += rows;
    }

    @Override
    public long finish(RowSink sink) {
        int[] sorted = sorted();
        PartialBlockWriter blocks = new PartialBlockWriter(gather.answerLayout(), sink);
        for (AggregateState state : states) {
            state.groups(table.groups());
        }
        for (int group : sorted) {
            workspace.spend(GROUP_NANOS * states.size());
            TupleBlock block = blocks.row();
            int row = block.size();
            table.write(group, block, row);
            for (int a = 0; a < states.size(); a++) {
                if (!states.get(a).writeAnswer(block, row, groups.length + a, group)) {
                    AggregateState.setNull(block, row, groups.length + a);
                }
            }
            if (!blocks.wrote()) {
                return found;
            }
        }
        blocks.finish();
        return found;
    }

    /** The rows of a block as a selection. */
    private static int[] all(TupleBlock block) {
        int[] all = new int[block.size()];
        Arrays.setAll(all, i -> i);
        return all;
    }

    /** The groups in the order of their values, which are laid out as rows for it. */
    private int[] sorted() {
        if (groups.length == 0) {
            return new int[] {0};
        }
        int count = table.groups();
        RowLayout layout = RowLayout.ofFields(gather.answerLayout().fields().subList(0, groups.length));
        workspace.memory().reserve(count * (layout.rowWidth() + 8L) + table.keyBytes());
        TupleBlock values = new TupleBlock(layout, count);
        values.ensureArena(table.keyBytes());
        int[] sorted = new int[count];
        int[] by = new int[groups.length];
        for (int group = 0; group < count; group++) {
            sorted[group] = group;
            if (layout.nullMaskColumn() >= 0) {
                values.setNullMask(group, 0);
            }
            table.write(group, values, group);
        }
        values.setSize(count);
        for (int g = 0; g < by.length; g++) {
            by[g] = g;
        }
        new RowOrder(layout, by, new boolean[by.length]).sort(values, sorted, count, workspace);
        return sorted;
    }
}
