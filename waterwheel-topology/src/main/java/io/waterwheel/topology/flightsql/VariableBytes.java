package io.waterwheel.topology.flightsql;

import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.vector.BaseLargeVariableWidthVector;
import org.apache.arrow.vector.BaseVariableWidthVector;
import org.apache.arrow.vector.BaseVariableWidthViewVector;
import org.apache.arrow.vector.FieldVector;
import org.jspecify.annotations.Nullable;

/**
 * Where the bytes of a text lie, or of bytes: by offsets of 32 bits, of 64 bits as pandas and polars write them, or by
 * views. A client's vectors are looked at before they are read.
 *
 * @param from of the first byte in the buffer
 */
record VariableBytes(ArrowBuf buffer, long from, int length) {
    /** Of a view, whose short values lie in itself. */
    private static final int VIEW_BYTES = 16;

    private static final int SHORT_BYTES = 12;
    private static final int INDEX_AT = 8;
    private static final int OFFSET_AT = 12;

    /** Whether a vector has such values. */
    static boolean of(FieldVector vector) {
        return vector instanceof BaseVariableWidthVector
                || vector instanceof BaseLargeVariableWidthVector
                || vector instanceof BaseVariableWidthViewVector;
    }

    /** Of a value that is not null; null where the buffers are shorter than they say. */
    static @Nullable VariableBytes find(FieldVector vector, int row) {
        if (vector instanceof BaseVariableWidthViewVector views) {
            return find(views, row);
        }
        boolean large = vector instanceof BaseLargeVariableWidthVector;
        int width = large ? Long.BYTES : Integer.BYTES;
        ArrowBuf offsets = vector.getOffsetBuffer();
        if (offsets.capacity() < (row + 2L) * width) {
            return null;
        }
        long at = (long) row * width;
        long from = large ? offsets.getLong(at) : offsets.getInt(at);
        long to = large ? offsets.getLong(at + width) : offsets.getInt(at + width);
        ArrowBuf data = vector.getDataBuffer();
        return from < 0 || to < from || to > data.capacity() || to - from > Integer.MAX_VALUE
                ? null
                : new VariableBytes(data, from, (int) (to - from));
    }

    private static @Nullable VariableBytes find(BaseVariableWidthViewVector vector, int row) {
        ArrowBuf views = vector.getDataBuffer();
        long at = (long) row * VIEW_BYTES;
        if (views.capacity() < at + VIEW_BYTES) {
            return null;
        }
        int length = views.getInt(at);
        if (length >= 0 && length <= SHORT_BYTES) {
            return new VariableBytes(views, at + Integer.BYTES, length);
        }
        int index = views.getInt(at + INDEX_AT);
        long from = views.getInt(at + OFFSET_AT);
        if (length < 0 || index < 0 || index >= vector.getDataBuffers().size()) {
            return null;
        }
        ArrowBuf data = vector.getDataBuffers().get(index);
        return from < 0 || from + length > data.capacity() ? null : new VariableBytes(data, from, length);
    }

    byte[] copy() {
        byte[] bytes = new byte[length];
        buffer.getBytes(from, bytes);
        return bytes;
    }
}
