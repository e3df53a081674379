package io.waterwheel.gateway.arrow;

import io.waterwheel.decode.RefusalKind;
import io.waterwheel.decode.RejectedRecordException;
import io.waterwheel.decode.RowAppender;
import io.waterwheel.decode.Utf8;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.PhysicalType;
import io.waterwheel.schema.text.Decimals;
import io.waterwheel.schema.text.Ipv4;
import io.waterwheel.tuple.TupleBlock;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Sets fields of a row to values of Arrow columns. A value that the field cannot hold is refused; a time that is finer
 * than the field is rounded down, to the past. One thread.
 */
final class ArrowValues {
    private static final int MOST_SHOWN = 40;

    private final RowAppender row;
    private final Decimals decimals = new Decimals();
    private final byte[] sixteen = new byte[FieldType.SIXTEEN];

    ArrowValues(RowAppender row) {
        this.row = row;
    }

    /** What a column must be for a field, in words; null when it is. */
    static @Nullable String unfit(Field field, ColumnType type) {
        ColumnType.Kind kind = type.kind();
        boolean number = kind == ColumnType.Kind.INTEGER;
        boolean text = kind == ColumnType.Kind.TEXT;
        boolean binary = kind == ColumnType.Kind.BINARY || kind == ColumnType.Kind.FIXED_BINARY;
        if (kind == ColumnType.Kind.NULL) {
            return null;
        }
        FieldType to = field.type();
        if (to.isDecimal()) {
            return number || text || kind == ColumnType.Kind.DECIMAL ? null : "decimals, integers or text";
        }
        return switch (to.physical()) {
            case INT32 -> number ? null : "integers";
            case INT64 -> {
                if (!to.isTimestamp()) {
                    yield number ? null : "integers";
                }
                yield number || kind == ColumnType.Kind.TIME ? null : "times, dates or integers";
            }
            case UINT32 -> number || text ? null : "text or integers";
            case FLOAT32, FLOAT64 -> number || kind == ColumnType.Kind.FLOATING ? null : "numbers";
            case BOOLEAN -> kind == ColumnType.Kind.BOOLEAN ? null : "booleans";
            case VARIABLE -> {
                if (to.hasSixteenBytes()) {
                    yield binary || text ? null : "text or binary of 16 bytes";
                }
                if (to == FieldType.STRING) {
                    yield text ? null : "text";
                }
                yield binary ? null : "binary";
            }
        };
    }

    /**
     * Sets a field to a value.
     *
     * @param index of the field
     * @param column that holds the value
     * @throws RejectedRecordException when the field cannot hold it
     */
    void set(int index, Field field, ArrowColumn column, int place) throws RejectedRecordException {
        if (field.type().isDecimal()) {
            setDecimal(index, field, column, place);
            return;
        }
        switch (field.type().physical()) {
            case INT32 -> row.setInteger(index, whole(field, column, place, Integer.MIN_VALUE, Integer.MAX_VALUE));
            case INT64 ->
                row.setInteger(
                        index,
                        field.type().isTimestamp()
                                ? time(field, column, place)
                                : whole(field, column, place, Long.MIN_VALUE, Long.MAX_VALUE));
            case UINT32 -> row.setInteger(index, address(field, column, place));
            case FLOAT32 -> row.setFloat(index, (float) number(field, column, place));
            case FLOAT64 -> row.setDouble(index, number(field, column, place));
            case BOOLEAN -> row.setBoolean(index, column.truth(place));
            case VARIABLE -> {
                if (field.type().hasSixteenBytes()) {
                    setSixteen(index, field, column, place);
                } else {
                    setBytes(index, field, column, place);
                }
            }
        }
    }

    private static long whole(Field field, ArrowColumn column, int place, long least, long most)
            throws RejectedRecordException {
        long value = column.integer(place);
        boolean beyond = !column.type().signed() && value < 0;
        if (beyond || value < least || value > most) {
            throw refused(
                    field,
                    "a whole number of " + 8 * field.type().width() + " bits",
                    beyond ? Long.toUnsignedString(value) : Long.toString(value));
        }
        return value;
    }

    private static double number(Field field, ArrowColumn column, int place) throws RejectedRecordException {
        if (column.type().kind() == ColumnType.Kind.INTEGER) {
            long value = whole(field, column, place, Long.MIN_VALUE, Long.MAX_VALUE);
            boolean single = field.type().physical() == PhysicalType.FLOAT32;
            double held = single ? (float) value : (double) value;
            // 2^63 is no long, and would be cut to the greatest.
            if (held >= 0x1p63 || (long) held != value) {
                throw refused(
                        field, "a whole number that a " + field.type().schemaName() + " holds exactly", "" + value);
            }
            return held;
        }
        double value = column.floating(place);
        if (field.type().physical() == PhysicalType.FLOAT32
                && Double.isFinite(value)
                && Float.isInfinite((float) value)) {
            throw refused(field, "a number in the range of a float", Double.toString(value));
        }
        return value;
    }

