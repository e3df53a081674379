package io.waterwheel.query.compile;

import io.waterwheel.decode.RandomRows;
import io.waterwheel.geo.Box;
import io.waterwheel.query.expression.RandomExpressions;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.text.Decimals;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Random schemas, and rows whose values are few, so that conditions are true now and then; nulls, edges of types. */
public final class SmallRows {
    /** Rows whose values begin cells. */
    private static final int SAMPLE = 60;

    private final Random random;
    private final Schema schema;
    private final boolean edges;

    /** @param edges whether types and values may come that SQLite has not: edges of types, NaN, addresses */
    public SmallRows(Random random, boolean edges) {
        this.random = random;
        this.edges = edges;
        List<Field> fields = new ArrayList<>();
        FieldType[] types = FieldType.values();
        int others = 1 + random.nextInt(12);
        for (int f = 0; f < others; f++) {
            FieldType type = edges && random.nextInt(6) == 0
                    ? RandomExpressions.decimalType(random)
                    : types[random.nextInt(types.length)];
            boolean known = edges
                    || type == FieldType.TIMESTAMP
                    || !(type.isTimestamp() || type == FieldType.IPV4 || type.hasSixteenBytes());
            fields.add(new Field("f" + f, known ? type : FieldType.LONG, random.nextBoolean()));
        }
        fields.add(random.nextInt(fields.size() + 1), new Field("t", FieldType.TIMESTAMP, false));
        fields.add(random.nextInt(fields.size() + 1), new Field("k", keyType(), false));
        schema = new Schema(fields, new KeySpec.Ordered("k"), "t");
    }

    private SmallRows(Random random, Schema schema) {
        this.random = random;
        this.schema = schema;
        this.edges = true;
    }

    /** Rows whose key is made of several fields: of dimensions, k among them or not, or of a position x, y. */
    public static SmallRows ofSeveralFields(Random random) {
        SmallRows one = new SmallRows(random, true);
        List<Field> fields = new ArrayList<>(one.schema.fields());
        if (random.nextBoolean()) {
            TupleBlock some = one.block(SAMPLE);
            KeySpec key = RandomRows.dimensions(
                    fields, random, field -> some.value(fields.indexOf(field), random.nextInt(SAMPLE)));
            return new SmallRows(random, new Schema(fields, key, "t"));
        }
        for (String name : List.of("x", "y")) {
            fields.add(random.nextInt(fields.size() + 1), new Field(name, FieldType.DOUBLE, false));
        }
        return new SmallRows(random, new Schema(fields, new KeySpec.Position("x", "y", Box.WORLD), "t"));
    }

    private FieldType keyType() {
        return switch (random.nextInt(edges ? 8 : 2)) {
            case 0 -> FieldType.INT;
            case 1 -> FieldType.LONG;
            case 2 -> FieldType.DOUBLE;
            case 3 -> FieldType.STRING;
            case 4 -> FieldType.UUID;
            case 5 -> FieldType.IPV6;
            case 6 -> RandomExpressions.decimalType(random);
            default -> FieldType.BYTES;
        };
    }

    public Schema schema() {
        return schema;
    }

    /** A block of rows, keys and times included. */
    public TupleBlock block(int rows) {
        RowLayout layout = RowLayout.of(schema);
        TupleBlock block = new TupleBlock(layout, rows);
        for (int row = 0; row < rows; row++) {
            block.keys()[row] = random.nextInt(9) - 4L;
            block.times()[row] = random.nextInt(9);
            List<String> ofKey =
                    schema.key().roles().stream().map(KeySpec.Role::field).toList();
            long mask = 0;
            for (int f = 0; f < layout.fields().size(); f++) {
                if (layout.nullBit(f) >= 0 && random.nextInt(4) == 0) {
                    mask |= 1L << layout.nullBit(f);
                }
                if (layout.columnOf(f) >= 0) {
                    boolean edge = edges
                            && random.nextInt(20) == 0
                            && !ofKey.contains(layout.fields().get(f).name());
                    put(block, row, layout.columnOf(f), layout.fields().get(f).type(), edge);
                }
            }
            if (layout.nullMaskColumn() >= 0) {
                block.setNullMask(row, mask);
            }
        }
        block.setSize(rows);
        return block;
    }

