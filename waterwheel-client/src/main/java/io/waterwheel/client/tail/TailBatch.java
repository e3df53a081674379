package io.waterwheel.client.tail;

import io.waterwheel.query.tail.TailRows;
import io.waterwheel.schema.Field;
import io.waterwheel.tuple.LostRange;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/** Rows that queries see from now on; there may be none. As long as the tail is not asked for the next. */
public final class TailBatch {
    private final TailRows rows;
    private final Map<Integer, Long> positions;
    private final Map<Integer, Integer> within;
    private final List<LostRange> missed;

    TailBatch(TailRows rows, Map<Integer, Long> positions, Map<Integer, Integer> within, List<LostRange> missed) {
        this.rows = rows;
        this.positions = Map.copyOf(positions);
        this.within = Map.copyOf(within);
        this.missed = List.copyOf(missed);
    }

    /** Number of rows. Those of one partition are in the order of its log. */
    public int size() {
        return rows.size();
    }

    /** The stream's fields. */
    public List<Field> fields() {
        return rows.fields();
    }

    /**
     * The value of a row's field: Integer, Long, Float, Double, Boolean, String or byte[]; timestamps as they are
     * counted, addresses and UUIDs as text.
     *
     * @param field its index
     */
    public @Nullable Object value(int row, int field) {
        return rows.value(field, row);
    }

    /** The same of the field of this name. */
    public @Nullable Object value(int row, String field) {
        return value(row, indexOf(field));
    }

    /** The value of a timestamp; null where there is none. */
    public @Nullable Instant instant(int row, String field) {
        int index = indexOf(field);
        return value(row, index) instanceof Long units
                ? fields().get(index).type().resolution().instant(units)
                : null;
    }

    private int indexOf(String field) {
        for (int f = 0; f < fields().size(); f++) {
            if (fields().get(f).name().equals(field)) {
                return f;
            }
        }
        throw new NoSuchElementException("there is no field " + field + " in " + fields());
    }

    /** The partition of the record that a row came in. */
    public int partition(int row) {
        return rows.partition(row);
    }

    /** The position of that record; the rows of a record of several rows share it. */
    public long position(int row) {
        return rows.position(row);
    }

    /** The place of a row in that record, from 0, among all its rows: also those that the condition is not true of. */
    public int index(int row) {
        return rows.index(row);
    }

    /**
     * By partition the position below which everything was handed over: a tail {@code from} these, and from what
     * {@link #within} adds, goes on behind this batch. A query sees all of it, also one of another client that demands
     * these.
     */
    public Map<Integer, Long> positions() {
        return positions;
    }

    /**
     * What belongs to {@link #positions} where this tail began within records ({@link TailSettings#within}); empty once
     * it has passed them. It never ends within one.
     */
    public Map<Integer, Integer> within() {
        return within;
    }

    /**
     * Positions that were passed and whose rows were not handed over, with the reason: the topic no longer has them, or
     * the stream has given them up. Queries find what was indexed of them.
     */
    public List<LostRange> missed() {
        return missed;
    }
}
