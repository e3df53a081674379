package io.waterwheel.topology.flightsql;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.Statement;
import io.waterwheel.query.expression.Expression;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.vector.BaseFixedWidthVector;
import org.apache.arrow.vector.BaseIntVector;
import org.apache.arrow.vector.BaseVariableWidthVector;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.DateDayVector;
import org.apache.arrow.vector.DateMilliVector;
import org.apache.arrow.vector.DecimalVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.Float4Vector;
import org.apache.arrow.vector.Float8Vector;
import org.apache.arrow.vector.NullVector;
import org.apache.arrow.vector.TimeStampVector;
import org.apache.arrow.vector.VarBinaryVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.ArrowType;

/** The row of values that a client binds to a prepared statement. What it sends is looked at before it is read. */
final class BoundRow {
    private static final long MILLIS_A_DAY = 86_400_000L;

    private BoundRow() {}

    /**
     * The values of one row.
     *
     * @throws WaterwheelException code BAD_REQUEST, when it is not one row of values that a statement can take
     */
    static List<Expression.Literal> read(FlightStream stream) {
        List<Expression.Literal> values = null;
        while (stream.next()) {
            VectorSchemaRoot root = stream.getRoot();
            if (root.getRowCount() == 0) {
                continue;
            }
            if (values != null || root.getRowCount() != 1) {
                throw bad("expected one row of values, got more: execute the statement once for each");
            }
            if (root.getFieldVectors().size() > Statement.MAX_PARAMETERS) {
                throw bad("expected at most " + Statement.MAX_PARAMETERS + " values, got "
                        + root.getFieldVectors().size());
            }
            values = new ArrayList<>();
            for (FieldVector vector : root.getFieldVectors()) {
                try {
                    values.add(value(vector));
                } catch (IllegalArgumentException
                        | IndexOutOfBoundsException
                        | ArithmeticException
                        | UnsupportedOperationException e) {
                    throw bad("value " + (values.size() + 1) + ": " + e.getMessage());
                }
            }
        }
        return values == null ? List.of() : values;
    }

    private static WaterwheelException bad(String what) {
        return new WaterwheelException(ErrorCode.BAD_REQUEST, "parameters: " + what);
    }

    static Expression.Literal value(FieldVector vector) {
        if (vector instanceof NullVector) {
            return new Expression.Null();
        }
        requireWhole(vector);
        if (vector.isNull(0)) {
            return new Expression.Null();
        } else if (vector instanceof BaseIntVector whole) {
            return new Expression.Whole(whole.getValueAsLong(0));
        } else if (vector instanceof Float8Vector number) {
            return new Expression.Decimal(number.get(0));
        } else if (vector instanceof Float4Vector number) {
            return new Expression.Decimal(number.get(0));
        } else if (vector instanceof BitVector truth) {
            return new Expression.Truth(truth.get(0) != 0);
        } else if (vector instanceof VarCharVector text) {
            return new Expression.Text(new String(text.get(0), java.nio.charset.StandardCharsets.UTF_8));
        } else if (vector instanceof VarBinaryVector bytes) {
            return new Expression.Hex(HexFormat.of().formatHex(bytes.get(0)));
        } else if (vector instanceof TimeStampVector time) {
            return new Expression.Moment(
                    instant(time.get(0), (ArrowType.Timestamp) time.getField().getType()));
        } else if (vector instanceof DateDayVector day) {
            return new Expression.Moment(Instant.ofEpochMilli(day.get(0) * MILLIS_A_DAY));
        } else if (vector instanceof DateMilliVector day) {
            return new Expression.Moment(Instant.ofEpochMilli(day.get(0)));
        } else if (vector instanceof DecimalVector decimal) {
            return number(decimal.getObject(0));
        }
        throw new IllegalArgumentException(
                "a value of type " + vector.getField().getType()
                        + " is not supported; numbers, text, booleans, bytes, dates and timestamps are");
    }

    private static Expression.Literal number(BigDecimal decimal) {
        return decimal.scale() <= 0 || decimal.stripTrailingZeros().scale() <= 0
                ? new Expression.Whole(decimal.longValueExact())
                : new Expression.Decimal(decimal.doubleValue());
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

    /** That the buffers of one value are as long as they must be. */
    private static void requireWhole(FieldVector vector) {
        boolean whole =
                vector.getValueCount() == 1 && vector.getValidityBuffer().capacity() >= 1;
        if (vector instanceof BitVector) {
            whole &= vector.getDataBuffer().capacity() >= 1;
        } else if (vector instanceof BaseFixedWidthVector fixed) {
            whole &= vector.getDataBuffer().capacity() >= fixed.getTypeWidth();
        } else if (vector instanceof BaseVariableWidthVector) {
            ArrowBuf offsets = vector.getOffsetBuffer();
            whole &= offsets.capacity() >= 2L * Integer.BYTES;
            if (whole) {
                int from = offsets.getInt(0);
                int to = offsets.getInt(Integer.BYTES);
                whole = from >= 0 && to >= from && to <= vector.getDataBuffer().capacity();
            }
        }
        if (!whole) {
            throw new IllegalArgumentException("its buffers are shorter than they say");
        }
    }
}
