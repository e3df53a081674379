package io.waterwheel.trino;

import io.airlift.slice.Slices;
import io.trino.spi.block.Bitmap;
import io.trino.spi.block.Block;
import io.trino.spi.block.ByteArrayBlock;
import io.trino.spi.block.Fixed12Block;
import io.trino.spi.block.Int128ArrayBlock;
import io.trino.spi.block.IntArrayBlock;
import io.trino.spi.block.LongArrayBlock;
import io.trino.spi.block.VariableWidthBlock;
import io.trino.spi.type.IntegerType;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Optional;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.vector.BaseVariableWidthVector;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.DecimalVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.FixedSizeBinaryVector;
import org.apache.arrow.vector.Float4Vector;
import org.apache.arrow.vector.Float8Vector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.TimeStampMicroTZVector;
import org.apache.arrow.vector.TimeStampMilliTZVector;
import org.apache.arrow.vector.TimeStampNanoTZVector;
import org.apache.arrow.vector.UInt4Vector;

/** Copies the vectors of an answer into Trino's blocks, a column at a time. Pure functions. */
final class Blocks {
    /** Low bits of a packed time with zone that hold the zone; that of UTC is 0. */
    private static final int ZONE_BITS = 12;

    private static final long MOST_MILLIS = Long.MAX_VALUE >> ZONE_BITS;
    private static final long MICROS = 1_000;
    private static final long NANOS = 1_000_000;
    private static final int PICOS_OF_MICRO = 1_000_000;
    private static final int PICOS_OF_NANO = 1_000;
    /** What stands before an IPv4 address among those of 16 bytes, as a number of the second eight bytes. */
    private static final long MAPPED = 0xFFFF_0000L;

    private Blocks() {}

    /**
     * The block of a column.
     *
     * @param rows number of the vector's rows
     */
    static Block of(StreamColumn column, FieldVector vector, int rows) {
        Optional<long[]> valid = valid(vector, rows);
        return switch (vector) {
            case IntVector ints -> new IntArrayBlock(rows, valid, ints(ints.getDataBuffer(), rows));
            case Float4Vector floats -> new IntArrayBlock(rows, valid, ints(floats.getDataBuffer(), rows));
            case BigIntVector longs ->
                column.type().equals(IntegerType.INTEGER)
                        ? new IntArrayBlock(rows, valid, narrowed(longs(longs.getDataBuffer(), rows)))
                        : new LongArrayBlock(rows, valid, longs(longs.getDataBuffer(), rows));
            case Float8Vector doubles -> new LongArrayBlock(rows, valid, longs(doubles.getDataBuffer(), rows));
            case BitVector bits -> new ByteArrayBlock(rows, valid, bits(bits.getDataBuffer(), rows));
            case TimeStampMilliTZVector times ->
                new LongArrayBlock(rows, valid, packed(column, longs(times.getDataBuffer(), rows), valid));
            case TimeStampMicroTZVector times ->
                finer(column, longs(times.getDataBuffer(), rows), valid, MICROS, PICOS_OF_MICRO);
            case TimeStampNanoTZVector times ->
                finer(column, longs(times.getDataBuffer(), rows), valid, NANOS, PICOS_OF_NANO);
            case UInt4Vector addresses ->
                new Int128ArrayBlock(rows, valid, mapped(ints(addresses.getDataBuffer(), rows)));
            case FixedSizeBinaryVector sixteen ->
                new Int128ArrayBlock(rows, valid, longs(sixteen.getDataBuffer(), 2 * rows));
            case DecimalVector decimals -> decimals(decimals, rows, valid);
            case BaseVariableWidthVector texts -> texts(texts, rows, valid);
            default ->
                throw Failures.split("column " + column.name() + ": the server sent a " + vector.getMinorType()
                        + ", which this connector does not know; use one release everywhere");
        };
    }

