package io.waterwheel.query.scan;

import io.waterwheel.key.Area;
import io.waterwheel.query.Query;
import io.waterwheel.query.compile.ExpressionCompiler;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.query.result.Gather;
import io.waterwheel.query.result.GatherCount;
import io.waterwheel.query.result.GatherRows;
import io.waterwheel.query.rows.RowCopy;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.TimeInterval;
import io.waterwheel.tuple.WantedCells;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A scan of one tree or chunk. A tuple matches when its key lies in an interval, its time in the time interval, its
 * position in the area, and the condition is true.
 *
 * @param keys sorted, disjoint; when there is none, nothing matches
 * @param keysImplied whether a tuple whose key lies in no interval does not match by the rest, so that keys need not be
 *     tested but to leave out whole leaves
 * @param cells of the key's dimensions, which a matching tuple has by the rest, so that they need not be tested but to
 *     leave out whole leaves; null where they say nothing
 * @param times closed
 * @param area the exact test on the position, or null
 * @param where a condition whose names and types were checked, or null
 * @param gather what becomes of the matching tuples
 */
public record ScanSpec(
        List<KeyInterval> keys,
        boolean keysImplied,
        @Nullable WantedCells cells,
        TimeInterval times,
        @Nullable AreaTest area,
        @Nullable Expression where,
        Gather gather) {
    /**
     * A position must lie in the area.
     *
     * @param longitudeField index of a double field
     * @param latitudeField index of a double field
     * @param bounds a condition that is true of all positions in it, for leaves alone; null where keys say as much
     */
    public record AreaTest(
            Area area,
            int longitudeField,
            int latitudeField,
            @Nullable Expression bounds) {
        /** Of which keys tell the bounds. */
        public AreaTest(Area area, int longitudeField, int latitudeField) {
            this(area, longitudeField, latitudeField, null);
        }
    }

    public ScanSpec {
        keys = List.copyOf(keys);
        for (int i = 1; i < keys.size(); i++) {
            if (keys.get(i - 1).high() >= keys.get(i).low()) {
                throw new IllegalArgumentException("scan: expected sorted disjoint key intervals, got "
                        + keys.get(i - 1) + " before " + keys.get(i));
            }
        }
    }

    /** A scan that tests keys. */
    public ScanSpec(
            List<KeyInterval> keys,
            TimeInterval times,
            @Nullable AreaTest area,
            @Nullable Expression where,
            Gather gather) {
        this(keys, false, null, times, area, where, gather);
    }

    /** All tuples with all fields. */
    public static ScanSpec all(RowLayout layout) {
        return rows(layout, List.of(KeyInterval.ALL), TimeInterval.ALL, null, RowCopy.identity(layout), Query.NO_LIMIT);
    }

    /**
     * Tuples in ranges.
     *
     * @param fields indexes of the fields of the answer, in order
     * @param limit most tuples to deliver, at least 0; {@link Query#NO_LIMIT} for all
     */
    public static ScanSpec rows(
            RowLayout stored,
            List<KeyInterval> keys,
            TimeInterval times,
            @Nullable AreaTest area,
            int[] fields,
            long limit) {
        return new ScanSpec(keys, times, area, null, new GatherRows(stored, fields, limit));
    }

    /** The same tuples, only counted. */
    public ScanSpec counting() {
        return new ScanSpec(keys, keysImplied, cells, times, area, where, new GatherCount());
    }

    /** The layout of the blocks that a scan delivers. */
    public RowLayout partLayout() {
        return gather.partLayout();
    }

    /** The fields, by index, that a scan of stored tuples must read, beside those of the condition and of the area. */
    BitSet gatheredFields() {
        BitSet needed = new BitSet();
        gather.needs(needed);
        return needed;
    }

    /** The fields, by index, that the condition is about. */
    BitSet conditionFields(RowLayout stored) {
        BitSet needed = new BitSet();
        if (where != null) {
            new ExpressionCompiler(stored).fields(where, needed::set);
        }
        return needed;
    }
}
