package io.waterwheel.decode;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.waterwheel.decode.typed.MalformedException;
import io.waterwheel.decode.typed.ValueKind;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.RecordText;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.TimestampUnit;
import io.waterwheel.schema.text.Decimals;
import io.waterwheel.tuple.TupleBlock;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.LocalDate;
import java.time.LocalTime;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Makes the values of fields from values that have a type where they come from, and sets them in a row: the one place
 * that says which kind of value becomes a value of which type. One thread.
 */
final class TypedValues {
    private static final double EXACT = 1L << 53;
    private static final long DAY_SECONDS = 86_400;
    /** Of a date that is written, within the years 0 to 9999. */
    private static final long FIRST_DAY = -719_528;

    private static final long LAST_DAY = 2_932_896;
    /** Digits before and behind the point of decimals that become text. */
    private static final int MOST_DECIMAL_BYTES = 4096;

    /** Digits of a decimal that a message shows. */
    private static final int MOST_SHOWN = 100;

    private final RowAppender row;
    private final Timestamps timestamps;
    private final ValueParser parser;
    private final boolean textNumbers;
    private final @Nullable String noZone;

    TypedValues(RowAppender row, Schema schema) {
        this.row = row;
        RecordText text = schema.text();
        RecordText plain = RecordText.DEFAULT.withJson(text.json()).withTimes(text.zone(), text.times());
        this.parser = new ValueParser(row, plain);
        this.timestamps = new Timestamps(new Numbers(), plain);
        this.textNumbers = text.json().textNumbers();
        this.noZone = text.zone() != null
                ? null
                : "no zone says what the clocks mean: name it by records: {zone: Europe/Berlin}";
    }

    /** Why no value of a kind can be one of this field; null when some can. */
    @Nullable
    String unfit(int field, ValueKind kind) {
        FieldType type = row.types[field];
        boolean fits =
                switch (kind) {
                    case INTEGER ->
                        type.isNumber()
                                || type.isDecimal()
                                || type.isTimestamp()
                                || (textNumbers && type == FieldType.STRING);
                    case NUMBER -> type == FieldType.FLOAT || type == FieldType.DOUBLE;
                    case BOOLEAN -> type == FieldType.BOOLEAN;
                    case TEXT ->
                        type != FieldType.BYTES && (textNumbers || !(type.isNumber() || type == FieldType.BOOLEAN));
                    case ENUMERATION -> type != FieldType.BYTES && !type.isNumber() && type != FieldType.BOOLEAN;
                    case BYTES -> type == FieldType.BYTES || type.hasSixteenBytes() || type == FieldType.IPV4;
                    case INSTANT -> type.isTimestamp() || type == FieldType.LONG;
                    case LOCAL_TIME -> type.isTimestamp();
                    case DATE -> type.isTimestamp() || type == FieldType.INT || type == FieldType.STRING;
                    case TIME_OF_DAY -> type == FieldType.INT || type == FieldType.LONG || type == FieldType.STRING;
                    case DECIMAL -> type.isNumber() || type.isDecimal() || type == FieldType.STRING;
                    case STRUCTURE -> false;
                };
        if (!fits) {
            return "field " + row.names[field] + " of type " + type.schemaName() + " cannot be " + kind.words()
                    + (kind == ValueKind.TEXT && type.isNumber() ? ", but with records: {numbers: text}" : "")
                    + (kind == ValueKind.STRUCTURE ? ": name one of them by from, such as $.a.b or $.a[0]" : "");
        }
        return kind == ValueKind.LOCAL_TIME && noZone != null ? "field " + row.names[field] + ": " + noZone : null;
    }

    private MalformedException refused(int field, String expected, Object got) {
        return new MalformedException(row.names[field] + ": expected " + expected + ", got " + got);
    }

    private MalformedException outside(int field, Object got) {
        return refused(field, "a value in the range of type " + row.types[field].schemaName(), got);
    }

    void integer(int field, long value) throws MalformedException {
        switch (row.types[field].kind()) {
            case INT -> {
                if (value != (int) value) {
                    throw refused(field, "a whole number of 32 bits", value);
                }
                row.setInteger(field, value);
            }
            case LONG -> row.setInteger(field, value);
            case FLOAT -> row.setFloat(field, (float) value);
            case DOUBLE -> row.setDouble(field, (double) value);
            case TIMESTAMP, TIMESTAMP_US, TIMESTAMP_NS -> instant(field, value, row.fields[field].unit());
            case STRING -> ascii(field, Long.toString(value));
            case DECIMAL -> decimal(field, BigDecimal.valueOf(value));
            default -> throw refused(field, row.types[field].schemaName(), value);
        }
    }

