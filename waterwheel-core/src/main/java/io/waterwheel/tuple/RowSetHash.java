package io.waterwheel.tuple;

import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.PhysicalType;
import io.waterwheel.schema.RowLayout;

/**
 * The number of rows of a set and a fingerprint of it that does not depend on their order: the same rows give the same,
 * and two sets that differ in any row, or in how often it is there, almost never do (two sums of 64 bits). Rows of
 * stored and of result layouts are alike, as far as the fields are. Not made to withstand an adversary. One thread.
 */
public final class RowSetHash {
    private static final long NULL = 0x6E756C6CL;
    private static final long NEXT_FIELD = 0x9E3779B97F4A7C15L;

    private long rows;
    private long sum;
    private long mixedSum;

    /** Adds a row of a block. */
    public void add(TupleBlock block, int row) {
        long hash = rowHash(block, row);
        rows++;
        sum += hash;
        mixedSum += mix(hash ^ NEXT_FIELD);
    }

    /** Adds all rows of another set. */
    public void add(RowSetHash other) {
        rows += other.rows;
        sum += other.sum;
        mixedSum += other.mixedSum;
    }

    /** Number of rows. */
    public long rows() {
        return rows;
    }

    /** 32 hexadecimal digits. */
    public String fingerprint() {
        return String.format(java.util.Locale.ROOT, "%016x%016x", sum, mixedSum);
    }

    /** Whether both hold the same rows, each as often. */
    public boolean agrees(RowSetHash other) {
        return rows == other.rows && sum == other.sum && mixedSum == other.mixedSum;
    }

    private static long rowHash(TupleBlock block, int row) {
        RowLayout layout = block.layout();
        long hash = 0;
        for (int field = 0; field < layout.fields().size(); field++) {
            hash = mix(hash + NEXT_FIELD + fieldHash(block, layout, field, row));
        }
        return hash;
    }

    private static long fieldHash(TupleBlock block, RowLayout layout, int field, int row) {
        if (block.isNull(field, row)) {
            return NULL;
        }
        FieldType type = layout.fields().get(field).type();
        int column = layout.columnOf(field);
        if (column == RowLayout.TIME) {
            return block.times()[row];
        }
        if (column == RowLayout.KEY) {
            return type.physical() == PhysicalType.UINT32 ? (int) block.keys()[row] : block.keys()[row];
        }
        byte[] bytes = block.column(column);
        return switch (type.width()) {
            case 1 -> bytes[row];
            case 4 -> LittleEndian.getInt(bytes, row * 4);
            default -> {
                long value = LittleEndian.getLong(bytes, row * 8);
                yield type.variable() ? bytesHash(block.arena(), value) : value;
            }
        };
    }

    private static long bytesHash(byte[] arena, long reference) {
        int from = TupleBlock.referenceOffset(reference);
        int length = TupleBlock.referenceLength(reference);
        long hash = length;
        int at = from;
        for (; at + 8 <= from + length; at += 8) {
            hash = mix(hash ^ LittleEndian.getLong(arena, at));
        }
        for (; at < from + length; at++) {
            hash = mix(hash ^ (arena[at] & 0xFF));
        }
        return hash;
    }

    /** The finaliser of SplitMix64 [Steele 2014]. */
    private static long mix(long value) {
        long z = (value ^ (value >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }
}
