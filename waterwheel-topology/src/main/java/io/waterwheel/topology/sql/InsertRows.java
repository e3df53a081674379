package io.waterwheel.topology.sql;

import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.decode.RecordDecoder;
import io.waterwheel.decode.RejectedRecordException;
import io.waterwheel.encode.RecordEncoder;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.NearestName;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.key.KeyMaker;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.query.expression.ExpressionTypes;
import io.waterwheel.query.expression.ValueType;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.PhysicalType;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.text.Decimals;
import io.waterwheel.schema.text.Ipv4;
import io.waterwheel.sql.SqlPlanner;
import io.waterwheel.tuple.TupleBlock;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The rows of one INSERT, made into records of its stream. Each record is decoded again, and its keys are made, as
 * dispatchers will: what they would set aside is refused here, with its row. Not thread-safe.
 */
final class InsertRows {
    static final int MOST_ROWS = 100_000;
    static final long MOST_BYTES = 16L << 20;
    private static final int BLOCK_BYTES = 48 << 10;
    private static final int MOST_SHOWN = 60;

    private final Schema schema;
    /** By column of the INSERT the field that it fills. */
    private final int[] targets;

    private final RecordEncoder encoder;
    private final RecordDecoder decoder;
    private final KeyMaker keys;
    private final TupleBlock check;
    private final List<byte[]> records = new ArrayList<>();
    private int rows;
    /** Rows of the records that are made. */
    private int encoded;

    private long bytes;

    /**
     * Rows for a stream.
     *
     * @param columns that are filled; empty for all, in their order
     * @throws WaterwheelException code NO_SUCH_FIELD when one is none of the stream; SQL_VALUE when one is left out
     *     that is not nullable
     */
    InsertRows(StreamInfo stream, List<String> columns) {
        this.schema = stream.schema();
        this.targets = columns.isEmpty() ? all(schema) : named(stream, columns);
        this.encoder = new RecordEncoder(stream.format(), schema, BLOCK_BYTES);
        this.decoder = RecordDecoder.of(stream.format(), schema);
        RowLayout layout = RowLayout.of(schema);
        this.keys = KeyMaker.of(layout, schema);
        this.check = new TupleBlock(layout, 16);
    }

    private static int[] all(Schema schema) {
        int[] fields = new int[schema.fields().size()];
        for (int f = 0; f < fields.length; f++) {
            fields[f] = f;
        }
        return fields;
    }

    private static int[] named(StreamInfo stream, List<String> columns) {
        List<String> names = stream.schema().fields().stream().map(Field::name).toList();
        int[] fields = new int[columns.size()];
        boolean[] filled = new boolean[names.size()];
        for (int c = 0; c < fields.length; c++) {
            String column = columns.get(c);
            int found = names.indexOf(column);
            for (int f = 0; f < names.size() && found < 0; f++) {
                found = names.get(f).equalsIgnoreCase(column) ? f : -1;
            }
            if (found < 0) {
                String near = NearestName.question(column, names);
                throw new WaterwheelException(
                        ErrorCode.NO_SUCH_FIELD,
                        "statement: stream " + stream.name() + " has no column '" + shown(column) + "'"
                                + (near.isEmpty() ? "; it has " + String.join(", ", names) : near));
            }
            if (filled[found]) {
                throw new WaterwheelException(
                        ErrorCode.BAD_SQL, "statement: column " + names.get(found) + " is named twice");
            }
            filled[found] = true;
            fields[c] = found;
        }
        for (int f = 0; f < filled.length; f++) {
            if (!filled[f] && !stream.schema().fields().get(f).nullable()) {
                throw new WaterwheelException(
                        ErrorCode.SQL_VALUE,
                        "statement: INSERT names no column " + names.get(f) + ", which must have a value: it is not"
                                + " nullable");
            }
        }
        return fields;
    }

    /** The fields that the columns fill, in their order. */
    List<Field> columns() {
        List<Field> fields = new ArrayList<>();
        for (int target : targets) {
            fields.add(schema.fields().get(target));
        }
        return fields;
    }

    /** Makes sure that rows have a value for each column. */
    void requireColumns(int count) {
        if (count != targets.length) {
            throw new WaterwheelException(
                    ErrorCode.BAD_SQL,
                    "statement: expected " + targets.length + " values a row, one a column, got " + count);
        }
    }

    /** Adds a row of literals. */
    void addLiterals(List<Expression.Literal> row) {
        @Nullable Object[] values = new @Nullable Object[row.size()];
        for (int c = 0; c < values.length; c++) {
            Expression.Literal literal = row.get(c);
            values[c] =
                    c < targets.length && schema.fields().get(targets[c]).type().isDecimal()
                            ? decimal(literal)
                            : value(literal);
        }
        add(values);
    }

