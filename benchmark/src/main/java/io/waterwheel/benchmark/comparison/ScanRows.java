package io.waterwheel.benchmark.comparison;

import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;

/** Rows made up from a seed, for {@link DuckDbScans}: the same as tuple blocks and as CSV. One thread. */
final class ScanRows {
    /* Numbers with all their digits, some nulls, few groups, notes of which each is another: no column is easier to code
     * than measured ones are. */

    private static final int GROUPS = 500;
    private static final int NAMES = 300;
    private static final int ONE_IN_NULL = 50;
    private static final int BLOCK_ROWS = 1000;

    private static final Schema SCHEMA = new Schema(
            List.of(
                    new Field("id", FieldType.LONG, false),
                    new Field("at", FieldType.TIMESTAMP, false),
                    new Field("x", FieldType.LONG, true),
                    new Field("d", FieldType.DOUBLE, true),
                    new Field("g", FieldType.INT, false),
                    new Field("name", FieldType.STRING, true),
                    new Field("note", FieldType.STRING, false)),
            new KeySpec.Ordered("id"),
            "at");

    private static final String[] WORDS = {
        "engine", "harbour", "late", "signal", "north", "bridge", "seven", "slow", "tunnel", "gate", "river", "left",
        "market", "stop", "delay", "green"
    };

    private final SplittableRandom random;
    private final String[] names = new String[NAMES];

    ScanRows(long seed) {
        random = new SplittableRandom(seed);
        for (int n = 0; n < NAMES; n++) {
            names[n] = "station-" + Long.toString(random.nextLong(1L << 20, 1L << 30), 36);
        }
    }

    static Schema schema() {
        return SCHEMA;
    }

    interface Blocks {
        void take(TupleBlock block) throws IOException;
    }

    /** Makes rows: hands them over in blocks, and writes them as lines; null is an empty value. */
    void make(int rows, Path csv, Blocks into) throws IOException {
        RowLayout layout = RowLayout.of(SCHEMA);
        TupleBlock block = new TupleBlock(layout, BLOCK_ROWS);
        try (BufferedWriter lines = Files.newBufferedWriter(csv)) {
            for (int made = 0; made < rows; made++) {
                lines.write(row(block, layout, made, rows));
                if (block.size() == BLOCK_ROWS || made + 1 == rows) {
                    into.take(block);
                    block.clear();
                }
            }
        }
    }

    private boolean isNull() {
        return random.nextInt(ONE_IN_NULL) == 0;
    }

    private String row(TupleBlock block, RowLayout layout, int number, int rows) {
        int row = block.size();
        block.ensureRows(row + 1);
        // Each once, in an order that is none.
        long id = number * 7_919L % rows;
        long at = 1_700_000_000_000L + number * 20L + random.nextInt(1000);
        long x = random.nextLong(-2000, 2000);
        double d = (random.nextDouble() - 0.3) * 1e4;
        int group = random.nextInt(GROUPS);
        String name = names[random.nextInt(NAMES)];
        String note = WORDS[random.nextInt(WORDS.length)] + " " + WORDS[random.nextInt(WORDS.length)] + " "
                + Integer.toString(random.nextInt(1 << 30), 36) + " " + WORDS[random.nextInt(WORDS.length)];
        boolean noX = isNull();
        boolean noD = isNull();
        boolean noName = isNull();
        block.keys()[row] = id;
        block.times()[row] = at;
        long nulls = 0;
        nulls |= noX ? 1L << layout.nullBit(2) : 0;
        nulls |= noD ? 1L << layout.nullBit(3) : 0;
        nulls |= noName ? 1L << layout.nullBit(5) : 0;
        LittleEndian.putLong(block.column(layout.columnOf(2)), row * 8, x);
        LittleEndian.putLong(block.column(layout.columnOf(3)), row * 8, Double.doubleToRawLongBits(d));
        LittleEndian.putInt(block.column(layout.columnOf(4)), row * 4, group);
        putText(block, layout.columnOf(5), row, noName ? "" : name);
        putText(block, layout.columnOf(6), row, note);
        block.setSize(row + 1);
        block.setNullMask(row, nulls);
        return id + "," + at + "," + (noX ? "" : x) + "," + (noD ? "" : d) + "," + group + "," + (noName ? "" : name)
                + "," + note + "\n";
    }

    private static void putText(TupleBlock block, int column, int row, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        block.ensureArena(bytes.length);
        LittleEndian.putLong(block.column(column), row * 8, block.addToArena(bytes, 0, bytes.length));
    }
}
