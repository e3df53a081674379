package io.waterwheel.sql.duckdb;

import java.lang.reflect.Field;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.duckdb.DuckDBWritableVector;
import org.jspecify.annotations.Nullable;

/**
 * The memory of DuckDB's vectors, which takes a column of numbers by one copy. DuckDB's interface sets each value by a
 * call that takes a lock: 20 to 30 ns, which is most of what writing a table takes. The memory is in two private
 * fields. Where a release of DuckDB has other ones, values are set by the interface, as the rest is.
 */
final class VectorMemory {
    private static final @Nullable Field DATA = field("data");
    /** A bit a row, from the lowest of words of 64: whether it has a value. */
    private static final @Nullable Field VALIDITY = field("validity");

    private VectorMemory() {}

    private static @Nullable Field field(String name) {
        try {
            Field field = DuckDBWritableVector.class.getDeclaredField(name);
            field.setAccessible(true);
            return field.getType() == ByteBuffer.class && ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN
                    ? field
                    : null;
        } catch (ReflectiveOperationException | RuntimeException e) {
            // Standard error is what the parent logs.
            System.err.println("DuckDB's vectors have no field " + name + ", so rows are written value by value: " + e);
            return null;
        }
    }

    /** Whether there is a way to the memory. */
    static boolean isKnown() {
        return DATA != null && VALIDITY != null;
    }

    /**
     * Sets values of 8 bytes from the vector's first row on.
     *
     * @param values the bytes, little-endian
     * @param from of the first byte
     * @param valid by row a bit, from the lowest on, whether it has a value
     * @param rows at most as many as the vector has
     */
    static void put(DuckDBWritableVector vector, byte[] values, int from, long[] valid, int rows) {
        if (rows > vector.rowCount()) {
            throw new IndexOutOfBoundsException(rows + " rows in a vector of " + vector.rowCount());
        }
        buffer(DATA, vector).put(0, values, from, rows * Long.BYTES);
        buffer(VALIDITY, vector).asLongBuffer().put(0, valid, 0, words(rows));
    }

    /** Longs that hold a bit a row. */
    static int words(int rows) {
        return (rows + Long.SIZE - 1) / Long.SIZE;
    }

    private static ByteBuffer buffer(@Nullable Field field, DuckDBWritableVector vector) {
        if (field == null) {
            throw new IllegalStateException("the memory of vectors is not known");
        }
        try {
            // With the vector's own order of bytes.
            return (ByteBuffer) field.get(vector);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException("the memory of a vector", e);
        }
    }
}