    void unsigned(int field, long value) throws MalformedException {
        if (value >= 0) {
            integer(field, value);
            return;
        }
        switch (row.types[field].kind()) {
            case FLOAT -> row.setFloat(field, new BigInteger(Long.toUnsignedString(value)).floatValue());
            case DOUBLE -> row.setDouble(field, new BigInteger(Long.toUnsignedString(value)).doubleValue());
            case STRING -> ascii(field, Long.toUnsignedString(value));
            case DECIMAL -> decimal(field, new BigDecimal(Long.toUnsignedString(value)));
            default -> throw outside(field, Long.toUnsignedString(value));
        }
    }

    void single(int field, float value) throws MalformedException {
        switch (row.types[field].kind()) {
            case FLOAT -> row.setFloat(field, value);
            case DOUBLE -> row.setDouble(field, value);
            default -> throw refused(field, row.types[field].schemaName(), value);
        }
    }

    void number(int field, double value) throws MalformedException {
        switch (row.types[field].kind()) {
            case FLOAT -> {
                float narrow = (float) value;
                if (Float.isInfinite(narrow) && !Double.isInfinite(value)) {
                    throw outside(field, value);
                }
                row.setFloat(field, narrow);
            }
            case DOUBLE -> row.setDouble(field, value);
            default -> throw refused(field, row.types[field].schemaName(), value);
        }
    }

    void bool(int field, boolean value) throws MalformedException {
        if (row.types[field] != FieldType.BOOLEAN) {
            throw refused(field, row.types[field].schemaName(), value);
        }
        row.setBoolean(field, value);
    }

    void text(int field, byte[] bytes, int offset, int length) throws MalformedException {
        try {
            parser.text(field, bytes, offset, offset + length);
        } catch (RejectedRecordException e) {
            throw new MalformedException(String.valueOf(e.getMessage()));
        }
    }

    private void ascii(int field, String text) throws MalformedException {
        byte[] bytes = text.getBytes(US_ASCII);
        row.setBytes(field, bytes, 0, bytes.length);
    }

    void bytes(int field, byte[] bytes, int offset, int length) throws MalformedException {
        FieldType type = row.types[field];
        int expected = type.hasSixteenBytes() ? FieldType.SIXTEEN : type == FieldType.IPV4 ? Integer.BYTES : length;
        if (length != expected) {
            throw refused(field, expected + " bytes", length);
        }
        if (type == FieldType.IPV4) {
            long value = 0;
            for (int i = 0; i < length; i++) {
                value = value << 8 | (bytes[offset + i] & 0xFF);
            }
            row.setInteger(field, value);
            return;
        }
        if (length > TupleBlock.MAX_VALUE_BYTES) {
            throw refused(field, "at most " + TupleBlock.MAX_VALUE_BYTES + " bytes", length);
        }
        row.setBytes(field, bytes, offset, length);
    }

    void instant(int field, long units, TimestampUnit unit) throws MalformedException {
        Field of = row.fields[field];
        if (!of.type().isTimestamp()) {
            row.setInteger(field, units);
            return;
        }
        long value = timestamps.count(units, 0, unit, of.type().resolution());
        if (timestamps.failed) {
            throw outside(field, units + " " + unit.schemaName());
        }
        row.setInteger(field, value);
    }

    void instant(int field, long seconds, int nanos) throws MalformedException {
        Field of = row.fields[field];
        TimestampUnit resolution = of.type().isTimestamp() ? of.type().resolution() : TimestampUnit.MILLISECONDS;
        long value = timestamps.count(seconds, nanos, TimestampUnit.SECONDS, resolution);
        if (timestamps.failed) {
            throw outside(field, seconds + " s and " + nanos + " ns");
        }
        row.setInteger(field, value);
    }

