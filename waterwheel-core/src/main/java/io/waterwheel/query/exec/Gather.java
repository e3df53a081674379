package io.waterwheel.query.exec;

import io.waterwheel.model.ErrorCode;
import io.waterwheel.model.Field;
import io.waterwheel.model.KeySpec;
import io.waterwheel.model.RowLayout;
import io.waterwheel.model.Schema;
import io.waterwheel.model.WaterwheelException;
import io.waterwheel.query.Query;
import io.waterwheel.query.Result;
import io.waterwheel.query.exec.column.Workspace;
import io.waterwheel.query.expression.ExpressionTypes;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of the matching rows: at each tree and chunk a part, in blocks of one layout, and of the parts the
 * answer. Immutable; any thread.
 */
public abstract sealed class Gather permits GatherRows, GatherCount, GatherSorted, GatherLatest, GatherGroups {
    /** Nulls of a row are marked in one mask. */
    private static final int MAX_NULLABLE = 64;

    Gather() {}

    /**
     * What a query's result asks for, in terms of its stream's fields.
     *
     * @param onlyText when the key is made from text or bytes: the only value of it that can match, or null when there
     *     may be others
     */
    static Gather of(Result result, RowLayout stored, Schema schema, byte @Nullable [] onlyText) {
        ExpressionTypes types = new ExpressionTypes(stored.fields());
        if (result instanceof Result.Aggregates aggregates) {
            return aggregates.countsOnly() ? new GatherCount() : new GatherGroups(aggregates, stored);
        } else if (result instanceof Result.Latest latest) {
            int key = schema.key() instanceof KeySpec.Ordered ordered ? schema.indexOf(ordered.field()) : -1;
            boolean text = key >= 0 && schema.fields().get(key).type().variable();
            return new GatherLatest(
                    stored,
                    indexes(latest.select(), types, stored),
                    latest.perKey(),
                    schema.indexOf(schema.timeField()),
                    text ? key : -1,
                    onlyText);
        }
        Result.Rows rows = (Result.Rows) result;
        int[] fields = indexes(rows.select(), types, stored);
        return rows.orderBy().isEmpty()
                ? new GatherRows(stored, fields, rows.limit())
                : new GatherSorted(stored, fields, rows.orderBy(), rows.limit());
    }

    private static int[] indexes(List<String> names, ExpressionTypes types, RowLayout stored) {
        int[] indexes = new int[names.isEmpty() ? stored.fields().size() : names.size()];
        for (int i = 0; i < indexes.length; i++) {
            indexes[i] = names.isEmpty() ? i : types.indexOf(names.get(i));
        }
        return indexes;
    }

    static List<Field> fields(RowLayout stored, int[] indexes) {
        List<Field> fields = new ArrayList<>(indexes.length);
        for (int index : indexes) {
            fields.add(stored.fields().get(index));
        }
        return fields;
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
                            + ": name each field once");
        }
        return RowLayout.ofFields(fields);
    }

    /** The fields of the answer. */
    abstract List<Field> fields();

    /** The layout of the blocks of a part. */
    abstract RowLayout partLayout();

    /** Marks the stored fields that a scan must read for it. */
    abstract void needs(BitSet fields);

    /** Whether a scan must read the keys, even if they are no field. */
    boolean needsKeys() {
        return false;
    }

    /** Whether a scan must read the times, even if they are no field. */
    boolean needsTimes() {
        return false;
    }

    /** Most rows that are worth looking for in one scan. */
    long limit() {
        return Query.NO_LIMIT;
    }

    /** Makes a part of the rows of one scan, which share this workspace. */
    abstract Collector collector(RowSink sink, Workspace workspace);

    /** Makes the answer of the parts; what it holds, and for how long it may work, is the workspace's. */
    abstract PartsMerge merge(Workspace workspace);
}
