package io.waterwheel.benchmark.comparison;

import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;

/** A 64-bit hash of each row's fields, the same for a row of a stored block and of a result block. */
final class RowHashes {
    private static final long FIRST = 0x9E3779B97F4A7C15L;
    private static final long NULL = 0x5851F42D4C957F2DL;

    private final RowLayout layout;
    private final int fields;

    /** @param layout whose fields are those hashed, in order */
    RowHashes(RowLayout layout) {
        this.layout = layout;
        this.fields = layout.fields().size();
    }

    long of(TupleBlock block, int row) {
        long hash = FIRST;
        for (int f = 0; f < fields; f++) {
            hash = mix(hash ^ field(block, f, row)) + f;
        }
        return hash;
    }

    private long field(TupleBlock block, int field, int row) {
        if (layout.nullBit(field) >= 0 && block.isNull(field, row)) {
            return NULL;
        }
        FieldType type = layout.fields().get(field).type();
        int column = layout.columnOf(field);
        if (column < 0) {
            long value = column == RowLayout.KEY ? block.keys()[row] : block.times()[row];
            return type.width() == 4 ? (int) value : value;
        }
        byte[] bytes = block.column(column);
        if (type.variable()) {
            long reference = LittleEndian.getLong(bytes, row * 8);
            int from = TupleBlock.referenceOffset(reference);
            int to = from + TupleBlock.referenceLength(reference);
            long hash = TupleBlock.referenceLength(reference);
            for (int i = from; i < to; i++) {
                hash = hash * 0x100000001B3L + block.arena()[i];
            }
            return hash;
        }
        return switch (type.width()) {
            case 1 -> bytes[row];
            case 4 -> LittleEndian.getInt(bytes, row * 4);
            default -> LittleEndian.getLong(bytes, row * 8);
        };
    }

    /** Finalizer of murmur3. */
    static long mix(long value) {
        long x = value;
        x = (x ^ (x >>> 33)) * 0xFF51AFD7ED558CCDL;
        x = (x ^ (x >>> 33)) * 0xC4CEB9FE1A85EC53L;
        return x ^ (x >>> 33);
    }
}
