package io.waterwheel.query.result;

import io.waterwheel.query.Aggregate;
import io.waterwheel.query.aggregate.AggregateState;
import io.waterwheel.query.aggregate.RowSummary;
import io.waterwheel.query.column.ColumnNode;
import io.waterwheel.query.column.ExpressionCompiler;
import io.waterwheel.query.column.RowView;
import io.waterwheel.query.column.Values;
import io.waterwheel.query.column.Workspace;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.query.expression.ExpressionTypes;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.tuple.TupleBlock;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Aggregates the rows of one scan, and hands over the part at its end. One thread. */
final class GroupRows extends RowCollector {
    private final GatherGroups gather;
    private final RowSink sink;
    private final Workspace workspace;
    private final GroupTable table;
    private final GroupRoom room;
    private final List<AggregateState> states;
    private final ColumnNode[] groups;
    private final @Nullable ColumnNode[] arguments;
    /** By aggregate, the field that is its argument, or -1 for rows; null when a summary is not enough. */
    private final int @Nullable [] summarised;

    private final Values[] keys;
    private final long bucketMillis;
    private final Values buckets = new Values();
    private int[] groupOf = {};

    GroupRows(GatherGroups gather, RowLayout stored, RowSink sink, Workspace workspace) {
        this.gather = gather;
        this.sink = sink;
        this.workspace = workspace;
        this.table = gather.table(workspace.memory());
        this.states = gather.states();
        this.room = new GroupRoom(workspace.memory());
        ExpressionCompiler compiler = new ExpressionCompiler(stored);
        int[] fields = gather.groupFields();
        this.groups = new ColumnNode[fields.length];
        this.keys = new Values[gather.groupColumns()];
        for (int g = 0; g < fields.length; g++) {
            groups[g] = compiler.field(fields[g]);
            keys[g] = groups[g].values();
        }
        var bucket = gather.wanted().bucket();
        this.bucketMillis = bucket == null ? 0 : bucket.toMillis();
        if (bucket != null) {
            keys[fields.length] = buckets;
        }
        List<Aggregate> wanted = gather.wanted().values();
        this.arguments = new ColumnNode[wanted.size()];
        for (int a = 0; a < arguments.length; a++) {
            var argument = wanted.get(a).argument();
            arguments[a] = argument == null ? null : compiler.compile(argument);
        }
        this.summarised = keys.length > 0 ? null : summarised(wanted, states, stored);
    }

    private static int @Nullable [] summarised(List<Aggregate> wanted, List<AggregateState> states, RowLayout stored) {
        ExpressionTypes types = new ExpressionTypes(stored.fields());
        int[] fields = new int[states.size()];
        for (int a = 0; a < fields.length; a++) {
            Expression argument = wanted.get(a).argument();
            if (!states.get(a).takesSummaries() || !(argument == null || argument instanceof Expression.FieldValue)) {
                return null;
            }
            fields[a] = argument instanceof Expression.FieldValue field ? types.indexOf(field.name()) : -1;
        }
        return fields;
    }

    @Override
    public boolean addSummary(RowSummary rows) {
        int[] fields = summarised;
        if (fields == null) {
            return false;
        }
        RowSummary.OfField[] known = new RowSummary.OfField[fields.length];
        for (int a = 0; a < fields.length; a++) {
            RowSummary.OfField field =
                    fields[a] < 0 ? new RowSummary.OfField(rows.rows(), 0, 0, 0, 0) : rows.field(fields[a]);
            if (field == null) {
                return false;
            }
            known[a] = field;
        }
        found(rows.rows());
        for (int a = 0; a < fields.length; a++) {
            states.get(a).groups(table.groups());
            states.get(a).addSummary(known[a], 0);
        }
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
        for (int a = 0; a < arguments.length; a++) {
            AggregateState state = states.get(a);
            state.groups(table.groups());
            // One field has one node: what min(x) has evaluated is there for max(x).
            ColumnNode argument = arguments[a];
            if (argument != null && (a == 0 || argument != arguments[a - 1])) {
                argument.evaluate(view, selected, count);
            }
            if (one) {
                addToOne(state, argument, selected, count);
            } else if (argument == null) {
                state.addRows(selected, count, groupOf);
            } else {
                state.add(argument.values(), selected, count, groupOf);
            }
            if (argument != null && (a + 1 == arguments.length || argument != arguments[a + 1])) {
                argument.release(view);
            }
        }
        room.require(states);
    }

    /** All rows are of the first group then: {@link #groupOf} is 0 throughout. */
    private void addToOne(AggregateState state, @Nullable ColumnNode argument, int[] selected, int count) {
        if (argument == null) {
            state.addRowsToGroup(selected, count, groupOf, 0);
        } else {
            state.addToGroup(argument.values(), selected, count, groupOf, 0);
        }
    }

    private void fillBuckets(RowView view, int[] selected, int count) {
        if (buckets.longs.length < view.rows) {
            workspace.memory().reserve(8L * (view.rows - buckets.longs.length));
            buckets.longs = new long[view.rows];
        }
        for (int i = 0; i < count; i++) {
            int row = selected[i];
            buckets.longs[row] = bucket(view.times[row]);
        }
    }

    private long bucket(long time) {
        long start = time - Math.floorMod(time, bucketMillis);
        // Before the first whole bucket that a long can tell.
        return start > time ? Long.MIN_VALUE : start;
    }

    /** Hands over the part; none when no row matched. */
    @Override
    public void finish() {
        if (found() == 0) {
            return;
        }
        PartialBlockWriter blocks = new PartialBlockWriter(gather.partLayout(), sink);
        for (int group = 0; group < table.groups(); group++) {
            TupleBlock block = blocks.row();
            int row = block.size();
            table.write(group, block, row);
            int field = gather.groupColumns();
            for (AggregateState state : states) {
                state.writePart(block, row, field, group);
                field += state.columns().size();
            }
            if (!blocks.wrote()) {
                return;
            }
        }
        blocks.finish();
    }
}