    private void put(TupleBlock block, int row, int column, FieldType type, boolean edge) {
        byte[] bytes = block.column(column);
        switch (type.kind()) {
            case INT -> LittleEndian.putInt(bytes, row * 4, edge ? Integer.MIN_VALUE : random.nextInt(9) - 4);
            case LONG -> LittleEndian.putLong(bytes, row * 8, edge ? edge() : random.nextInt(9) - 4L);
            case TIMESTAMP_US -> LittleEndian.putLong(bytes, row * 8, random.nextInt(3) * 1000L + random.nextInt(2));
            case TIMESTAMP_NS ->
                LittleEndian.putLong(bytes, row * 8, random.nextInt(3) * 1_000_000L + random.nextInt(2));
            case IPV4 -> LittleEndian.putInt(bytes, row * 4, random.nextInt(9) - 4);
            case TIMESTAMP -> LittleEndian.putLong(bytes, row * 8, random.nextInt(9));
            case FLOAT -> LittleEndian.putInt(bytes, row * 4, Float.floatToRawIntBits((float) number(edge)));
            case DOUBLE -> LittleEndian.putLong(bytes, row * 8, Double.doubleToRawLongBits(number(edge)));
            case BOOLEAN -> bytes[row] = (byte) random.nextInt(2);
            case DECIMAL -> {
                BigInteger value = edge
                        ? limit(type).multiply(BigInteger.valueOf(random.nextBoolean() ? 1 : -1))
                        : RandomExpressions.decimal(type, random).unscaledValue();
                LittleEndian.putLong(
                        bytes,
                        row * 8,
                        type.variable()
                                ? block.addToArena(Decimals.bytes(value), 0, FieldType.SIXTEEN)
                                : value.longValueExact());
            }
            case STRING -> {
                byte[] value = RandomExpressions.text(random).getBytes(StandardCharsets.UTF_8);
                LittleEndian.putLong(bytes, row * 8, block.addToArena(value, 0, value.length));
            }
            case UUID, IPV6 -> {
                byte[] value = RandomExpressions.sixteen(random);
                LittleEndian.putLong(bytes, row * 8, block.addToArena(value, 0, value.length));
            }
            case BYTES -> {
                byte[] value = new byte[random.nextInt(3)];
                java.util.Arrays.fill(value, (byte) random.nextInt(4));
                LittleEndian.putLong(bytes, row * 8, block.addToArena(value, 0, value.length));
            }
        }
    }

    private static BigInteger limit(FieldType type) {
        return BigInteger.TEN.pow(type.precision()).subtract(BigInteger.ONE);
    }

    private long edge() {
        return random.nextBoolean() ? Long.MAX_VALUE - random.nextInt(2) : Long.MIN_VALUE + random.nextInt(2);
    }

    private double number(boolean edge) {
        if (!edge) {
            return (random.nextInt(17) - 8) / 2.0;
        }
        return switch (random.nextInt(6)) {
            case 0 -> Double.NaN;
            case 1 -> Double.POSITIVE_INFINITY;
            case 2 -> Double.NEGATIVE_INFINITY;
            case 3 -> -0.0;
            case 4 -> 0x1p63;
            default -> edge();
        };
    }

    private static Object address(Object value) {
        byte[] text = value.toString().getBytes(StandardCharsets.UTF_8);
        return value instanceof String ? (Object) io.waterwheel.schema.text.Ipv4.parse(text, 0, text.length) : value;
    }

    /** The row as objects: Long, Double, BigDecimal, Boolean, String, byte[] or null by field. */
    public static Map<String, Object> row(TupleBlock block, int row) {
        Map<String, Object> values = new HashMap<>();
        for (int f = 0; f < block.layout().fields().size(); f++) {
            Object value = block.value(f, row);
            FieldType type = block.layout().fields().get(f).type();
            if (value != null && type.isTimestamp()) {
                value = type.resolution().instant((Long) value);
            } else if (value != null && type == FieldType.IPV4) {
                value = address(value);
            } else if (value != null && type.hasSixteenBytes()) {
                byte[] text = value.toString().getBytes(StandardCharsets.UTF_8);
                byte[] bytes = new byte[FieldType.SIXTEEN];
                type.parseSixteen(text, 0, text.length, bytes);
                value = bytes;
            }
            values.put(
                    block.layout().fields().get(f).name(),
                    value instanceof Integer whole
                            ? (Object) (long) whole
                            : value instanceof Float number ? (Object) (double) number : value);
        }
        return values;
    }
}
