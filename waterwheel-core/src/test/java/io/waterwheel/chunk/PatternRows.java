package io.waterwheel.chunk;

import io.waterwheel.index.PagePool;
import io.waterwheel.index.Template;
import io.waterwheel.index.TemplateTree;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;

/**
 * Rows whose columns follow patterns that encodings are made for, and the ones that they are not: constants, steps,
 * runs, few values, outliers, decimals, noise, extremes. And what a chunk of them must hold, plainly. The golden files
 * are made of these rows: a change here needs other files.
 */
public final class PatternRows {
    private static final long[] EXTREMES = {Long.MIN_VALUE, Long.MAX_VALUE, 0, -1, 1, Long.MIN_VALUE + 1, 1L << 56};
    private static final double[] DOUBLES = {
        0.0, -0.0, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, Double.MIN_VALUE, Double.MAX_VALUE, 1e15, 0.1
    };

    /** A row in the order of a chunk: what it holds, bit for bit. */
    record Row(long key, long time, String bits) {}

    static final Comparator<Row> BY_KEY_AND_TIME =
            Comparator.comparingLong(Row::key).thenComparingLong(Row::time);

    final Schema schema;
    final RowLayout layout;
    final TupleBlock block;

    PatternRows(Random random, Schema schema, int rows) {
        this.schema = schema;
        this.layout = RowLayout.of(schema);
        this.block = new TupleBlock(layout, rows);
        longs(random, rows, block.keys());
        longs(random, rows, block.times());
        if (schema.key() instanceof KeySpec.Ordered ordered
                && typeOf(ordered.field()).width() == 4) {
            boolean signed = typeOf(ordered.field()) == FieldType.INT;
            for (int row = 0; row < rows; row++) {
                block.keys()[row] = signed ? (int) block.keys()[row] : block.keys()[row] & 0xFFFF_FFFFL;
            }
        }
        if (layout.nullMaskColumn() >= 0) {
            nulls(random, rows);
        }
        for (int f = 0; f < layout.fields().size(); f++) {
            if (layout.columnOf(f) >= 0) {
                column(random, rows, layout.columnOf(f), layout.fields().get(f).type());
            }
        }
        block.setSize(rows);
    }

    private FieldType typeOf(String field) {
        return schema.fields().get(schema.indexOf(field)).type();
    }

    private void nulls(Random random, int rows) {
        long fields = 0;
        for (int f = 0; f < layout.fields().size(); f++) {
            fields |= layout.nullBit(f) < 0 ? 0 : 1L << layout.nullBit(f);
        }
        int pattern = random.nextInt(4);
        for (int row = 0; row < rows; row++) {
            long mask =
                    switch (pattern) {
                        case 0 -> 0;
                        case 1 -> -1;
                        case 2 -> random.nextInt(100) == 0 ? random.nextLong() : 0;
                        default -> random.nextLong();
                    };
            block.setNullMask(row, mask & fields);
        }
    }

    public static void longs(Random random, int rows, long[] out) {
        int pattern = random.nextInt(11);
        long base = random.nextBoolean() ? random.nextLong() : random.nextInt(1000);
        int bits = random.nextInt(64);
        long unit = 1L + random.nextInt(100_000);
        long value = base;
        for (int row = 0; row < rows; row++) {
            out[row] = switch (pattern) {
                case 0 -> base;
                case 1 -> base + row * unit;
                case 2 -> base + (random.nextLong() >>> 1 >>> bits);
                case 3 -> random.nextLong();
                case 4 -> EXTREMES[random.nextInt(EXTREMES.length)];
                case 5 -> base + random.nextInt(1000) * unit;
                case 6, 8 -> value;
                case 7 -> base + random.nextInt(64) + (random.nextInt(50) == 0 ? random.nextLong() : 0);
                case 9 -> (random.nextLong() | 1) * (random.nextInt(3) - 1L);
                default -> random.nextInt(5) * 0x123456789abcdefL;
            };
        }
    }

    private void column(Random random, int rows, int column, FieldType type) {
        byte[] bytes = block.column(column);
        if (type.isDecimal() && type.variable()) {
            sixteens(random, rows, bytes);
            return;
        }
        switch (type.kind()) {
            case STRING, BYTES -> texts(random, rows, bytes);
            case UUID, IPV6 -> sixteens(random, rows, bytes);
            case DOUBLE, FLOAT -> {
                int pattern = random.nextInt(8);
                double scale = Math.pow(10, random.nextInt(8));
                for (int row = 0; row < rows; row++) {
                    double value = floating(random, pattern, scale);
                    if (type == FieldType.DOUBLE) {
                        long raw = pattern == 7 ? random.nextLong() : Double.doubleToRawLongBits(value);
                        LittleEndian.putLong(bytes, row * 8, raw);
                    } else {
                        int raw = pattern == 7 ? random.nextInt() : Float.floatToRawIntBits((float) value);
                        LittleEndian.putInt(bytes, row * 4, raw);
                    }
                }
            }
            default -> {
                long[] values = new long[rows];
                longs(random, rows, values);
                for (int row = 0; row < rows; row++) {
                    switch (layout.width(column)) {
                        case 1 -> bytes[row] = (byte) (values[row] & 1);
                        case 4 -> LittleEndian.putInt(bytes, row * 4, (int) values[row]);
                        default -> LittleEndian.putLong(bytes, row * 8, values[row]);
                    }
                }
            }
        }
    }