    /** A number as it was written: one with a point is a double elsewhere. */
    private @Nullable Object decimal(Expression.Literal literal) {
        try {
            boolean cut = literal instanceof Expression.Decimal decimal && decimal.written() != null;
            BigDecimal number =
                    cut ? new BigDecimal(((Expression.Decimal) literal).written()) : ExpressionTypes.numberOf(literal);
            return number == null ? value(literal) : number;
        } catch (WaterwheelException e) {
            throw refused(rows + 1, String.valueOf(e.getMessage()));
        }
    }

    private static @Nullable Object value(Expression.Literal literal) {
        if (literal instanceof Expression.Whole whole) {
            return whole.value();
        } else if (literal instanceof Expression.Decimal decimal) {
            return decimal.value();
        } else if (literal instanceof Expression.Exact exact) {
            return exact.value();
        } else if (literal instanceof Expression.Text text) {
            return text.value();
        } else if (literal instanceof Expression.Truth truth) {
            return truth.value();
        } else if (literal instanceof Expression.Moment moment) {
            return moment.value();
        } else if (literal instanceof Expression.Hex hex) {
            return HexFormat.of().parseHex(hex.digits());
        }
        return null;
    }

    /**
     * Adds the rows of a block.
     *
     * @param shown by column of the INSERT the field of the block that it takes
     */
    void add(TupleBlock block, int[] shown) {
        List<Field> fields = block.layout().fields();
        for (int row = 0; row < block.size(); row++) {
            @Nullable Object[] values = new @Nullable Object[shown.length];
            for (int c = 0; c < shown.length; c++) {
                Object value = block.value(shown[c], row);
                Field field = fields.get(shown[c]);
                values[c] = value instanceof Long units && field.type().isTimestamp()
                        ? field.type().resolution().instant(units)
                        : value;
            }
            add(values);
        }
    }

    private void add(@Nullable Object[] values) {
        if (rows == MOST_ROWS) {
            throw tooMany(MOST_ROWS + " rows");
        }
        @Nullable Object[] row = new @Nullable Object[schema.fields().size()];
        rows++;
        for (int c = 0; c < values.length; c++) {
            row[targets[c]] = fitting(schema.fields().get(targets[c]), values[c]);
        }
        try {
            took(encoder.add(row));
        } catch (IllegalArgumentException e) {
            throw refused(rows, String.valueOf(e.getMessage()));
        }
    }

    /** As the field takes it, where SQL has several forms of a value. */
    private @Nullable Object fitting(Field field, @Nullable Object value) {
        if (field.type().isDecimal() && (value instanceof Double || value instanceof Float)) {
            throw refused(
                    rows,
                    "field " + field.name() + " of type " + field.type().schemaName() + ": got the DOUBLE " + value
                            + ", which may be rounded; write CAST(... AS "
                            + field.type().name() + ")");
        } else if (value instanceof BigDecimal decimal && !field.type().isDecimal()) {
            return plain(field, decimal);
        }
        if (value == null) {
            return null;
        } else if (!field.type().isTimestamp()) {
            String expected = expected(field.type(), value);
            if (expected != null) {
                throw refused(
                        rows,
                        "field " + field.name() + " of type " + field.type().schemaName() + ": expected " + expected
                                + ", got " + written(value));
            }
            return value;
        }
        Instant instant = null;
        if (value instanceof Instant moment) {
            instant = moment;
        } else if (value instanceof String text) {
            try {
                instant = SqlPlanner.instant(text);
            } catch (DateTimeException e) {
                throw refused(
                        rows,
                        "field " + field.name() + ": '" + shown(text) + "' is no time; expected one such as"
                                + " 2026-11-25 10:00:00.123Z");
            }
        }
        if (instant == null) {
            throw refused(
                    rows,
                    "field " + field.name() + " of type " + field.type().schemaName() + ": expected a TIMESTAMP, got "
                            + shown(value.toString()));
        }
        try {
            long units = field.type().resolution().units(instant);
            if (!field.type().resolution().instant(units).equals(instant)) {
                throw refused(
                        rows,
                        "field " + field.name() + " of type " + field.type().schemaName() + ": " + instant
                                + " has finer digits than it keeps");
            }
            return instant;
        } catch (DateTimeException e) {
            throw refused(rows, "field " + field.name() + ": " + e.getMessage());
        }
    }

