package io.waterwheel.topology.sql;

import io.waterwheel.query.Verdict;
import io.waterwheel.query.run.AnswerSink;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.text.Decimals;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A short answer that is there: of each row a Long, Double, Boolean, String or null by field. Not thread-safe. */
final class MemoryRows {
    private final List<Field> fields;
    private final List<@Nullable Object[]> rows = new ArrayList<>();

    MemoryRows(List<Field> fields) {
        this.fields = List.copyOf(fields);
    }

    List<Field> fields() {
        return fields;
    }

    MemoryRows add(@Nullable Object... row) {
        rows.add(row);
        return this;
    }

    /** The whole answer, which is of no stream. */
    void to(AnswerSink sink) {
        to(sink, new Verdict(true, List.of(), Map.of(), 0, 0, 0, 0));
    }

    /** The whole answer, with a verdict whose number of rows is that of these. */
    void to(AnswerSink sink, Verdict verdict) {
        sink.start(fields);
        if (!rows.isEmpty()) {
            sink.rows(block());
        }
        sink.finish(verdict.withTuples(rows.size()));
    }

    int size() {
        return rows.size();
    }

    /** The rows; at least one. */
    TupleBlock block() {
        RowLayout layout = RowLayout.ofFields(fields);
        TupleBlock block = new TupleBlock(layout, rows.size());
        for (int r = 0; r < rows.size(); r++) {
            long nulls = 0;
            for (int f = 0; f < fields.size(); f++) {
                Object value = rows.get(r)[f];
                byte[] column = block.column(layout.columnOf(f));
                if (value == null) {
                    nulls |= 1L << layout.nullBit(f);
                } else if (value instanceof Long whole) {
                    LittleEndian.putLong(column, r * Long.BYTES, whole);
                } else if (value instanceof Double number) {
                    LittleEndian.putLong(column, r * Long.BYTES, Double.doubleToLongBits(number));
                } else if (value instanceof Boolean truth) {
                    column[r] = (byte) (truth ? 1 : 0);
                } else if (value instanceof BigDecimal decimal) {
                    FieldType type = fields.get(f).type();
                    long cell = type.variable()
                            ? block.addToArena(
                                    Decimals.bytes(decimal, type.precision(), type.scale()), 0, Decimals.LONG_BYTES)
                            : Decimals.unscaled(decimal, type.precision(), type.scale());
                    LittleEndian.putLong(column, r * Long.BYTES, cell);
                } else {
                    byte[] text = value.toString().getBytes(StandardCharsets.UTF_8);
                    LittleEndian.putLong(column, r * Long.BYTES, block.addToArena(text, 0, text.length));
                }
            }
            if (layout.nullMaskColumn() >= 0) {
                block.setNullMask(r, nulls);
            }
        }
        block.setSize(rows.size());
        return block;
    }
}