    void local(int field, long units, TimestampUnit unit) throws MalformedException {
        long perSecond = TimestampUnit.SECONDS.nanos() / unit.nanos();
        long seconds = Math.floorDiv(units, perSecond);
        int nanos = (int) (Math.floorMod(units, perSecond) * unit.nanos());
        day(field, Math.floorDiv(seconds, DAY_SECONDS));
        set(field, timestamps.local(seconds, nanos, row.types[field].resolution()), units + " " + unit.schemaName());
    }

    private void set(int field, long value, Object got) throws MalformedException {
        if (timestamps.failed) {
            throw refused(field, timestamps.expected(row.fields[field]), got);
        }
        row.setInteger(field, value);
    }

    private long day(int field, long days) throws MalformedException {
        if (days < FIRST_DAY || days > LAST_DAY) {
            throw refused(field, "a day of the years 0 to 9999", days + " days since 1970");
        }
        return days;
    }

    void date(int field, long days) throws MalformedException {
        switch (row.types[field].kind()) {
            case INT -> integer(field, days);
            case STRING -> ascii(field, LocalDate.ofEpochDay(day(field, days)).toString());
            default ->
                set(field, timestamps.day(day(field, days), row.types[field].resolution()), days + " days since 1970");
        }
    }

    void timeOfDay(int field, long units, TimestampUnit unit) throws MalformedException {
        if (units < 0 || units >= DAY_SECONDS * (TimestampUnit.SECONDS.nanos() / unit.nanos())) {
            throw refused(field, "a time of day", units + " " + unit.schemaName());
        }
        if (row.types[field] == FieldType.STRING) {
            ascii(field, LocalTime.ofNanoOfDay(units * unit.nanos()).toString());
        } else {
            integer(field, units);
        }
    }

    private void decimal(int field, BigDecimal value) throws MalformedException {
        FieldType type = row.types[field];
        try {
            if (type.variable()) {
                byte[] bytes = Decimals.bytes(value, type.precision(), type.scale());
                row.setBytes(field, bytes, 0, bytes.length);
            } else {
                row.setInteger(field, Decimals.unscaled(value, type.precision(), type.scale()));
            }
        } catch (ArithmeticException e) {
            throw refused(
                    field,
                    Decimals.expected(type.precision(), type.scale()),
                    value.precision() > MOST_SHOWN ? "one of " + value.precision() + " digits" : value);
        }
    }

    void decimal(int field, byte[] bytes, int offset, int length, int scale) throws MalformedException {
        if (length == 0) {
            throw refused(field, "a decimal number", "no bytes");
        }
        FieldType type = row.types[field];
        if (length <= Long.BYTES && scale < TENS.length && (type == FieldType.DOUBLE || scale == 0)) {
            long unscaled = bytes[offset];
            for (int i = 1; i < length; i++) {
                unscaled = unscaled << 8 | (bytes[offset + i] & 0xFF);
            }
            if (scale == 0 && type != FieldType.STRING && !type.isDecimal()) {
                integer(field, unscaled);
                return;
            }
            if (type == FieldType.DOUBLE && Math.abs((double) unscaled) < EXACT) {
                // Both are exact, so that the quotient is the nearest.
                row.setDouble(field, unscaled / TENS[scale]);
                return;
            }
        }
        if (length > MOST_DECIMAL_BYTES) {
            throw refused(field, "a decimal of at most " + MOST_DECIMAL_BYTES + " bytes", length);
        }
        BigDecimal value = new BigDecimal(new BigInteger(Arrays.copyOfRange(bytes, offset, offset + length)), scale);
        switch (type.kind()) {
            case FLOAT -> {
                if (Float.isInfinite(value.floatValue())) {
                    throw outside(field, "a decimal of " + value.precision() + " digits");
                }
                row.setFloat(field, value.floatValue());
            }
            case DOUBLE -> {
                if (Double.isInfinite(value.doubleValue())) {
                    throw outside(field, "a decimal of " + value.precision() + " digits");
                }
                row.setDouble(field, value.doubleValue());
            }
            case STRING -> ascii(field, value.toPlainString());
            case DECIMAL -> decimal(field, value);
            default -> {
                try {
                    integer(field, value.longValueExact());
                } catch (ArithmeticException e) {
                    throw refused(field, "a whole number of type " + type.schemaName(), value.toPlainString());
                }
            }
        }
    }

    private static final double[] TENS = {
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20, 1e21, 1e22
    };
}
