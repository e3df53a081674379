package io.waterwheel.query.tail;

import io.waterwheel.decode.RecordDecoder;
import io.waterwheel.decode.RecordFacts;
import io.waterwheel.decode.RejectedRecordException;
import io.waterwheel.decode.typed.WriterSchemas;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.key.KeyMaker;
import io.waterwheel.key.RowRejects;
import io.waterwheel.query.column.ColumnNode;
import io.waterwheel.query.column.RowView;
import io.waterwheel.query.compile.ExpressionCompiler;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.query.expression.ExpressionTypes;
import io.waterwheel.query.rows.RowCopy;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.LostRange;
import io.waterwheel.tuple.TupleBlock;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Rows of records that were read from a stream's topic: those that are tuples, and that a condition is true of. Decodes
 * and tests many rows at a time, by column. One thread.
 *
 * <p>What a dispatcher would refuse is not among them; it is in the stream's dead letters.
 */
public final class TailRows {
    /** Of rows that wait to be tested together. */
    private static final long STAGED_BYTES = 256 << 10;

    /** Of a block of rows that is used again. */
    private static final long KEPT_BYTES = 1 << 20;

    private static final RowRejects PASSED_OVER = (index, reason) -> {};

    private final RowLayout stored;
    private final RowLayout layout;
    private final RecordDecoder decoder;
    private final KeyMaker keys;
    private final @Nullable ColumnNode where;
    private final RowCopy tested;
    private final RowCopy kept;
    private final TupleBlock staged;
    private final Places stagedPlaces = new Places();
    private TupleBlock rows;
    private Places places = new Places();
    private int[] selected = new int[256];
    /** By partition, the record of which a tail before this one has handed over the first rows. */
    private final Map<Integer, Begun> begun = new HashMap<>();

    /**
     * A record that was handed over in part.
     *
     * @param rows how many of its first
     */
    private record Begun(long position, int rows) {}

    /** By row, which record it is of, its place there, and its time. */
    private static final class Places {
        private int[] partitions = new int[256];
        private long[] positions = new long[256];
        private int[] indexes = new int[256];
        private long[] times = new long[256];

        void fill(int from, int to, int partition, long position) {
            ensure(to);
            Arrays.fill(partitions, from, to, partition);
            Arrays.fill(positions, from, to, position);
            for (int row = from; row < to; row++) {
                indexes[row] = row - from;
            }
        }

        void set(int row, Places of, int at, long time) {
            partitions[row] = of.partitions[at];
            positions[row] = of.positions[at];
            indexes[row] = of.indexes[at];
            times[row] = time;
        }

        void ensure(int rows) {
            if (rows > partitions.length) {
                int grown = Math.max(rows, partitions.length * 3 / 2);
                partitions = Arrays.copyOf(partitions, grown);
                positions = Arrays.copyOf(positions, grown);
                indexes = Arrays.copyOf(indexes, grown);
                times = Arrays.copyOf(times, grown);
            }
        }
    }

    /**
     * No rows yet.
     *
     * @param format of the records
     * @param where null: all rows
     * @throws io.waterwheel.error.WaterwheelException of kind USER when the condition is none over this schema
     */
    public TailRows(Schema schema, RecordFormat format, @Nullable Expression where) {
        this(schema, format, WriterSchemas.NONE, where);
    }

    /**
     * The same of records that may bring the number of their schema along.
     *
     * @param registry asked for the schemas of such numbers; {@link #add} fails as it does
     */
    public TailRows(Schema schema, RecordFormat format, WriterSchemas registry, @Nullable Expression where) {
        this.stored = RowLayout.of(schema);
        this.layout = RowLayout.ofFields(schema.fields());
        this.decoder = RecordDecoder.of(format, schema, registry);
        this.keys = KeyMaker.of(stored, schema);
        if (where != null) {
            new ExpressionTypes(schema.fields()).requireCondition(where);
        }
        this.where = where == null ? null : new ExpressionCompiler(stored).compile(where);
        this.tested = new RowCopy(stored, RowCopy.identity(stored), layout);
        this.kept = new RowCopy(layout, RowCopy.identity(layout), layout);
        this.staged = new TupleBlock(stored, 0);
        this.rows = new TupleBlock(layout, 0);
    }

    /** Hands over of one record of a partition only the rows behind its first, whatever the condition says of those. */
    public void passFirst(int partition, long position, int rows) {
        begun.put(partition, new Begun(position, rows));
    }

