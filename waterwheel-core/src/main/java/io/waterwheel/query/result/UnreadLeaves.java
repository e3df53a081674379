package io.waterwheel.query.result;

import io.waterwheel.query.Aggregate;
import io.waterwheel.query.aggregate.state.AggregateState;
import io.waterwheel.query.aggregate.state.LeafValues;
import io.waterwheel.query.aggregate.state.RowSummary;
import io.waterwheel.query.column.Values;
import io.waterwheel.query.column.Workspace;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.query.expression.ExpressionTypes;
import io.waterwheel.schema.RowLayout;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Takes the leaves of a chunk that match whole, without their rows. What numbers say, such as the least value, is taken
 * leaf by leaf. Of functions of the different values, and of a field that is grouped by, the leaves are noted, and at
 * the end each value that one of them has is taken once. One thread.
 */
final class UnreadLeaves {
    /** Most values of a chunk: a dictionary has no more. */
    static final int MOST_VALUES = 1 << 16;

    /** Values that are taken at a time. */
    private static final int BLOCK = 1024;

    /** About what a value takes that is handed to a state. */
    private static final int VALUE_NANOS = 50;

    /** Index of the field that is grouped by; -1 for all rows together. */
    private final int group;

    private final List<AggregateState> states;
    /** By aggregate, the field that is its argument, or -1 for rows. */
    private final int[] fields;
    /** By aggregate, whether it takes the different values. */
    private final boolean[] byValue;
    /** By field, its values in the chunk; known once a leaf was taken. */
    private @Nullable LeafValues[] values = {};

    /** Those taken. */
    private final BitSet leaves = new BitSet();

    private boolean anyNull;
    /** What is missing for one leaf is missing for all of the chunk. */
    private boolean missing;

    private UnreadLeaves(int group, List<AggregateState> states, int[] fields, boolean[] byValue) {
        this.group = group;
        this.states = states;
        this.fields = fields;
        this.byValue = byValue;
    }

    /**
     * For these aggregates, by their states; null where leaves must be read.
     *
     * @param groupBy the only field that is grouped by; null for nothing
     */
    static @Nullable UnreadLeaves of(
            @Nullable Expression groupBy, List<Aggregate> wanted, List<AggregateState> states, RowLayout stored) {
        ExpressionTypes types = new ExpressionTypes(stored.fields());
        int group = groupBy instanceof Expression.FieldValue field ? types.indexOf(field.name()) : -1;
        int[] fields = new int[states.size()];
        boolean[] byValue = new boolean[states.size()];
        for (int a = 0; a < fields.length; a++) {
            List<Expression> arguments = wanted.get(a).arguments();
            Expression argument = arguments.isEmpty() ? null : arguments.get(0);
            boolean ofOneField =
                    arguments.size() < 2 && (argument == null || argument instanceof Expression.FieldValue);
            if (!ofOneField || wanted.get(a).filter() != null) {
                return null;
            }
            fields[a] = argument instanceof Expression.FieldValue field ? types.indexOf(field.name()) : -1;
            byValue[a] = group >= 0 || !states.get(a).takesSummaries();
            // Of a group only the values are known that the group is of.
            if (byValue[a] && (fields[a] < 0 || !states.get(a).takesDifferentValues())) {
                return null;
            }
            if (group >= 0 && fields[a] != group) {
                return null;
            }
        }
        return new UnreadLeaves(group, states, fields, byValue);
    }

    /**
     * Takes a leaf, if what is known of it is enough; else takes nothing.
     *
     * @param groups that there are
     */
    boolean add(RowSummary rows, int groups) {
        if (missing) {
            return false;
        }
        if (leaves.isEmpty() && !knows(rows)) {
            missing = true;
            return false;
        }
        leaves.set(rows.leaf());
        if (group >= 0) {
            anyNull |= ofField(rows, group).nulls() > 0;
        }
        for (int a = 0; a < fields.length; a++) {
            if (!byValue[a]) {
                states.get(a).groups(groups);
                states.get(a).addSummary(ofField(rows, fields[a]), 0);
            }
        }
        return true;
    }

    /** Whether the chunk knows of its leaves what is needed; notes the values. */
    private boolean knows(RowSummary rows) {
        BitSet listed = new BitSet();
        if (group >= 0) {
            listed.set(group);
        }
        for (int a = 0; a < fields.length; a++) {
            if (byValue[a]) {
                listed.set(fields[a]);
            } else if (fields[a] >= 0 && rows.field(fields[a]) == null) {
                return false;
            }
        }
        values = new @Nullable LeafValues[listed.length()];
        for (int field = listed.nextSetBit(0); field >= 0; field = listed.nextSetBit(field + 1)) {
            values[field] = rows.values(field);
            if (values[field] == null) {
                return false;
            }
        }
        return group < 0 || rows.field(group) != null;
    }

    private static RowSummary.OfField ofField(RowSummary rows, int field) {
        return field < 0
                ? new RowSummary.OfField(rows.rows(), 0, 0, 0, 0)
                : Objects.requireNonNull(rows.field(field), "known of one leaf, and not of another");
    }

    /**
     * Takes the values of the leaves that were added.
     *
     * @param table of the groups
     * @param taken called after each block of values
     */
    void finish(GroupTable table, Workspace workspace, Runnable taken) {
        if (leaves.isEmpty()) {
            return;
        }
        int[] rows = new int[BLOCK];
        Arrays.setAll(rows, row -> row);
        int[] groupOf = new int[BLOCK];
        if (anyNull) {
            Values none = new Values();
            none.longs = new long[1];
            none.doubles = new double[1];
            none.anyNull = true;
            none.nulls = new boolean[] {true};
            take(group, none, 1, table, rows, groupOf);
        }
        for (int field = 0; field < values.length; field++) {
            LeafValues known = values[field];
            if (known == null) {
                continue;
            }
            known.of(leaves);
            Values block = new Values();
            known.begin(block, Math.min(BLOCK, known.size()));
            for (int next = 0; next < known.size(); ) {
                int count = 0;
                int end = Math.min(known.size(), next + BLOCK);
                workspace.spend(known.nanos(next, end));
                for (; next < end; next++) {
                    if (known.has(next)) {
                        known.copy(next, block, count++);
                    }
                }
                if (count > 0) {
                    workspace.spend((long) VALUE_NANOS * count);
                    take(field, block, count, table, rows, groupOf);
                    taken.run();
                }
            }
        }
    }

    private void take(int field, Values block, int count, GroupTable table, int[] rows, int[] groupOf) {
        if (group >= 0) {
            table.find(new Values[] {block}, rows, count, groupOf);
        }
        for (int a = 0; a < fields.length; a++) {
            if (byValue[a] && fields[a] == field) {
                states.get(a).groups(table.groups());
                states.get(a).add(block, rows, count, groupOf);
            }
        }
    }
}
