package io.waterwheel.query.aggregate.state;

import com.dynatrace.hash4j.distinctcount.UltraLogLog;
import com.dynatrace.hash4j.hashing.Hasher64;
import com.dynatrace.hash4j.hashing.Hashing;
import io.waterwheel.query.column.Values;
import io.waterwheel.query.expression.ValueType;
import io.waterwheel.schema.FieldType;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The number of different values of each group: of up to {@value #MOST_HASHES} their 64-bit hashes are held, of more an
 * UltraLogLog sketch [Ertl 2024] of 4 KiB. Which of the two, and what the sketch holds, depends on the values alone,
 * not on their order or on how they were divided into parts; so does the answer.
 */
public final class DistinctSketch extends AggregateState {
    static final int MOST_HASHES = 256;

    private static final List<Column> COLUMNS = List.of(new Column(FieldType.BYTES, false));
    /** Two to this many registers of a byte: a standard error of 1.2 %. */
    private static final int PRECISION = 12;

    private static final int SKETCH_BYTES = 1 << PRECISION;
    /** Of a group that has any: the objects beside their content. */
    private static final int OBJECT_BYTES = 48;

    private static final Hasher64 HASHER = Hashing.wyhashFinal4();

    private final ValueType type;
    private int[] counts = {};
    /** By group, sorted; null when there are none yet, or there is a sketch. */
    private long[] @Nullable [] hashes = {};

    private @Nullable UltraLogLog[] sketches = {};
    private long held;

    public DistinctSketch(ValueType type) {
        this.type = type;
    }

    @Override
    public void groups(int count) {
        if (counts.length < count) {
            int length = Math.max(count, counts.length * 2);
            counts = Arrays.copyOf(counts, length);
            hashes = Arrays.copyOf(hashes, length);
            sketches = Arrays.copyOf(sketches, length);
        }
    }

    @Override
    public void add(Values values, int[] selected, int count, int[] groupOf) {
        for (int i = 0; i < count; i++) {
            int row = selected[i];
            if (values.anyNull && values.nulls[row]) {
                continue;
            }
            add(groupOf[row], type.variable() ? hash(values, values.longs[row]) : hash(Words.of(type, values, row)));
        }
    }

    private static long hash(long word) {
        return HASHER.hashLongLongToLong(word, 0);
    }

    private static long hash(Values values, long reference) {
        return HASHER.hashBytesToLong(
                values.slab(reference), values.offset(reference), TupleBlock.referenceLength(reference));
    }

    private void add(int group, long hash) {
        UltraLogLog sketch = sketches[group];
        if (sketch != null) {
            sketch.add(hash);
            return;
        }
        long[] present = hashes[group];
        if (present == null) {
            present = new long[4];
            hashes[group] = present;
            held += OBJECT_BYTES + 8L * present.length;
        }
        int at = Arrays.binarySearch(present, 0, counts[group], hash);
        if (at >= 0) {
            return;
        }
        if (counts[group] == MOST_HASHES) {
            sketch(group).add(hash);
            return;
        }
        if (counts[group] == present.length) {
            held += 8L * present.length;
            present = Arrays.copyOf(present, present.length * 2);
            hashes[group] = present;
        }
        at = -1 - at;
        System.arraycopy(present, at, present, at + 1, counts[group] - at);
        present[at] = hash;
        counts[group]++;
    }

    /** The group's sketch, of its hashes if there was none. */
    private UltraLogLog sketch(int group) {
        UltraLogLog sketch = sketches[group];
        if (sketch == null) {
            sketch = UltraLogLog.create(PRECISION);
            sketches[group] = sketch;
            held += OBJECT_BYTES + SKETCH_BYTES;
            long[] present = hashes[group];
            if (present != null) {
                for (int i = 0; i < counts[group]; i++) {
                    sketch.add(present[i]);
                }
                held -= OBJECT_BYTES + 8L * present.length;
                hashes[group] = null;
            }
        }
        return sketch;
    }

    @Override
    public boolean takesDifferentValues() {
        return true;
    }

    @Override
    public void merge(TupleBlock part, int field, int[] groupOf) {
        for (int r = 0; r < part.size(); r++) {
            long reference = getLong(part, field, r);
            int length = TupleBlock.referenceLength(reference);
            int offset = TupleBlock.referenceOffset(reference);
            if (length == SKETCH_BYTES) {
                sketch(groupOf[r]).add(UltraLogLog.wrap(Arrays.copyOfRange(part.arena(), offset, offset + length)));
            } else if (length <= 8 * MOST_HASHES && length % 8 == 0) {
                for (int at = 0; at < length; at += 8) {
                    add(groupOf[r], LittleEndian.getLong(part.arena(), offset + at));
                }
            } else {
                throw new IllegalArgumentException("a partial sketch of " + length + " bytes");
            }
        }
    }

    @Override
    public List<Column> columns() {
        return COLUMNS;
    }

    /** The sketch, or the hashes: their lengths tell which. */
    @Override
    public void writePart(TupleBlock part, int row, int field, int group) {
        UltraLogLog sketch = sketches[group];
        byte[] bytes;
        if (sketch != null) {
            bytes = sketch.getState();
        } else {
            bytes = new byte[8 * counts[group]];
            long[] present = hashes[group];
            for (int i = 0; present != null && i < counts[group]; i++) {
                LittleEndian.putLong(bytes, 8 * i, present[i]);
            }
        }
        putLong(part, field, row, part.addToArena(bytes, 0, bytes.length));
    }

    @Override
    public boolean writeAnswer(TupleBlock answer, int row, int field, int group) {
        UltraLogLog sketch = sketches[group];
        putLong(answer, field, row, sketch == null ? counts[group] : Math.round(sketch.getDistinctCountEstimate()));
        return true;
    }

    @Override
    public long bytes() {
        return held + 20L * counts.length;
    }
}