    /**
     * Takes a record.
     *
     * @param position of the record in its partition, as positions of the stream are counted
     * @param facts what Kafka has of it beside its value
     * @throws io.waterwheel.error.WaterwheelException of kind USER when the condition cannot be computed for a row
     */
    public void add(int partition, long position, ByteBuffer value, RecordFacts facts) {
        int before = staged.size();
        try {
            decoder.decode(value, facts, staged);
            keys.fill(staged, before, PASSED_OVER);
        } catch (RejectedRecordException e) {
            // No query finds it either: its text is a dead letter.
            return;
        }
        stagedPlaces.fill(before, staged.size(), partition, position);
        if (staged.bytes() >= STAGED_BYTES) {
            test();
        }
    }

    /** Tests the rows that wait for it. */
    private void test() {
        int count = selectAll(staged.size());
        RowView view = RowView.of(staged);
        if (where != null && count > 0) {
            try {
                count = where.keep(view, selected, count);
            } catch (WaterwheelException e) {
                int row = firstThatFails(where, view, staged.size());
                throw e.withMessage(e.getMessage() + "; in the record at " + stagedPlaces.partitions[row] + ":"
                        + stagedPlaces.positions[row]);
            }
        }
        int first = rows.size();
        tested.copy(view, selected, 0, count, rows);
        places.ensure(first + count);
        for (int i = 0; i < count; i++) {
            places.set(first + i, stagedPlaces, selected[i], staged.times()[selected[i]]);
        }
        staged.clear();
    }

    private int firstThatFails(ColumnNode where, RowView view, int size) {
        for (int row = 0; row < size - 1; row++) {
            selected[0] = row;
            try {
                where.keep(view, selected, 1);
            } catch (WaterwheelException e) {
                return row;
            }
        }
        return size - 1;
    }

    private int selectAll(int size) {
        if (selected.length < size) {
            selected = new int[size];
        }
        for (int row = 0; row < size; row++) {
            selected[row] = row;
        }
        return size;
    }

    /**
     * Keeps only what queries see.
     *
     * @param lost ranges that the stream has given up
     * @param horizon tuples of times before it have expired, milliseconds since 1970 UTC
     * @param below by partition, the position that rows must be below
     */
    public void settle(List<LostRange> lost, long horizon, Map<Integer, Long> below) {
        test();
        int count = selectAll(rows.size());
        int seen = 0;
        for (int i = 0; i < count; i++) {
            selected[seen] = i;
            boolean sees = places.positions[i] < below.getOrDefault(places.partitions[i], Long.MIN_VALUE);
            seen += sees && places.times[i] >= horizon && !isLost(lost, i) && !isPassed(i) ? 1 : 0;
        }
        if (seen == count) {
            return;
        }
        TupleBlock all = rows;
        rows = new TupleBlock(layout, seen);
        kept.copy(RowView.of(all), selected, 0, seen, rows);
        for (int i = 0; i < seen; i++) {
            places.set(i, places, selected[i], places.times[selected[i]]);
        }
    }

    private boolean isPassed(int row) {
        if (begun.isEmpty()) {
            return false;
        }
        Begun record = begun.get(places.partitions[row]);
        return record != null && record.position == places.positions[row] && places.indexes[row] < record.rows;
    }

    private boolean isLost(List<LostRange> lost, int row) {
        for (LostRange range : lost) {
            if (range.partition() == places.partitions[row] && range.contains(places.positions[row])) {
                return true;
            }
        }
        return false;
    }

    /** Forgets all rows. What many rows have made larger is given back. */
    public void clear() {
        staged.clear();
        if (rows.allocatedBytes() > KEPT_BYTES) {
            rows = new TupleBlock(layout, 0);
            places = new Places();
        } else {
            rows.clear();
        }
    }

    /** Rows, those included that are not tested yet: none may be left of them. */
    public int size() {
        return rows.size() + staged.size();
    }

    /** Bytes of these rows. */
    public long bytes() {
        return rows.bytes() + staged.bytes();
    }

    /** The stream's fields. */
    public List<Field> fields() {
        return layout.fields();
    }

    /** The value of a row's field, as {@link TupleBlock#value} has it. After {@link #settle}. */
    public @Nullable Object value(int field, int row) {
        return rows.value(field, row);
    }

    /** The partition of a row's record. After {@link #settle}. */
    public int partition(int row) {
        return places.partitions[row];
    }

    /** The place of a row in its record, from 0, among all its rows. After {@link #settle}. */
    public int index(int row) {
        return places.indexes[row];
    }

    /** The position of a row's record; rows of one record have the same. After {@link #settle}. */
    public long position(int row) {
        return places.positions[row];
    }
}
