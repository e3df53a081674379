package io.waterwheel.topology.flightsql;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.SqlParameters;
import io.waterwheel.query.Statement;
import io.waterwheel.query.expression.Expression;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.vector.BaseFixedWidthVector;
import org.apache.arrow.vector.BaseIntVector;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.DateDayVector;
import org.apache.arrow.vector.DateMilliVector;
import org.apache.arrow.vector.DecimalVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.Float4Vector;
import org.apache.arrow.vector.Float8Vector;
import org.apache.arrow.vector.LargeVarCharVector;
import org.apache.arrow.vector.NullVector;
import org.apache.arrow.vector.TimeStampVector;
import org.apache.arrow.vector.UInt8Vector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ViewVarCharVector;
import org.apache.arrow.vector.dictionary.Dictionary;
import org.apache.arrow.vector.dictionary.DictionaryProvider;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.DictionaryEncoding;

/** The rows of values that a client binds to a prepared statement. What it sends is looked at before it is read. */
final class BoundRow {
    private static final long MILLIS_A_DAY = 86_400_000L;

    /** In a parameter's metadata: its times are announced in milliseconds, and those of the column beside it finer. */
    static final String COARSE = "waterwheel.milliseconds";

    /** A count of a finer unit, taken for milliseconds, lies behind it: one of microseconds from 1978-01-12 on. */
    private static final long END_OF_9999 = 253_402_300_800_000L;

    /** Of all rows of a batch. */
    static final int MOST_VALUES = 200_000;

    /** Memory of the values of a batch, on the heap. */
    static final long MOST_BYTES = 32L << 20;
    /** Of a value itself. */
    private static final long VALUE_BYTES = 64;

    private BoundRow() {}

    /**
     * The values of one row; none when the client sends none.
     *
     * @throws WaterwheelException code BAD_REQUEST, when it is not one row of values that a statement can take
     */
    static List<Expression.Literal> read(FlightStream stream, BoundMemory.Share memory) {
        List<List<Expression.Literal>> rows = readAll(stream, memory, 1);
        return rows.isEmpty() ? List.of() : rows.get(0);
    }

    /**
     * The values of all rows.
     *
     * @param memory takes what they hold, before they are made
     * @throws WaterwheelException code BAD_REQUEST, when they are not what a statement can take, or too many
     */
    static List<List<Expression.Literal>> readAll(FlightStream stream, BoundMemory.Share memory) {
        return readAll(stream, memory, Integer.MAX_VALUE);
    }

    private static List<List<Expression.Literal>> readAll(FlightStream stream, BoundMemory.Share memory, int mostRows) {
        List<List<Expression.Literal>> rows = new ArrayList<>();
        while (stream.next()) {
            add(stream.getRoot(), stream.getDictionaryProvider(), memory, mostRows, rows);
        }
        return rows;
    }

    /** Adds the rows of one message. */
    static void add(
            VectorSchemaRoot root,
            DictionaryProvider dictionaries,
            BoundMemory.Share memory,
            int mostRows,
            List<List<Expression.Literal>> rows) {
        int columns = root.getFieldVectors().size();
        if (columns > Statement.MAX_PARAMETERS) {
            throw bad("expected at most " + Statement.MAX_PARAMETERS + " values, got " + columns);
        }
        if (root.getRowCount() > mostRows - rows.size()) {
            throw bad("expected one row of values, got more: execute the statement once for each");
        }
        if (((long) rows.size() + root.getRowCount()) * Math.max(1, columns) > MOST_VALUES) {
            throw bad("expected at most " + MOST_VALUES + " values in a batch, got more: divide it");
        }
        for (int row = 0; row < root.getRowCount(); row++) {
            memory.take(VALUE_BYTES);
            List<Expression.Literal> values = new ArrayList<>(columns);
            for (FieldVector vector : root.getFieldVectors()) {
                try {
                    Cell cell = cell(vector, row, dictionaries);
                    memory.take(held(cell.vector(), cell.row()));
                    values.add(value(cell.vector(), cell.row()));
                } catch (IllegalArgumentException
                        | IndexOutOfBoundsException
                        | ArithmeticException
                        | UnsupportedOperationException e) {
                    throw bad("value " + (values.size() + 1) + ": " + e.getMessage());
                }
            }
            rows.add(values);
        }
    }

    /** Where a value stands: in the column, or in the dictionary that the column has the numbers of. */
    private record Cell(FieldVector vector, int row) {}

    private static Cell cell(FieldVector vector, int row, DictionaryProvider dictionaries) {
        DictionaryEncoding encoding = vector.getField().getDictionary();
        if (encoding == null) {
            return new Cell(vector, row);
        }
        requireWhole(vector, row);
        if (vector.isNull(row)) {
            return new Cell(vector, row);
        }
        Dictionary dictionary = dictionaries.lookup(encoding.getId());
        long at = ((BaseIntVector) vector).getValueAsLong(row);
        if (dictionary == null || at < 0 || at >= dictionary.getVector().getValueCount()) {
            throw new IllegalArgumentException("its dictionary has no value " + at);
        }
        return new Cell(dictionary.getVector(), (int) at);
    }