    /** What a value of SQL must be to go into a field; null where it does, as far as its kind says. */
    private static @Nullable String expected(FieldType type, Object value) {
        ValueType.Kind kind = ValueType.of(type).kind();
        return switch (kind) {
            case BOOLEAN -> value instanceof Boolean ? null : "TRUE or FALSE";
            case INTEGER -> {
                if (!(value instanceof Long || value instanceof Integer)) {
                    yield "a whole number";
                }
                long number = ((Number) value).longValue();
                boolean fits = type.physical() != PhysicalType.INT32 || number == (int) number;
                yield fits ? null : "a whole number of 32 bits";
            }
            case DOUBLE -> value instanceof Number ? null : "a number";
            case DECIMAL -> isDecimal(type, value) ? null : Decimals.expected(type.precision(), type.scale());
            case STRING -> value instanceof String ? null : "a text";
            case BYTES -> value instanceof byte[] ? null : "bytes, such as X'01af'";
            case IPV4, IPV6, UUID -> {
                String what = kind == ValueType.Kind.UUID
                        ? "a UUID"
                        : kind == ValueType.Kind.IPV4 ? "an IPv4 address" : "an IPv6 address";
                yield isOf(type, value) ? null : what;
            }
            case TIMESTAMP, TIMESTAMP_US, TIMESTAMP_NS, NULL -> null;
        };
    }

    private static boolean isDecimal(FieldType type, Object value) {
        BigDecimal number;
        try {
            number = value instanceof String text ? Decimals.value(text) : new BigDecimal(value.toString());
        } catch (IllegalArgumentException e) {
            return false;
        }
        BigDecimal digits = number.stripTrailingZeros();
        return digits.scale() <= type.scale()
                && (digits.signum() == 0
                        || (long) digits.precision() - digits.scale() <= type.precision() - type.scale());
    }

    /** Whether it is the text of an address or a UUID. */
    private static boolean isOf(FieldType type, Object value) {
        if (!(value instanceof String text)) {
            return false;
        }
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return type.hasSixteenBytes()
                ? type.parseSixteen(bytes, 0, bytes.length, new byte[FieldType.SIXTEEN])
                : Ipv4.parse(bytes, 0, bytes.length) >= 0;
    }

    /** The digits where they are few: of 1E-999999999 there are a billion. */
    private static String digits(BigDecimal decimal) {
        boolean few = decimal.precision() <= MOST_SHOWN && Math.abs((long) decimal.scale()) <= MOST_SHOWN;
        return few ? decimal.stripTrailingZeros().toPlainString() : decimal.toString();
    }

    /** A value as a statement has it. */
    private static String written(Object value) {
        if (value instanceof BigDecimal decimal) {
            return shown(digits(decimal));
        } else if (value instanceof byte[] bytes) {
            return bytes.length + " bytes";
        }
        return value instanceof String text ? "'" + shown(text) + "'" : shown(value.toString());
    }

    /** A decimal for a field of another type: of doubles the nearest, of integers one without a fraction. */
    private Object plain(Field field, BigDecimal decimal) {
        if (field.type().physical() == PhysicalType.FLOAT64 || field.type().physical() == PhysicalType.FLOAT32) {
            return decimal.doubleValue();
        }
        try {
            return field.type().isNumber() ? (Object) decimal.longValueExact() : decimal;
        } catch (ArithmeticException e) {
            throw refused(
                    rows,
                    "field " + field.name() + " of type " + field.type().schemaName() + ": " + shown(digits(decimal))
                            + " is no whole number of 64 bits");
        }
    }

    private void took(byte @Nullable [] record) {
        if (record == null) {
            return;
        }
        bytes += record.length;
        if (bytes > MOST_BYTES) {
            throw tooMany(MOST_BYTES / (1 << 20) + " MiB");
        }
        check.clear();
        try {
            decoder.decode(ByteBuffer.wrap(record), check);
        } catch (RejectedRecordException e) {
            throw refused(encoded + 1, String.valueOf(e.getMessage()));
        }
        int unused = keys.fill(check, 0, (index, reason) -> {
            throw refused(encoded + index + 1, reason);
        });
        records.add(record);
        encoded += check.size();
    }

    /** All records. */
    List<byte[]> records() {
        took(encoder.rest());
        return records;
    }

    int rows() {
        return rows;
    }

    private static WaterwheelException tooMany(String what) {
        return new WaterwheelException(
                ErrorCode.SQL_UNSUPPORTED,
                "statement: an INSERT takes at most " + what + "; nothing was stored. Divide it, or append by"
                        + " `waterwheel append` or a client's appender");
    }

    private static WaterwheelException refused(int row, String reason) {
        return new WaterwheelException(
                ErrorCode.SQL_VALUE, "statement: row " + row + ": " + reason + "; nothing was stored");
    }

    private static String shown(String text) {
        return text.length() <= MOST_SHOWN ? text : text.substring(0, MOST_SHOWN) + "...";
    }
}
