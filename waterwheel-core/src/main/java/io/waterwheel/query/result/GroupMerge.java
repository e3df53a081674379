package io.waterwheel.query.result;

import io.waterwheel.query.ResultSpec;
import io.waterwheel.query.aggregate.state.AggregateState;
import io.waterwheel.query.column.ColumnNode;
import io.waterwheel.query.column.RowView;
import io.waterwheel.query.column.Values;
import io.waterwheel.query.column.Workspace;
import io.waterwheel.query.compile.ExpressionCompiler;
import io.waterwheel.query.rows.PartialBlockWriter;
import io.waterwheel.query.rows.PartialMerge;
import io.waterwheel.query.rows.RowOrder;
import io.waterwheel.query.rows.RowSink;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.tuple.TupleBlock;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/** Merges the parts of aggregates, and hands out the answer in the order of the groups. One thread at a time. */
final class GroupMerge extends PartialMerge {
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
        for (AggregateState state : states) {
            state.groups(table.groups());
        }
        GroupOrder order = gather.order();
        if (order == null) {
            write(sink, true);
        } else {
            GroupOrder.ChosenGroups chosen = order.chosen(workspace);
            write(chosen, false);
            chosen.finish(sink);
        }
        return found;
    }

    /** Writes the fields of the answer, of all groups and of gaps that are filled. */
    private void write(RowSink sink, boolean inOrder) {
        AnswerRows rows = new AnswerRows(new PartialBlockWriter(gather.answerLayout(), sink));
        ResultSpec.Aggregates wanted = gather.wanted();
        if (wanted.fill() != null) {
            TupleBlock values = values();
            new GapFill(wanted, gather.times(), gather.answerLayout(), table, states, workspace)
                    .write(sorted(values), values, rows);
        } else {
            int[] all = inOrder && groups.length > 0
                    ? sorted(values())
                    : IntStream.range(0, table.groups()).toArray();
            for (int group : all) {
                if (!rows.group(group)) {
                    return;
                }
            }
        }
        rows.blocks.finish();
    }

    /** The rows of the answer, one after the other. */
    private final class AnswerRows implements GapFill.Rows {
        final PartialBlockWriter blocks;

        AnswerRows(PartialBlockWriter blocks) {
            this.blocks = blocks;
        }

        @Override
        public boolean group(int group) {
            for (AggregateState state : states) {
                workspace.spend(state.answerNanos(group));
            }
            TupleBlock block = blocks.row();
            int row = block.size();
            table.write(group, block, row);
            for (int a = 0; a < states.size(); a++) {
                if (!states.get(a).writeAnswer(block, row, groups.length + a, group)) {
                    AggregateState.setNull(block, row, groups.length + a);
                }
            }
            return blocks.wrote();
        }

        @Override
        public TupleBlock row() {
            return blocks.row();
        }

        @Override
        public boolean wrote() {
            return blocks.wrote();
        }
    }

    /** The rows of a block as a selection. */
    private static int[] all(TupleBlock block) {
        int[] all = new int[block.size()];
        Arrays.setAll(all, i -> i);
        return all;
    }

    /** What is grouped by, a row a group. */
    private TupleBlock values() {
        int count = table.groups();
        RowLayout layout = RowLayout.ofFields(gather.answerLayout().fields().subList(0, groups.length));
        workspace.memory().reserve(count * (layout.rowWidth() + 8L) + table.keyBytes());
        TupleBlock values = new TupleBlock(layout, count);
        values.ensureArena(table.keyBytes());
        for (int group = 0; group < count; group++) {
            if (layout.nullMaskColumn() >= 0) {
                values.setNullMask(group, 0);
            }
            table.write(group, values, group);
        }
        values.setSize(count);
        return values;
    }

    /** The groups in the order of their values. */
    private int[] sorted(TupleBlock values) {
        int[] sorted = IntStream.range(0, values.size()).toArray();
        int[] by = IntStream.range(0, groups.length).toArray();
        new RowOrder(values.layout(), by, new boolean[by.length]).sort(values, sorted, sorted.length, workspace);
        return sorted;
    }
}