    private static double floating(Random random, int pattern, double scale) {
        return switch (pattern) {
            case 0 -> random.nextGaussian();
            case 1 -> Math.rint(random.nextGaussian() * 1000 * scale) / scale;
            case 2 -> 116 + random.nextDouble();
            case 3 -> DOUBLES[random.nextInt(DOUBLES.length)];
            case 4 -> random.nextInt(40) == 0 ? Double.NaN : random.nextInt(1000) / scale;
            case 5 -> random.nextInt(30) == 0 ? random.nextGaussian() : random.nextInt(100_000) / scale;
            case 6 -> Double.NaN;
            default -> random.nextInt(3) * 0.5;
        };
    }

    private void texts(Random random, int rows, byte[] references) {
        int pattern = random.nextInt(5);
        for (int row = 0; row < rows; row++) {
            String text =
                    switch (pattern) {
                        case 0 -> "";
                        case 1 -> "value " + random.nextInt(10);
                        case 2 -> "https://example.org/a/path/" + random.nextInt(1_000_000) + "/index.html";
                        case 3 -> Long.toHexString(random.nextLong());
                        default -> random.nextInt(300) == 0 ? "x".repeat(random.nextInt(32_769)) : "\u00e4" + row % 700;
                    };
            byte[] value = text.getBytes(java.nio.charset.StandardCharsets.ISO_8859_1);
            LittleEndian.putLong(references, row * 8, block.addToArena(value, 0, value.length));
        }
    }

    private void sixteens(Random random, int rows, byte[] references) {
        byte[] value = new byte[FieldType.SIXTEEN];
        int changing = 1 + random.nextInt(value.length);
        for (int row = 0; row < rows; row++) {
            value[random.nextInt(changing)] = (byte) random.nextInt();
            LittleEndian.putLong(references, row * 8, block.addToArena(value, 0, value.length));
        }
    }

    /** A tree that holds the rows. */
    TemplateTree tree() {
        TemplateTree tree = new TemplateTree(layout, Template.single(), new PagePool(1 << 26));
        tree.insert(block, 0, block.size());
        return tree;
    }

    /** What a chunk of these rows must hold, in its order. */
    List<Row> expected() {
        List<Row> rows = rows(block);
        rows.sort(BY_KEY_AND_TIME);
        return rows;
    }

    /** The rows of a block in the order of a chunk; of those of one key and time, as they came. */
    static List<Row> sorted(TupleBlock block) {
        return sorted(rows(block));
    }

    /** Rows of one key and time in one order, as a chunk may have them in any. */
    static List<Row> settled(List<Row> rows) {
        List<Row> settled = new ArrayList<>(rows);
        settled.sort(BY_KEY_AND_TIME.thenComparing(Row::bits));
        return settled;
    }

    static List<Row> sorted(List<Row> rows) {
        List<Row> sorted = new ArrayList<>(rows);
        sorted.sort(BY_KEY_AND_TIME);
        return sorted;
    }

    /** The rows of a block, bit for bit. */
    static List<Row> rows(TupleBlock block) {
        List<Row> rows = new ArrayList<>();
        RowLayout layout = block.layout();
        for (int row = 0; row < block.size(); row++) {
            StringBuilder bits = new StringBuilder();
            for (int f = 0; f < layout.fields().size(); f++) {
                int column = layout.columnOf(f);
                if (column < 0) {
                    continue;
                }
                bits.append('|');
                if (block.isNull(f, row)) {
                    bits.append("null");
                } else if (layout.variable(column)) {
                    long reference = LittleEndian.getLong(block.column(column), row * 8);
                    bits.append(new String(
                            block.arena(),
                            TupleBlock.referenceOffset(reference),
                            TupleBlock.referenceLength(reference),
                            java.nio.charset.StandardCharsets.ISO_8859_1));
                } else {
                    for (int b = 0; b < layout.width(column); b++) {
                        bits.append(Integer.toHexString(block.column(column)[row * layout.width(column) + b] & 0xFF))
                                .append('.');
                    }
                }
            }
            rows.add(new Row(block.keys()[row], block.times()[row], bits.toString()));
        }
        return rows;
    }
}
