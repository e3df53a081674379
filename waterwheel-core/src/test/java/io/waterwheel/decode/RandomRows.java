package io.waterwheel.decode;

import io.waterwheel.geo.Box;
import io.waterwheel.key.KeyCodec;
import io.waterwheel.schema.Cuts;
import io.waterwheel.schema.DecimalTypes;
import io.waterwheel.schema.Dimension;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.text.Ipv4;
import io.waterwheel.tuple.TupleBlock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Random schemas, and random rows of them as objects: the naive side of the twins. */
public final class RandomRows {
    private static final String[] TEXTS = {
        "", "a", "plain", "with,comma", "a \"quote\"", "ünï", "日本語", "🚀 up", "two\nlines", " x "
    };

    private static final FieldType[] TIMES = {
        FieldType.TIMESTAMP, FieldType.TIMESTAMP, FieldType.TIMESTAMP_US, FieldType.TIMESTAMP_NS
    };

    private static final int MOST_TRIES = 1000;

    private RandomRows() {}

    /**
     * A schema with one to a dozen payload fields of all types, keyed by a field, the time, a position or dimensions.
     */
    public static Schema schema(Random random) {
        List<Field> fields = new ArrayList<>();
        FieldType[] types = DecimalTypes.all();
        fields.add(new Field("t", TIMES[random.nextInt(TIMES.length)], false));
        fields.add(new Field("k", types[random.nextInt(types.length)], false));
        fields.add(new Field("lon", FieldType.DOUBLE, false));
        fields.add(new Field("lat", FieldType.DOUBLE, false));
        int payload = random.nextInt(random.nextInt(10) == 0 ? 40 : 10);
        for (int i = 0; i < payload; i++) {
            fields.add(new Field("f" + i, types[random.nextInt(types.length)], random.nextBoolean()));
        }
        java.util.Collections.shuffle(fields, random);
        KeySpec key =
                switch (random.nextInt(3)) {
                    case 0 -> new KeySpec.Ordered("k");
                    case 1 -> new KeySpec.Ordered("t");
                    default ->
                        fields.size() % 2 == 0
                                ? new KeySpec.Position("lon", "lat", Box.WORLD)
                                : dimensions(
                                        fields,
                                        new Random(fields.size() * 31L
                                                + names(fields).hashCode()));
                };
        return new Schema(fields, key, "t");
    }

    private static String names(List<Field> fields) {
        return fields.stream().map(Field::name).toList().toString();
    }

    /** Two to eight of the fields that are not called t, with random cells. */
    public static KeySpec.Dimensions dimensions(List<Field> fields, Random random) {
        return dimensions(fields, random, field -> value(field.type(), random));
    }

    /**
     * The same with cells that begin at given values.
     *
     * @param values a value of a field, as {@link TupleBlock#value}; one that is null or not finite begins no cell
     */
    public static KeySpec.Dimensions dimensions(
            List<Field> fields, Random random, Function<Field, @Nullable Object> values) {
        List<Field> some = new ArrayList<>(
                fields.stream().filter(field -> !field.name().equals("t")).toList());
        java.util.Collections.shuffle(some, random);
        int count = Math.min(some.size(), 2 + random.nextInt(7));
        List<Dimension> dimensions = new ArrayList<>();
        List<String> schedule = new ArrayList<>();
        for (Field field : some.subList(0, count)) {
            Dimension dimension = dimension(field, random, values);
            dimensions.add(dimension);
            for (int bit = 0; bit < dimension.bits(field, 0); bit++) {
                schedule.add(field.name());
            }
        }
        java.util.Collections.shuffle(schedule, random);
        return new KeySpec.Dimensions(dimensions, random.nextBoolean() ? schedule : List.of());
    }

    /** By how many bytes a dimension of the field tells texts apart: by its name, 0 of some and up to 64 of others. */
    public static int told(Field field) {
        int hash = (field.name().hashCode() * 0x9e3779b9) >>> 8;
        return !field.type().variable() || hash % 3 == 0 ? 0 : Dimension.MAX_BYTES - hash % 57;
    }

    private static byte[] told(Field field, String text) {
        Dimension dimension = new Dimension(field.name(), 1, List.of(), List.of(text), told(field));
        return (byte[]) new Cuts(field).of(dimension, 1).get(0);
    }

    private static Dimension dimension(Field field, Random random, Function<Field, @Nullable Object> values) {
        if (field.type() == FieldType.BOOLEAN) {
            return new Dimension(field.name(), random.nextInt(2) * 2, List.of(), List.of());
        }
        TreeMap<Long, String> cuts = new TreeMap<>();
        TreeMap<byte[], String> texts = new TreeMap<>(Arrays::compareUnsigned);
        int count = 2 + random.nextInt(random.nextInt(5) == 0 ? 40 : 6);
        // Of a field with few values there are never as many.
        for (int tries = 0;
                cuts.size() + texts.size() < count && (tries < MOST_TRIES || cuts.size() + texts.size() < 2);
                tries++) {
            Object value = values.apply(field);
            String text = text(value);
            boolean number = !(value instanceof Number some) || Double.isFinite(some.doubleValue());
            if (value != null && number && text.length() < 100) {
                if (field.type().variable()) {
                    texts.put(told(field, text), text);
                } else {
                    cuts.put(KeyCodec.ofText(field, text), text);
                }
            }
        }
        boolean even = !field.type().variable() && random.nextBoolean();
        return new Dimension(
                field.name(),
                even ? random.nextInt(field.nullable() ? 2 : 1, 8) : 0,
                even ? List.of(cuts.firstEntry().getValue(), cuts.lastEntry().getValue()) : List.of(),
                even ? List.of() : List.copyOf(field.type().variable() ? texts.values() : cuts.values()),
                told(field));
    }

