package io.waterwheel.query.result;

import io.waterwheel.query.Aggregate;
import io.waterwheel.query.aggregate.state.AggregateState;
import io.waterwheel.query.aggregate.state.RowSummary;
import io.waterwheel.query.column.ColumnNode;
import io.waterwheel.query.column.RowView;
import io.waterwheel.query.column.Values;
import io.waterwheel.query.column.Workspace;
import io.waterwheel.query.compile.ExpressionCompiler;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.query.rows.PartialBlockWriter;
import io.waterwheel.query.rows.RowCollector;
import io.waterwheel.query.rows.RowSink;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.tuple.TupleBlock;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Aggregates the rows of one scan, and hands over the part at its end. One thread. */
final class GroupRows extends RowCollector {
    /** About what writing a row of a part takes; more where a state takes several. */
    private static final long ROW_NANOS = 1000;

    private final GatherGroups gather;
    private final RowSink sink;
    private final Workspace workspace;
    private final GroupTable table;
    private final GroupRoom room;
    private final List<AggregateState> states;
    private final ColumnNode[] groups;
    private final Input[] inputs;
    /** What is taken of leaves that need not be read; null when that is not enough. */
    private final @Nullable UnreadLeaves unread;

    private final Values[] keys;
    private final long bucketMillis;
    private final Values buckets = new Values();
    private int[] groupOf = {};
    private int[] filtered = {};

    /**
     * Where an aggregate's values come from.
     *
     * @param filter only of rows for which it is true; null for all
     * @param value null when it is of rows
     * @param by what the value is chosen by; null for nothing
     */
    private record Input(
            AggregateState state,
            @Nullable ColumnNode filter,
            @Nullable ColumnNode value,
            @Nullable ColumnNode by) {}

    GroupRows(GatherGroups gather, RowLayout stored, RowSink sink, Workspace workspace) {
        this.gather = gather;
        this.sink = sink;
        this.workspace = workspace;
        this.table = gather.table(workspace.memory());
        this.states = gather.states();
        this.room = new GroupRoom(workspace.memory());
        ExpressionCompiler compiler = new ExpressionCompiler(stored);
        this.groups = new ColumnNode[gather.groups().size()];
        this.keys = new Values[gather.groupColumns()];
        for (int g = 0; g < groups.length; g++) {
            groups[g] = compiler.compile(gather.groups().get(g));
            keys[g] = groups[g].values();
        }
        var bucket = gather.wanted().bucket();
        this.bucketMillis = bucket == null ? 0 : bucket.toMillis();
        if (bucket != null) {
            keys[groups.length] = buckets;
        }
        List<Aggregate> wanted = gather.wanted().values();
        this.inputs = new Input[wanted.size()];
        for (int a = 0; a < inputs.length; a++) {
            Expression filter = wanted.get(a).filter();
            List<Expression> arguments = gather.arguments(a);
            inputs[a] = new Input(
                    states.get(a),
                    filter == null ? null : compiler.compile(filter),
                    arguments.isEmpty() ? null : compiler.compile(arguments.get(0)),
                    arguments.size() < 2 ? null : compiler.compile(arguments.get(1)));
        }
        boolean ofField =
                groups.length == 1 && keys.length == 1 && gather.groups().get(0) instanceof Expression.FieldValue;
        this.unread = keys.length > 0 && !ofField
                ? null
                : UnreadLeaves.of(ofField ? gather.groups().get(0) : null, wanted, states, stored);
    }

    @Override
    public boolean addSummary(RowSummary rows) {
        UnreadLeaves leaves = unread;
        if (leaves == null || !leaves.add(rows, table.groups())) {
            return false;
        }
        found(rows.rows());
        room.require(states);
        return true;
    }

    @Override
    public void add(RowView view, int[] selected, int count) {
        if (count == 0) {
            return;
        }
        found(count);
        groupOf = workspace.renewed(groupOf, view.rows);
        for (ColumnNode group : groups) {
            group.evaluate(view, selected, count);
        }
        if (bucketMillis > 0) {
            fillBuckets(view, selected, count);
        }
        boolean one = keys.length == 0;
        if (!one) {
            table.find(keys, selected, count, groupOf);
        }
        for (int a = 0; a < inputs.length; a++) {
            Input input = inputs[a];
            input.state().groups(table.groups());
            ColumnNode filter = input.filter();
            if (filter == null) {
                // One field has one node: what min(x) has evaluated is there for max(x).
                add(input, view, selected, count, a > 0 && sharesValue(a - 1));
            } else {
                filtered = workspace.renewed(filtered, count);
                System.arraycopy(selected, 0, filtered, 0, count);
                add(input, view, filtered, filter.keep(view, filtered, count), false);
            }
        }
        room.require(states);
    }

    /** Whether an aggregate takes the same values as the next. */
    private boolean sharesValue(int a) {
        return a + 1 < inputs.length
                && inputs[a].filter() == null
                && inputs[a + 1].filter() == null
                && inputs[a].by() == null
                && inputs[a].value() != null
                && inputs[a].value() == inputs[a + 1].value();
    }

    /**
     * Adds rows to one aggregate.
     *
     * @param evaluated whether its values are there already: of the same node, which is a field's and keeps them
     */
    private void add(Input input, RowView view, int[] rows, int count, boolean evaluated) {
        AggregateState state = input.state();
        ColumnNode value = input.value();
        ColumnNode by = input.by();
        // Without groups all rows are of the first one: groupOf is 0 throughout.
        boolean one = keys.length == 0;
        if (count == 0) {
            return;
        } else if (value == null) {
            if (one) {
                state.addRowsToGroup(rows, count, groupOf, 0);
            } else {
                state.addRows(rows, count, groupOf);
            }
            return;
        }
        if (!evaluated) {
            value.evaluate(view, rows, count);
        }
        if (by != null) {
            by.evaluate(view, rows, count);
            state.add(value.values(), by.values(), rows, count, groupOf);
            by.release(view);
        } else if (one) {
            state.addToGroup(value.values(), rows, count, groupOf, 0);
        } else {
            state.add(value.values(), rows, count, groupOf);
        }
        value.release(view);
    }

    private void fillBuckets(RowView view, int[] selected, int count) {
        if (buckets.longs.length < view.rows) {
            workspace.memory().reserve(8L * (view.rows - buckets.longs.length));
            buckets.longs = new long[view.rows];
        }
        for (int i = 0; i < count; i++) {
            int row = selected[i];
            buckets.longs[row] = bucket(view.times[row], bucketMillis);
        }
    }

    /** Where the bucket of a time begins. */
    static long bucket(long time, long step) {
        long start = time - Math.floorMod(time, step);
        // Before the first whole bucket that a long can tell.
        return start > time ? Long.MIN_VALUE : start;
    }

    /** Hands over the part; none when no row matched. */
    @Override
    public void finish() {
        if (found() == 0) {
            return;
        }
        if (unread != null) {
            unread.finish(table, workspace, () -> room.require(states));
        }
        PartialBlockWriter blocks = new PartialBlockWriter(gather.partLayout(), sink);
        int empty = table.groups();
        for (AggregateState state : states) {
            // One group more, without tuples: what states of fewer rows write beside one of more.
            state.groups(empty + 1);
        }
        int[] rows = new int[states.size()];
        for (int group = 0; group < empty; group++) {
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
                int field = gather.groupColumns();
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
                    return;
                }
            }
        }
        blocks.finish();
    }
}