    /** A bit for each row that has a value, as Arrow has them too; empty where all have. */
    private static Optional<long[]> valid(FieldVector vector, int rows) {
        if (vector.getNullCount() == 0) {
            return Optional.empty();
        }
        byte[] bytes = new byte[(rows + Long.SIZE - 1) / Long.SIZE * Long.BYTES];
        vector.getValidityBuffer().getBytes(0, bytes, 0, (rows + Byte.SIZE - 1) / Byte.SIZE);
        long[] words = new long[bytes.length / Long.BYTES];
        ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).asLongBuffer().get(words);
        return Optional.of(words);
    }

    private static ByteBuffer little(ArrowBuf buffer, long bytes) {
        return buffer.nioBuffer(0, Math.toIntExact(bytes)).order(ByteOrder.LITTLE_ENDIAN);
    }

    private static int[] ints(ArrowBuf buffer, int rows) {
        int[] values = new int[rows];
        little(buffer, (long) rows * Integer.BYTES).asIntBuffer().get(values);
        return values;
    }

    private static long[] longs(ArrowBuf buffer, int rows) {
        long[] values = new long[rows];
        little(buffer, (long) rows * Long.BYTES).asLongBuffer().get(values);
        return values;
    }

    /** Aggregates of ints are longs. */
    private static int[] narrowed(long[] values) {
        int[] ints = new int[values.length];
        for (int i = 0; i < ints.length; i++) {
            ints[i] = Math.toIntExact(values[i]);
        }
        return ints;
    }

    private static byte[] bits(ArrowBuf buffer, int rows) {
        byte[] values = new byte[rows];
        for (int i = 0; i < rows; i++) {
            values[i] = (byte) (buffer.getByte(i >> 3) >> (i & 7) & 1);
        }
        return values;
    }

    /** Milliseconds above the zone, which is UTC. */
    private static long[] packed(StreamColumn column, long[] millis, Optional<long[]> valid) {
        for (int i = 0; i < millis.length; i++) {
            millis[i] = packed(column, millis[i], valid, i);
        }
        return millis;
    }

    private static long packed(StreamColumn column, long millis, Optional<long[]> valid, int row) {
        if (millis > MOST_MILLIS || millis < -MOST_MILLIS - 1) {
            if (valid.isPresent() && !Bitmap.isSet(valid.get(), 0, row)) {
                return 0;
            }
            throw Failures.value("column " + column.name() + ": the time " + millis + " ms since 1970 is beyond Trino's"
                    + " times with a zone, which reach 69,000 years; leave such rows out by a condition on the key");
        }
        return millis << ZONE_BITS;
    }

    private static Block finer(StreamColumn column, long[] times, Optional<long[]> valid, long inMilli, int picos) {
        int[] values = new int[3 * times.length];
        for (int i = 0; i < times.length; i++) {
            long millis = packed(column, Math.floorDiv(times[i], inMilli), valid, i);
            int rest = (int) Math.floorMod(times[i], inMilli);
            Fixed12Block.encodeFixed12(millis, rest * picos, values, i);
        }
        return new Fixed12Block(times.length, valid, values);
    }

    /** Addresses of four bytes among those of sixteen: ::ffff:192.0.2.1. In memory their bytes are in order. */
    private static long[] mapped(int[] addresses) {
        long[] values = new long[2 * addresses.length];
        for (int i = 0; i < addresses.length; i++) {
            values[2 * i + 1] = (long) Integer.reverseBytes(addresses[i]) << Integer.SIZE | MAPPED;
        }
        return values;
    }

    private static Block decimals(DecimalVector vector, int rows, Optional<long[]> valid) {
        long[] halves = longs(vector.getDataBuffer(), 2 * rows);
        if (vector.getPrecision() <= io.trino.spi.type.Decimals.MAX_SHORT_PRECISION) {
            long[] values = new long[rows];
            for (int i = 0; i < rows; i++) {
                values[i] = halves[2 * i];
            }
            return new LongArrayBlock(rows, valid, values);
        }
        for (int i = 0; i < rows; i++) {
            // Arrow has the low half first, Trino the high.
            long low = halves[2 * i];
            halves[2 * i] = halves[2 * i + 1];
            halves[2 * i + 1] = low;
        }
        return new Int128ArrayBlock(rows, valid, halves);
    }

    private static Block texts(BaseVariableWidthVector vector, int rows, Optional<long[]> valid) {
        int[] offsets = rows == 0 ? new int[1] : ints(vector.getOffsetBuffer(), rows + 1);
        int first = offsets[0];
        byte[] bytes = new byte[offsets[rows] - first];
        vector.getDataBuffer().getBytes(first, bytes);
        if (first != 0) {
            for (int i = 0; i <= rows; i++) {
                offsets[i] -= first;
            }
        }
        return new VariableWidthBlock(rows, Slices.wrappedBuffer(bytes), offsets, valid);
    }
}
