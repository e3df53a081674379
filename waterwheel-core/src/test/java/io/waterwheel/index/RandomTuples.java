package io.waterwheel.index;

import io.waterwheel.geo.Box;
import io.waterwheel.schema.DecimalTypes;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.text.Decimals;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Random schemas and random tuples of them, for tests of all packages: all types, nulls, hot keys, long values. */
public final class RandomTuples {
    private final Random random;
    private final Schema schema;
    private final RowLayout layout;
    private final int keySpread;

    public RandomTuples(Random random) {
        this(random, schema(random));
    }

    public RandomTuples(Random random, Schema schema) {
        this.random = random;
        this.schema = schema;
        this.layout = RowLayout.of(schema);
        this.keySpread = random.nextInt(4);
    }

    /** The schema of taxi positions: 36 bytes a tuple. */
    public static Schema taxi() {
        return new Schema(
                List.of(
                        new Field("id", FieldType.INT, false),
                        new Field("lon", FieldType.DOUBLE, false),
                        new Field("lat", FieldType.DOUBLE, false),
                        new Field("time", FieldType.TIMESTAMP, false)),
                new KeySpec.Position("lon", "lat", new Box(115, 39, 118, 42)),
                "time");
    }

    /** A schema with a key field k, a time field t, and up to 12 fields of any type. */
    public static Schema schema(Random random) {
        List<Field> fields = new ArrayList<>();
        FieldType[] types = DecimalTypes.all();
        int others = random.nextInt(13);
        for (int f = 0; f < others; f++) {
            fields.add(new Field("f" + f, types[random.nextInt(types.length)], random.nextBoolean()));
        }
        fields.add(random.nextInt(fields.size() + 1), new Field("t", FieldType.TIMESTAMP, false));
        FieldType keyType = random.nextInt(4) == 0 ? FieldType.INT : FieldType.LONG;
        fields.add(random.nextInt(fields.size() + 1), new Field("k", keyType, false));
        return new Schema(fields, new KeySpec.Ordered("k"), "t");
    }

    public Schema schema() {
        return schema;
    }

    public RowLayout layout() {
        return layout;
    }

    /** A block of random tuples; times rise about {@code fromTime}, some are late. */
    public TupleBlock block(int rows, long fromTime) {
        TupleBlock block = new TupleBlock(layout, rows);
        for (int row = 0; row < rows; row++) {
            block.keys()[row] = key();
            block.times()[row] = fromTime + row - (random.nextInt(50) == 0 ? random.nextInt(1000) : 0);
            long nulls = random.nextBoolean() ? 0 : random.nextLong();
            long mask = 0;
            for (int f = 0; f < layout.fields().size(); f++) {
                if (layout.nullBit(f) >= 0) {
                    mask |= nulls & (1L << layout.nullBit(f));
                }
                if (layout.columnOf(f) >= 0) {
                    put(block, row, layout.columnOf(f), layout.fields().get(f).type());
                }
            }
            if (layout.nullMaskColumn() >= 0) {
                block.setNullMask(row, mask);
            }
        }
        block.setSize(rows);
        return block;
    }

    private long key() {
        return switch (keySpread) {
            case 0 -> random.nextInt(1 << 20) - 1000;
            case 1 -> random.nextInt(3) == 0 ? 42 : random.nextInt(5000); // a hot key
            case 2 ->
                schema.indexOf("k") >= 0
                                && schema.fields().get(schema.indexOf("k")).type() == FieldType.INT
                        ? random.nextInt()
                        : random.nextLong();
            default -> 7;
        };
    }

    private void put(TupleBlock block, int row, int column, FieldType type) {
        byte[] bytes = block.column(column);
        switch (type.kind()) {
            case INT, IPV4 -> LittleEndian.putInt(bytes, row * 4, random.nextInt());
            case FLOAT -> LittleEndian.putInt(bytes, row * 4, Float.floatToRawIntBits(random.nextFloat()));
            case LONG, TIMESTAMP, TIMESTAMP_US, TIMESTAMP_NS -> LittleEndian.putLong(bytes, row * 8, random.nextLong());
            case DOUBLE -> LittleEndian.putLong(bytes, row * 8, Double.doubleToRawLongBits(random.nextGaussian()));
            case BOOLEAN -> bytes[row] = (byte) random.nextInt(2);
            case DECIMAL -> {
                if (type.variable()) {
                    byte[] value = Decimals.bytes(DecimalTypes.value(type, random), type.precision(), type.scale());
                    LittleEndian.putLong(bytes, row * 8, block.addToArena(value, 0, value.length));
                } else {
                    LittleEndian.putLong(bytes, row * 8, random.nextInt());
                }
            }
            case UUID, IPV6 -> {
                byte[] value = new byte[FieldType.SIXTEEN];
                random.nextBytes(value);
                LittleEndian.putLong(bytes, row * 8, block.addToArena(value, 0, value.length));
            }
            case STRING, BYTES -> {
                boolean large = random.nextInt(200) == 0;
                byte[] value = new byte[random.nextInt(large ? TupleBlock.MAX_VALUE_BYTES + 1 : 20)];
                for (int i = 0; i < value.length; i++) {
                    value[i] = (byte) ('a' + random.nextInt(26));
                }
                LittleEndian.putLong(bytes, row * 8, block.addToArena(value, 0, value.length));
            }
        }
    }

    /** A row as text, with its key and time when it has them, for comparison with other rows. */
    public static String text(TupleBlock block, int row) {
        StringBuilder text = new StringBuilder();
        if (block.layout().keyed()) {
            text.append(block.keys()[row]).append('@').append(block.times()[row]);
        }
        for (int f = 0; f < block.layout().fields().size(); f++) {
            text.append('|').append(text(block.value(f, row)));
        }
        return text.toString();
    }

    /** A value as text. */
    public static String text(Object value) {
        return value instanceof byte[] bytes ? new String(bytes, StandardCharsets.ISO_8859_1) : String.valueOf(value);
    }

    /** Rows [from, to) as texts. */
    public static List<String> texts(TupleBlock block, int from, int to) {
        List<String> texts = new ArrayList<>();
        for (int row = from; row < to; row++) {
            texts.add(text(block, row));
        }
        return texts;
    }
}
