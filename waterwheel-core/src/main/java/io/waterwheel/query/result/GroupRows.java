package io.waterwheel.query.result;

import io.waterwheel.query.Aggregate;
import io.waterwheel.query.ResultSpec;
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
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Aggregates the rows of one scan, and hands over the part at its end. One thread. */
final class GroupRows extends RowCollector {
    private final GatherGroups gather;
    private final Workspace workspace;
    private final HeldGroups held;
    private final PartialBlockWriter blocks;
    private final ColumnNode[] groups;
    private final Input[] inputs;
    /** What is taken of leaves that need not be read; null when that is not enough. */
    private final @Nullable UnreadLeaves unread;

    private final Values[] keys;
    /** Null where there are none. */
    private final ResultSpec.@Nullable Bucket bucket;

    private final Values buckets = new Values();
    private int[] groupOf = {};
    private int[] filtered = {};
    private boolean stopped;

    /**
     * Where an aggregate's values come from.
     *
     * @param filter only of rows for which it is true; null for all
     * @param value null when it is of rows
     * @param by what the value is chosen by; null for nothing
     */
    private record Input(
            @Nullable ColumnNode filter,
            @Nullable ColumnNode value,
            @Nullable ColumnNode by) {}

    GroupRows(GatherGroups gather, RowLayout stored, RowSink sink, Workspace workspace) {
        this.gather = gather;
        this.workspace = workspace;
        this.held = new HeldGroups(gather, workspace);
        this.blocks = new PartialBlockWriter(gather.partLayout(), sink);
        ExpressionCompiler compiler = new ExpressionCompiler(stored);
        this.groups = new ColumnNode[gather.groups().size()];
        this.keys = new Values[gather.groupColumns()];
        for (int g = 0; g < groups.length; g++) {
            groups[g] = compiler.compile(gather.groups().get(g));
            keys[g] = groups[g].values();
        }
        this.bucket = gather.wanted().bucket();
        if (bucket != null) {
            keys[groups.length] = buckets;
        }
        List<Aggregate> wanted = gather.wanted().values();
        this.inputs = new Input[wanted.size()];
        for (int a = 0; a < inputs.length; a++) {
            Expression filter = wanted.get(a).filter();
            List<Expression> arguments = gather.arguments(a);
            inputs[a] = new Input(
                    filter == null ? null : compiler.compile(filter),
                    arguments.isEmpty() ? null : compiler.compile(arguments.get(0)),
                    arguments.size() < 2 ? null : compiler.compile(arguments.get(1)));
        }
        boolean ofField =
                groups.length == 1 && keys.length == 1 && gather.groups().get(0) instanceof Expression.FieldValue;
        this.unread = keys.length > 0 && !ofField
                ? null
                : UnreadLeaves.of(ofField ? gather.groups().get(0) : null, wanted, held.states(), stored);
    }

    @Override
    public boolean addSummary(RowSummary rows) {
        UnreadLeaves leaves = unread;
        if (leaves == null || !leaves.add(rows, held.table().groups())) {
            return false;
        }
        found(rows.rows());
        held.reserveStates();
        return true;
    }

    @Override
    public void add(RowView view, int[] selected, int count) {
        if (count == 0) {
            return;
        }
        found(count);
        boolean one = keys.length == 0;
        if (!one && held.isFull(count)) {
            handOver();
        }
        groupOf = workspace.renewed(groupOf, view.rows);
        for (ColumnNode group : groups) {
            group.evaluate(view, selected, count);
        }
        if (bucket != null) {
            fillBuckets(bucket, view, selected, count);
        }
        if (!one) {
            held.table().find(keys, selected, count, groupOf);
        }
        for (int a = 0; a < inputs.length; a++) {
            Input input = inputs[a];
            AggregateState state = held.states().get(a);
            state.groups(held.table().groups());
            ColumnNode filter = input.filter();
            if (filter == null) {
                // One field has one node: what min(x) has evaluated is there for max(x).
                add(input, state, view, selected, count, a > 0 && sharesValue(a - 1));
            } else {
                filtered = workspace.renewed(filtered, count);
                System.arraycopy(selected, 0, filtered, 0, count);
                add(input, state, view, filtered, filter.keep(view, filtered, count), false);
            }
        }
        held.reserveStates();
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
    private void add(Input input, AggregateState state, RowView view, int[] rows, int count, boolean evaluated) {
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

    private void fillBuckets(ResultSpec.Bucket of, RowView view, int[] selected, int count) {
        if (buckets.longs.length < view.rows) {
            workspace.memory().reserve(8L * (view.rows - buckets.longs.length));
            buckets.longs = new long[view.rows];
        }
        for (int i = 0; i < count; i++) {
            int row = selected[i];
            buckets.longs[row] = of.begin(view.times[row]);
        }
    }

    /** Hands over the groups that are held: the merge takes those of a part in any number of rows. */
    private void handOver() {
        if (!stopped) {
            stopped = !GroupParts.write(held, null, gather.groupColumns(), workspace, blocks);
        }
        held.clear();
    }

    @Override
    public boolean done() {
        return stopped;
    }

    /** Hands over what is left of the part; nothing when no row matched. */
    @Override
    public void finish() {
        if (found() == 0) {
            return;
        }
        UnreadLeaves leaves = unread;
        if (leaves != null) {
            if (keys.length > 0 && held.isFull(UnreadLeaves.MOST_VALUES)) {
                handOver();
            }
            leaves.finish(held.table(), workspace, held::reserveStates);
        }
        handOver();
        if (!stopped) {
            blocks.finish();
        }
    }
}
