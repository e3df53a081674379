package io.waterwheel.query.exec;

import io.waterwheel.model.RowLayout;
import io.waterwheel.model.TupleBlock;
import io.waterwheel.query.Query;
import io.waterwheel.query.exec.column.ColumnNode;
import io.waterwheel.query.exec.column.ExpressionCompiler;
import io.waterwheel.query.exec.column.RowView;
import io.waterwheel.query.exec.column.Values;
import io.waterwheel.query.exec.column.Workspace;
import java.util.List;

/** Merges the parts of aggregates, and hands out the answer in the order of the groups. One thread at a time. */
final class GroupMerge extends PartsMerge {
    private final GatherGroups gather;
    private final GroupTable table;
    private final List<AggregateState> states;
    private final ColumnNode[] groups;
    private final Values[] keys;
    private int[] groupOf = {};
    private long found;

    GroupMerge(GatherGroups gather) {
        this.gather = gather;
        this.table = gather.table();
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
    boolean accept(TupleBlock part, RowSink sink) {
        int[] all = AggregateState.all(part);
        RowView view = RowView.of(part);
        for (ColumnNode group : groups) {
            group.evaluate(view, all, all.length);
        }
        if (groupOf.length < all.length) {
            groupOf = new int[all.length];
        }
        table.find(keys, all, all.length, groupOf);
        int field = groups.length;
        for (AggregateState state : states) {
            state.groups(table.groups());
            state.merge(part, field, groupOf);
            field += state.columns().size();
        }
        GroupRows.requireRoom(states);
        return true;
    }

    @Override
    void found(long rows) {
        found += rows;
    }

    @Override
    long finish(RowSink sink) {
        RowLayout layout = gather.answerLayout();
        // In one block first: it is as large as the groups' values, which are bounded.
        TupleBlock answer = new TupleBlock(layout, table.groups());
        for (int group = 0; group < table.groups(); group++) {
            if (layout.nullMaskColumn() >= 0) {
                answer.setNullMask(group, 0);
            }
            table.write(group, answer, group);
            for (int a = 0; a < states.size(); a++) {
                states.get(a).groups(table.groups());
                if (!states.get(a).writeAnswer(answer, group, groups.length + a, group)) {
                    AggregateState.setNull(answer, group, groups.length + a);
                }
            }
        }
        answer.setSize(table.groups());
        int[] by = new int[groups.length];
        for (int g = 0; g < by.length; g++) {
            by[g] = g;
        }
        int[] sorted = AggregateState.all(answer);
        new RowOrder(layout, by, new boolean[by.length]).sort(answer, sorted, sorted.length, Workspace.unhurried());
        ResultRows rows = new ResultRows(layout, RowCopy.identity(layout), layout, Query.NO_LIMIT, sink);
        rows.add(RowView.of(answer), sorted, sorted.length);
        rows.finish();
        return found;
    }
}
