package io.waterwheel.query.result;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.NamedExpression;
import io.waterwheel.query.Order;
import io.waterwheel.query.Query;
import io.waterwheel.query.ResultSpec;
import io.waterwheel.query.column.Workspace;
import io.waterwheel.query.expression.ExpressionTypes;
import io.waterwheel.query.rows.LookupSlots;
import io.waterwheel.query.rows.PartialMerge;
import io.waterwheel.query.rows.RowCollector;
import io.waterwheel.query.rows.RowSink;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.TimeInterval;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Turns matching rows into an answer: makes a part at each tree and chunk, in blocks of one layout, and the answer of
 * the parts. Immutable; any thread.
 */
public abstract sealed class Gather
        permits GatherRows,
                GatherCount,
                GatherSorted,
                GatherLatest,
                GatherGroups,
                GatherComputed,
                GatherSeries,
                GatherLookup {
    /** Nulls of a row are marked in one mask. */
    private static final int MAX_NULLABLE = 64;

    Gather() {}

    /**
     * The gather of a query's result, in terms of its stream's fields.
     *
     * @param times that it asks for
     * @param onlyText when the key is made from text or bytes: the only value of it that can match, or null when there
     *     may be others
     */
    public static Gather of(
            ResultSpec result, RowLayout stored, Schema schema, TimeInterval times, byte @Nullable [] onlyText) {
        return of(result, stored, schema, times, onlyText, "");
    }

    /**
     * The same, for answers that go on.
     *
     * @param stream tells the stream from others: a token that continues an answer is of one
     */
    public static Gather of(
            ResultSpec result,
            RowLayout stored,
            Schema schema,
            TimeInterval times,
            byte @Nullable [] onlyText,
            String stream) {
        if (result instanceof ResultSpec.Aggregates aggregates) {
            return aggregates.countsOnly()
                    ? new GatherCount()
                    : new GatherGroups(aggregates, stored, schema.timeField(), times);
        }
        ExpressionTypes types = new ExpressionTypes(stored.fields());
        if (result instanceof ResultSpec.Latest latest) {
            int key = schema.keyField();
            boolean text = key >= 0 && schema.fields().get(key).type().variable();
            return new GatherLatest(
                    stored,
                    indexes(latest.select(), types, stored),
                    latest.perKey(),
                    latest.every(),
                    schema.indexOf(schema.timeField()),
                    text ? key : -1,
                    onlyText);
        }
        if (result instanceof ResultSpec.Series series) {
            return new GatherSeries(series, stored, schema, times);
        }
        ResultSpec.Rows rows = (ResultSpec.Rows) result;
        String about = stream + ": " + rows.select();
        List<String> names = new ArrayList<>(rows.select().size());
        for (NamedExpression selected : rows.select()) {
            if (!selected.isField()) {
                return computed(rows, stored, about);
            }
            names.add(selected.name());
        }
        int[] fields = indexes(names, types, stored);
        return rows.orderBy().isEmpty()
                ? new GatherRows(stored, fields, rows.limit())
                : new GatherSorted(stored, fields, rows.orderBy(), rows.limit(), about, rows.after());
    }

    /**
     * The gather of a lookup.
     *
     * @param slots its pairs in terms of the stream
     */
    public static Gather of(ResultSpec.Lookup lookup, RowLayout stored, Schema schema, LookupSlots slots) {
        return new GatherLookup(lookup, stored, schema, slots);
    }

    /** Rows with fields that are computed: these are made first, then ordered as any others are. */
    private static Gather computed(ResultSpec.Rows rows, RowLayout stored, String about) {
        List<NamedExpression> needed = new ArrayList<>(rows.select());
        for (Order order : rows.orderBy()) {
            if (needed.stream().noneMatch(one -> one.name().equals(order.field()))) {
                needed.add(NamedExpression.field(order.field()));
            }
        }
        Projection projection = new Projection(stored, needed);
        int[] fields = new int[rows.select().size()];
        for (int f = 0; f < fields.length; f++) {
            fields[f] = f;
        }
        boolean ordered = !rows.orderBy().isEmpty();
        return new GatherComputed(
                projection,
                ordered
                        ? new GatherSorted(
                                projection.layout(), fields, rows.orderBy(), rows.limit(), about, rows.after())
                        : new GatherRows(projection.layout(), fields, rows.limit()));
    }

    static int[] indexes(List<String> names, ExpressionTypes types, RowLayout stored) {
        int[] indexes = new int[names.isEmpty() ? stored.fields().size() : names.size()];
        for (int i = 0; i < indexes.length; i++) {
            indexes[i] = names.isEmpty() ? i : types.indexOf(names.get(i));
        }
        return indexes;
    }

    public static List<Field> fields(RowLayout stored, int[] indexes) {
        if (isAll(stored, indexes)) {
            return stored.fields();
        }
        List<Field> fields = new ArrayList<>(indexes.length);
        for (int index : indexes) {
            fields.add(stored.fields().get(index));
        }
        return fields;
    }

    /** Whether these are all fields in their order. */
    private static boolean isAll(RowLayout stored, int[] indexes) {
        boolean all = indexes.length == stored.fields().size();
        for (int i = 0; all && i < indexes.length; i++) {
            all = indexes[i] == i;
        }
        return all;
    }

    /** The layout of rows of these fields. */
    static RowLayout layout(List<Field> fields) {
        int nullable = 0;
        for (Field field : fields) {
            nullable += field.nullable() ? 1 : 0;
        }
        if (nullable > MAX_NULLABLE) {
            throw new WaterwheelException(
                    ErrorCode.BAD_QUERY,
                    "query: the answer has " + nullable + " fields that may be null, expected at most " + MAX_NULLABLE
                            + ": select fewer, or each field once");
        }
        return RowLayout.ofFields(fields);
    }

    /** The fields of the answer. */
    public abstract List<Field> fields();

    /** The layout of the blocks of a part. */
    public abstract RowLayout partLayout();

    /** Marks the stored fields that a scan must read for it. */
    public abstract void needs(BitSet fields);

    /** Whether a scan must read the keys, even if they are no field. */
    public boolean needsKeys() {
        return false;
    }

    /** Whether a scan must read the times, even if they are no field. */
    public boolean needsTimes() {
        return false;
    }

    /**
     * Whether the answer is computed from the rows, so that it is small or bounded by its groups; else it holds rows.
     */
    public boolean isAggregate() {
        return false;
    }

    /**
     * Whether the rows of a part are handed out as they are merged, in any order: a part may then come in pieces, and
     * none is kept.
     */
    public boolean handsOutAtOnce() {
        return false;
    }

    /** Whether chunks are read newest first, until older ones cannot change the answer. */
    public boolean readsNewestFirst() {
        return false;
    }

    /** Most rows that are worth looking for in one scan. */
    public long limit() {
        return Query.NO_LIMIT;
    }

    /** Makes a part of the rows of one scan, which share this workspace. */
    public abstract RowCollector collector(RowSink sink, Workspace workspace);

    /** Makes the answer of the parts; what it holds, and for how long it may work, is the workspace's. */
    public abstract PartialMerge merge(Workspace workspace);
}