    public static @Nullable Object[] row(Schema schema, Random random) {
        List<Field> fields = schema.fields();
        @Nullable Object[] row = new @Nullable Object[fields.size()];
        for (int f = 0; f < row.length; f++) {
            Field field = fields.get(f);
            row[f] = field.nullable() && random.nextInt(3) == 0 ? null : value(field.type(), random);
        }
        return row;
    }

    /** A random value, as {@link TupleBlock#value}. */
    public static Object value(FieldType type, Random random) {
        return switch (type.kind()) {
            case INT -> random.nextInt(4) == 0 ? Integer.MIN_VALUE + random.nextInt(2) : random.nextInt();
            case LONG ->
                switch (random.nextInt(4)) {
                    case 0 -> Long.MIN_VALUE;
                    case 1 -> Long.MAX_VALUE;
                    default -> random.nextLong() >> random.nextInt(64);
                };
            case TIMESTAMP -> random.nextLong() >> 20;
            case TIMESTAMP_US, TIMESTAMP_NS -> random.nextLong() >> random.nextInt(20);
            case IPV4 -> Ipv4.text(random.nextInt());
            case UUID, IPV6 -> type.object(sixteen(random));
            case FLOAT ->
                number(() -> (double) Float.intBitsToFloat(random.nextInt()), random)
                        .floatValue();
            case DOUBLE -> number(() -> Double.longBitsToDouble(random.nextLong()), random);
            case DECIMAL -> DecimalTypes.value(type, random);
            case BOOLEAN -> random.nextBoolean();
            case STRING ->
                random.nextInt(50) == 0
                        ? "long ".repeat(random.nextInt(6000))
                        : TEXTS[random.nextInt(TEXTS.length)] + (random.nextBoolean() ? random.nextInt() : "");
            case BYTES -> {
                byte[] bytes = new byte[random.nextInt(20)];
                random.nextBytes(bytes);
                yield bytes;
            }
        };
    }

    /** Often with zeros, which texts of addresses leave out. */
    public static byte[] sixteen(Random random) {
        byte[] bytes = new byte[FieldType.SIXTEEN];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) (random.nextInt(3) == 0 ? random.nextInt() : 0);
        }
        return bytes;
    }

    private static Double number(java.util.function.Supplier<Double> bits, Random random) {
        if (random.nextBoolean()) {
            return (double) Math.round(random.nextGaussian() * 1e6) / Math.pow(10, random.nextInt(8));
        }
        double value = bits.get();
        return Double.isFinite(value) ? value : 0.5;
    }

    /** The row as a CSV line; strings are quoted where they must be, and sometimes where they need not be. */
    public static String csv(Schema schema, @Nullable Object[] row, Random random) {
        StringBuilder line = new StringBuilder();
        for (int f = 0; f < row.length; f++) {
            if (f > 0) {
                line.append(',');
            }
            String text = text(row[f]);
            boolean string = row[f] instanceof String || row[f] instanceof byte[];
            boolean quote = row[f] != null
                    && ((string && text.isEmpty()) || text.matches("(?s).*[,\"\r\n].*") || random.nextInt(5) == 0);
            line.append(quote ? '"' + text.replace("\"", "\"\"") + '"' : text);
        }
        return line.append(List.of("", "\n", "\r\n").get(random.nextInt(3))).toString();
    }

    /** The row as a JSON object, members in random order, nulls sometimes left out. */
    public static String json(Schema schema, @Nullable Object[] row, Random random) {
        List<String> members = new ArrayList<>();
        for (int f = 0; f < row.length; f++) {
            String name = '"' + schema.fields().get(f).name() + "\": ";
            Object value = row[f];
            if (value == null) {
                if (random.nextBoolean()) {
                    members.add(name + "null");
                }
            } else if (value instanceof String || value instanceof byte[]) {
                String text =
                        text(value).replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
                members.add(name + '"' + text + '"');
            } else {
                members.add(name + value);
            }
        }
        java.util.Collections.shuffle(members, random);
        return "{" + String.join(random.nextBoolean() ? "," : " ,\n ", members) + "}";
    }

    private static String text(@Nullable Object value) {
        return value == null
                ? ""
                : value instanceof byte[] bytes ? Base64.getEncoder().encodeToString(bytes) : value.toString();
    }

    /** Whether row r of the block holds these values. */
    public static void assertRow(TupleBlock block, int r, @Nullable Object[] row, String replay) {
        for (int f = 0; f < row.length; f++) {
            org.assertj.core.api.Assertions.assertThat(block.value(f, r))
                    .as(
                            "%s row %d field %s",
                            replay, r, block.layout().fields().get(f).name())
                    .isEqualTo(row[f]);
        }
    }
}
