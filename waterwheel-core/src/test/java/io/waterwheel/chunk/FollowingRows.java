package io.waterwheel.chunk;

import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;

/** Makes columns of random rows follow from their station, but for some rows that disagree. */
public final class FollowingRows {
    /** All widths, with nulls and without; noise follows from nothing. */
    public static final Schema SCHEMA = new Schema(
            List.of(
                    new Field("lon", FieldType.DOUBLE, false),
                    new Field("k", FieldType.LONG, false),
                    new Field("station", FieldType.STRING, true),
                    new Field("lat", FieldType.DOUBLE, true),
                    new Field("elevation", FieldType.FLOAT, true),
                    new Field("region", FieldType.BYTES, false),
                    new Field("address", FieldType.IPV4, false),
                    new Field("since", FieldType.TIMESTAMP_US, true),
                    new Field("number", FieldType.INT, false),
                    new Field("open", FieldType.BOOLEAN, false),
                    new Field("noise", FieldType.DOUBLE, false),
                    new Field("t", FieldType.TIMESTAMP, false)),
            new KeySpec.Ordered("k"),
            "t");

    private static final double[] DOUBLES = {-0.0, 0.0, Double.NaN, Double.NEGATIVE_INFINITY, 1e300};

    private final RowLayout layout = RowLayout.of(SCHEMA);
    private final Random random;
    private final int stations;
    private final byte[][] names;
    /** Whether the first station is null, and not empty. */
    private final boolean nullable;

    /** By column and station. */
    private final long[][] values;

    public FollowingRows(Random random) {
        this.random = random;
        this.stations = 1 + random.nextInt(random.nextBoolean() ? 20 : 900);
        this.nullable = random.nextBoolean();
        this.names = new byte[stations][];
        this.values = new long[layout.columns()][stations];
        String prefix = "USC00".repeat(random.nextInt(3));
        for (int s = 0; s < stations; s++) {
            names[s] = (s == 0 ? "" : prefix + s).getBytes(StandardCharsets.UTF_8);
        }
        for (int f = 0; f < layout.fields().size(); f++) {
            for (int s = 0; s < stations && layout.columnOf(f) >= 0; s++) {
                values[layout.columnOf(f)][s] = value(layout.fields().get(f).type());
            }
        }
    }

    private long value(FieldType type) {
        return switch (type.kind()) {
            case DOUBLE ->
                switch (random.nextInt(20)) {
                    case 0 -> Double.doubleToRawLongBits(DOUBLES[random.nextInt(DOUBLES.length)]);
                    case 1 -> 0x7ff8_0000_0000_0000L | random.nextInt(); // one of many NaNs
                    default -> Double.doubleToRawLongBits((random.nextInt(3_600_000) - 1_800_000) / 1e4);
                };
            case FLOAT ->
                random.nextInt(9) == 0
                        ? 0xFFC0_0000 | random.nextInt(100)
                        : Float.floatToRawIntBits(random.nextFloat());
            case INT, IPV4 -> random.nextInt();
            case BOOLEAN -> random.nextInt(2);
            default -> random.nextLong();
        };
    }

    /**
     * Puts stations and what follows from them into the rows.
     *
     * @param strangers of a thousand rows, those that disagree
     */
    public void fill(TupleBlock block, int strangers) {
        for (int row = 0; row < block.size(); row++) {
            int station = (int) (stations * Math.pow(random.nextDouble(), 2));
            long mask = station == 0 && nullable ? 1 : 0;
            for (int bit = 1; bit < 4; bit++) {
                mask |= random.nextInt(10) == 0 ? 1L << bit : 0;
            }
            block.setNullMask(row, mask);
            for (int f = 0; f < layout.fields().size(); f++) {
                int column = layout.columnOf(f);
                String name = layout.fields().get(f).name();
                if (column < 0 || name.equals("noise")) {
                    continue;
                }
                if (layout.variable(column)) {
                    byte[] text = names[name.equals("station") ? station : station / 3];
                    LittleEndian.putLong(block.column(column), row * 8, block.addToArena(text, 0, text.length));
                    continue;
                }
                boolean follows = random.nextInt(1000) >= strangers;
                put(
                        block,
                        column,
                        row,
                        follows
                                ? values[column][station]
                                : value(layout.fields().get(f).type()));
            }
        }
    }

    /** Overwrites the value of a column of fixed width. */
    static void put(TupleBlock block, int column, int row, long value) {
        switch (block.layout().width(column)) {
            case 1 -> block.column(column)[row] = (byte) value;
            case 4 -> LittleEndian.putInt(block.column(column), row * 4, (int) value);
            default -> LittleEndian.putLong(block.column(column), row * 8, value);
        }
    }
}
