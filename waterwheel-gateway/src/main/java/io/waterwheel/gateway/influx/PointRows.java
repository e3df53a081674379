package io.waterwheel.gateway.influx;

import io.waterwheel.gateway.answer.Utf8Buffer;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.TimestampUnit;
import io.waterwheel.schema.text.YamlText;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Points as rows of one stream, each a JSON object that its decoder takes: what the schema names is taken by its name,
 * the point's time goes into the schema's field of time, and a field {@code measurement} has its measurement where no
 * tag of that name is there. What the schema does not name is passed over. One thread.
 */
public final class PointRows {
    private static final String MEASUREMENT = "measurement";

    private final Schema schema;
    private final Utf8Buffer rows = new Utf8Buffer();
    private final List<Integer> lines = new ArrayList<>();

    public PointRows(Schema schema) {
        this.schema = schema;
    }

    /**
     * Adds a point.
     *
     * @param line of the request, from 1
     * @param timeNanos since 1970 UTC
     */
    public void add(LineProtocol.Point point, int line, BigDecimal timeNanos) {
        lines.add(line);
        rows.put((byte) '{');
        Field time = schema.fields().get(schema.indexOf(schema.timeField()));
        key(time.name());
        rows.ascii(inUnit(time, timeNanos));
        boolean named = false;
        for (LineProtocol.Value value : point.values()) {
            int field = schema.indexOf(value.name());
            if (field >= 0 && !value.name().equals(time.name())) {
                rows.put((byte) ',');
                key(value.name());
                value(schema.fields().get(field), value);
                named |= value.name().equals(MEASUREMENT);
            }
        }
        if (!named && schema.indexOf(MEASUREMENT) >= 0) {
            rows.put((byte) ',');
            key(MEASUREMENT);
            text(point.measurement());
        }
        rows.put((byte) '}');
        rows.put((byte) '\n');
    }

    /** Rounded down to what the field can hold. */
    private static String inUnit(Field time, BigDecimal nanos) {
        TimestampUnit holds = time.type().resolution();
        BigDecimal whole = nanos.divideToIntegralValue(BigDecimal.valueOf(holds.nanos()));
        if (nanos.signum() < 0
                && whole.multiply(BigDecimal.valueOf(holds.nanos())).compareTo(nanos) != 0) {
            whole = whole.subtract(BigDecimal.ONE);
        }
        return whole.multiply(BigDecimal.valueOf(holds.nanos()))
                .divide(BigDecimal.valueOf(time.unit().nanos()))
                .toPlainString();
    }

    private void value(Field field, LineProtocol.Value value) {
        boolean plain =
                switch (value.kind()) {
                    case NUMBER, INTEGER, FLAG -> true;
                    case TEXT -> false;
                    // Tags are always text; a schema may know better.
                    case TAG ->
                        (field.type().isNumber()
                                        || field.type().isDecimal()
                                        || field.type().isTimestamp())
                                && value.text().matches("-?(0|[1-9]\\d*)(\\.\\d+)?([eE][+-]?\\d{1,4})?");
                };
        if (plain) {
            rows.ascii(value.text());
        } else {
            text(value.text());
        }
    }

    private void key(String name) {
        text(name);
        rows.put((byte) ':');
    }

    private void text(String text) {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        rows.jsonString(utf8, 0, utf8.length);
    }

    /** The rows as lines of JSON. */
    public byte[] json() {
        return java.util.Arrays.copyOf(rows.bytes(), rows.length());
    }

    /** Bytes that the rows take. */
    public int length() {
        return rows.length();
    }

    /** The line of the request that a row came from, from 1. */
    public int line(int row) {
        return lines.get(row - 1);
    }

    /** A schema for the measurement of a point: a first draft, for people to correct. */
    public static String proposal(LineProtocol.Point point) {
        StringBuilder yaml = new StringBuilder();
        String key = "time";
        StringBuilder fields = new StringBuilder("  - {name: time, type: timestamp_ns}\n");
        for (LineProtocol.Value value : point.values()) {
            String type =
                    switch (value.kind()) {
                        case TAG, TEXT -> "string";
                        case NUMBER -> "double";
                        case INTEGER -> "long";
                        case FLAG -> "boolean";
                    };
            boolean first = value.kind() == LineProtocol.Kind.TAG && key.equals("time");
            if (first) {
                key = value.name();
            }
            fields.append("  - {name: ")
                    .append(YamlText.of(value.name()))
                    .append(", type: ")
                    .append(type)
                    .append(first ? "}\n" : ", nullable: true}\n");
        }
        String name = YamlText.of(point.measurement());
        yaml.append("name: ").append(name).append("\ntopic: ").append(name);
        yaml.append("\nformat: block\npartitions: 4\nfields:\n").append(fields);
        return yaml.append("key: {field: ")
                .append(YamlText.of(key))
                .append("}\ntime: time\n")
                .toString();
    }
}