    /** Times in the unit of the field's type; whole numbers are counts of the unit that the schema names. */
    private static long time(Field field, ArrowColumn column, int place) throws RejectedRecordException {
        boolean counts = column.type().kind() == ColumnType.Kind.INTEGER;
        long value = whole(field, column, place, Long.MIN_VALUE, Long.MAX_VALUE);
        long from = counts ? field.unit().nanos() : column.type().unitNanos();
        long to = field.type().resolution().nanos();
        if (from <= to) {
            return Math.floorDiv(value, to / from);
        }
        long factor = from / to;
        if (value > Long.MAX_VALUE / factor || value < Long.MIN_VALUE / factor) {
            throw refused(field, "a time that a " + field.type().schemaName() + " can hold", "" + value);
        }
        return value * factor;
    }

    private static long address(Field field, ArrowColumn column, int place) throws RejectedRecordException {
        if (column.type().kind() == ColumnType.Kind.INTEGER) {
            // Columns of 32 bits with a sign are the same bits.
            boolean bits = column.type().signed() && column.type().width() == 4;
            return whole(field, column, place, bits ? Integer.MIN_VALUE : 0, 0xFFFFFFFFL) & 0xFFFFFFFFL;
        }
        int from = column.from(place);
        int to = from + column.length(place);
        long value = Ipv4.parse(column.bytes(), from, to);
        if (value < 0) {
            throw refused(field, "an IPv4 address such as 192.0.2.1", "'" + shown(column.bytes(), from, to) + "'");
        }
        return value;
    }

    private void setBytes(int index, Field field, ArrowColumn column, int place) throws RejectedRecordException {
        int from = column.from(place);
        int length = column.length(place);
        if (length > TupleBlock.MAX_VALUE_BYTES) {
            throw refused(field, "at most " + TupleBlock.MAX_VALUE_BYTES + " bytes", "" + length);
        }
        if (field.type() == FieldType.STRING && !Utf8.valid(column.bytes(), from, length)) {
            throw new RejectedRecordException(RefusalKind.TEXT, field.name() + ": is not valid UTF-8");
        }
        row.setBytes(index, column.bytes(), from, length);
    }

    private void setSixteen(int index, Field field, ArrowColumn column, int place) throws RejectedRecordException {
        int from = column.from(place);
        int length = column.length(place);
        if (column.type().kind() != ColumnType.Kind.TEXT) {
            if (length != FieldType.SIXTEEN) {
                throw refused(field, "16 bytes", "" + length);
            }
            row.setBytes(index, column.bytes(), from, length);
        } else if (field.type().parseSixteen(column.bytes(), from, from + length, sixteen)) {
            row.setBytes(index, sixteen, 0, sixteen.length);
        } else {
            throw refused(
                    field, field.type().sixteenExpected(), "'" + shown(column.bytes(), from, from + length) + "'");
        }
    }

    private void setDecimal(int index, Field field, ArrowColumn column, int place) throws RejectedRecordException {
        FieldType type = field.type();
        BigDecimal value =
                switch (column.type().kind()) {
                    case TEXT -> {
                        int from = column.from(place);
                        int to = from + column.length(place);
                        String expected = decimals.parse(column.bytes(), from, to, type.precision(), type.scale());
                        if (expected != null) {
                            throw refused(field, expected, "'" + shown(column.bytes(), from, to) + "'");
                        }
                        yield decimals.value(type.scale());
                    }
                    case DECIMAL -> column.decimal(place);
                    default -> BigDecimal.valueOf(whole(field, column, place, Long.MIN_VALUE, Long.MAX_VALUE));
                };
        try {
            if (type.variable()) {
                row.setBytes(index, Decimals.bytes(value, type.precision(), type.scale()), 0, Decimals.LONG_BYTES);
            } else {
                row.setInteger(index, Decimals.unscaled(value, type.precision(), type.scale()));
            }
        } catch (ArithmeticException e) {
            throw refused(field, Decimals.expected(type.precision(), type.scale()), value.toString());
        }
    }

    private static String shown(byte[] bytes, int from, int to) {
        String text = new String(bytes, from, Math.min(to - from, MOST_SHOWN), StandardCharsets.UTF_8);
        return text.replaceAll("\\p{Cntrl}", "?") + (to - from > MOST_SHOWN ? "..." : "");
    }

    private static RejectedRecordException refused(Field field, String expected, String got) {
        return new RejectedRecordException(field.name() + ": expected " + expected + ", got " + got);
    }
}
