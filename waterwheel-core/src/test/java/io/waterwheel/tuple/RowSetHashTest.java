package io.waterwheel.tuple;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class RowSetHashTest {
    private static final Schema SCHEMA = new Schema(
            List.of(
                    new Field("t", FieldType.TIMESTAMP, false),
                    new Field("k", FieldType.IPV4, false),
                    new Field("s", FieldType.STRING, true),
                    new Field("i", FieldType.INT, true),
                    new Field("b", FieldType.BOOLEAN, false)),
            new KeySpec.Ordered("k"),
            "t");

    private record Row(
            long t, int k, @Nullable String s, @Nullable Integer i, boolean b) {}

    @Test
    void orderAndLayoutMakeNoDifferenceAndEveryFieldDoes() {
        for (long seed = 1; seed <= 50; seed++) {
            Random random = new Random(seed);
            List<Row> rows = new ArrayList<>();
            for (int r = random.nextInt(50); r >= 0; r--) {
                rows.add(row(random));
            }
            RowSetHash stored = hash(RowLayout.of(SCHEMA), rows);
            Collections.shuffle(rows, random);
            RowSetHash result = hash(RowLayout.ofFields(SCHEMA.fields()), rows);
            assertThat(result.agrees(stored)).as("seed %s", seed).isTrue();
            assertThat(result.fingerprint()).isEqualTo(stored.fingerprint()).hasSize(32);

            Row old = rows.get(0);
            for (Row other : List.of(
                    new Row(old.t() + 1, old.k(), old.s(), old.i(), old.b()),
                    new Row(old.t(), old.k() + 1, old.s(), old.i(), old.b()),
                    new Row(old.t(), old.k(), old.s() == null ? "" : null, old.i(), old.b()),
                    new Row(old.t(), old.k(), old.s(), old.i() == null ? 0 : null, old.b()),
                    new Row(old.t(), old.k(), old.s(), old.i(), !old.b()))) {
                rows.set(0, other);
                assertThat(hash(RowLayout.of(SCHEMA), rows).agrees(stored))
                        .as("seed %s: %s", seed, other)
                        .isFalse();
            }
            // One of two equal rows lost, another doubled: as many rows, another set.
            rows.set(0, old);
            rows.add(old);
            RowSetHash doubled = hash(RowLayout.of(SCHEMA), rows);
            rows.set(0, row(random));
            assertThat(hash(RowLayout.of(SCHEMA), rows).agrees(doubled)).isFalse();
        }
    }

    private static Row row(Random random) {
        return new Row(
                random.nextInt(100),
                random.nextInt(),
                random.nextInt(4) == 0 ? null : "text".repeat(random.nextInt(6)) + random.nextInt(3),
                random.nextInt(4) == 0 ? null : random.nextInt(3),
                random.nextBoolean());
    }

    private static RowSetHash hash(RowLayout layout, List<Row> rows) {
        TupleBlock block = new TupleBlock(layout, rows.size());
        for (int r = 0; r < rows.size(); r++) {
            Row row = rows.get(r);
            put(block, 0, r, row.t());
            put(block, 1, r, row.k());
            long mask = 0;
            if (row.s() == null) {
                mask |= 1L << layout.nullBit(2);
            } else {
                byte[] text = row.s().getBytes(java.nio.charset.StandardCharsets.UTF_8);
                LittleEndian.putLong(block.column(layout.columnOf(2)), r * 8, block.addToArena(text, 0, text.length));
            }
            if (row.i() == null) {
                mask |= 1L << layout.nullBit(3);
            } else {
                put(block, 3, r, row.i());
            }
            put(block, 4, r, row.b() ? 1 : 0);
            block.setNullMask(r, mask);
        }
        block.setSize(rows.size());
        RowSetHash hash = new RowSetHash();
        for (int r = 0; r < rows.size(); r++) {
            hash.add(block, r);
        }
        return hash;
    }

    private static void put(TupleBlock block, int field, int row, long value) {
        int column = block.layout().columnOf(field);
        if (column == RowLayout.TIME) {
            block.times()[row] = value;
        } else if (column == RowLayout.KEY) {
            block.keys()[row] = value;
        } else {
            switch (block.layout().width(column)) {
                case 1 -> block.column(column)[row] = (byte) value;
                case 4 -> LittleEndian.putInt(block.column(column), row * 4, (int) value);
                default -> LittleEndian.putLong(block.column(column), row * 8, value);
            }
        }
    }
}