    private static WaterwheelException bad(String what) {
        return new WaterwheelException(ErrorCode.BAD_REQUEST, "parameters: " + what);
    }

    static Expression.Literal value(FieldVector vector, int row) {
        if (vector instanceof NullVector) {
            return new Expression.Null();
        }
        requireWhole(vector, row);
        if (vector.isNull(row)) {
            return new Expression.Null();
        } else if (vector instanceof UInt8Vector unsigned && unsigned.get(row) < 0) {
            throw new IllegalArgumentException(
                    Long.toUnsignedString(unsigned.get(row)) + " exceeds 64 bits with a sign");
        } else if (vector instanceof BaseIntVector whole) {
            return new Expression.Whole(whole.getValueAsLong(row));
        } else if (vector instanceof Float8Vector number) {
            return new Expression.Decimal(number.get(row));
        } else if (vector instanceof Float4Vector number) {
            return new Expression.Decimal(number.get(row));
        } else if (vector instanceof BitVector truth) {
            return new Expression.Truth(truth.get(row) != 0);
        } else if (VariableBytes.of(vector)) {
            byte[] bytes = bytes(vector, row).copy();
            return isText(vector)
                    ? new Expression.Text(text(bytes))
                    : new Expression.Hex(HexFormat.of().formatHex(bytes));
        } else if (vector instanceof TimeStampVector time) {
            requireMillis(time, row);
            return new Expression.Moment(
                    instant(time.get(row), (ArrowType.Timestamp) time.getField().getType()));
        } else if (vector instanceof DateDayVector day) {
            return new Expression.Moment(Instant.ofEpochMilli(day.get(row) * MILLIS_A_DAY));
        } else if (vector instanceof DateMilliVector day) {
            return new Expression.Moment(Instant.ofEpochMilli(day.get(row)));
        } else if (vector instanceof DecimalVector decimal) {
            return SqlParameters.of(decimal.getObject(row));
        }
        throw new IllegalArgumentException(
                "a value of type " + vector.getField().getType()
                        + " is not supported; numbers, text, booleans, bytes, dates and timestamps are");
    }

    private static void requireMillis(TimeStampVector time, int row) {
        long value = time.get(row);
        if (time.getField().getMetadata().containsKey(COARSE) && (value >= END_OF_9999 || value < -END_OF_9999)) {
            throw new IllegalArgumentException("expected a time in milliseconds since 1970, as setTimestamp gives it,"
                    + " of at most the year 9999, got " + value
                    + "; write a finer one into the statement");
        }
    }

    private static boolean isText(FieldVector vector) {
        return vector instanceof VarCharVector
                || vector instanceof LargeVarCharVector
                || vector instanceof ViewVarCharVector;
    }

    private static String text(byte[] bytes) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException("its text is no UTF-8", e);
        }
    }

    /** Bytes of the heap that a value takes, about. */
    private static long held(FieldVector vector, int row) {
        if (!VariableBytes.of(vector)) {
            return VALUE_BYTES;
        }
        requireWhole(vector, row);
        return VALUE_BYTES + (vector.isNull(row) ? 0 : 2L * bytes(vector, row).length());
    }

    private static Instant instant(long value, ArrowType.Timestamp type) {
        long aSecond =
                switch (type.getUnit()) {
                    case SECOND -> 1;
                    case MILLISECOND -> 1000;
                    case MICROSECOND -> 1_000_000;
                    case NANOSECOND -> 1_000_000_000;
                };
        return Instant.ofEpochSecond(
                Math.floorDiv(value, aSecond), Math.floorMod(value, aSecond) * (1_000_000_000 / aSecond));
    }

    /** That the buffers of a value are as long as they must be. */
    private static void requireWhole(FieldVector vector, int row) {
        long bits = row / Byte.SIZE + 1L;
        boolean whole =
                row < vector.getValueCount() && vector.getValidityBuffer().capacity() >= bits;
        if (vector instanceof BitVector) {
            whole &= vector.getDataBuffer().capacity() >= bits;
        } else if (vector instanceof BaseFixedWidthVector fixed) {
            whole &= vector.getDataBuffer().capacity() >= (row + 1L) * fixed.getTypeWidth();
        }
        if (!whole) {
            throw tooShort();
        }
    }

    private static VariableBytes bytes(FieldVector vector, int row) {
        VariableBytes found = VariableBytes.find(vector, row);
        if (found == null) {
            throw tooShort();
        }
        return found;
    }

    private static IllegalArgumentException tooShort() {
        return new IllegalArgumentException("its buffers are shorter than they say");
    }
}
