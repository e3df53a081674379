package io.waterwheel.topology.rpc;

import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.text.Decimals;
import io.waterwheel.schema.text.Ipv4;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Handlers and blocks for the tests of the server. */
final class Handlers {
    static final QueryHandler NO_QUERIES = (query, sink) -> {
        throw new AssertionError("not asked for");
    };
    static final AdminHandler NO_ADMIN = (action, body, caller) -> {
        throw new AssertionError("not asked for");
    };

    private Handlers() {}

    /** A result block of these rows, written the plain way. */
    static TupleBlock block(List<Field> fields, List<@Nullable Object[]> rows) {
        RowLayout layout = RowLayout.ofFields(fields);
        TupleBlock block = new TupleBlock(layout, rows.size());
        for (int r = 0; r < rows.size(); r++) {
            long nulls = 0;
            for (int f = 0; f < fields.size(); f++) {
                byte[] column = block.column(layout.columnOf(f));
                Object value = rows.get(r)[f];
                if (value == null) {
                    nulls |= 1L << layout.nullBit(f);
                } else if (value instanceof Integer i) {
                    LittleEndian.putInt(column, r * 4, i);
                } else if (value instanceof Long l) {
                    LittleEndian.putLong(column, r * 8, l);
                } else if (value instanceof Float x) {
                    LittleEndian.putInt(column, r * 4, Float.floatToIntBits(x));
                } else if (value instanceof Double x) {
                    LittleEndian.putLong(column, r * 8, Double.doubleToLongBits(x));
                } else if (value instanceof Boolean b) {
                    column[r] = (byte) (b ? 1 : 0);
                } else if (value instanceof BigDecimal decimal) {
                    FieldType type = fields.get(f).type();
                    byte[] bytes = Decimals.bytes(decimal, type.precision(), type.scale());
                    LittleEndian.putLong(
                            column,
                            r * 8,
                            type.variable()
                                    ? block.addToArena(bytes, 0, bytes.length)
                                    : decimal.unscaledValue().longValueExact());
                } else if (fields.get(f).type() == FieldType.IPV4) {
                    byte[] text = ((String) value).getBytes(StandardCharsets.UTF_8);
                    LittleEndian.putInt(column, r * 4, (int) Ipv4.parse(text, 0, text.length));
                } else if (fields.get(f).type().hasSixteenBytes()) {
                    byte[] text = ((String) value).getBytes(StandardCharsets.UTF_8);
                    byte[] bytes = new byte[FieldType.SIXTEEN];
                    fields.get(f).type().parseSixteen(text, 0, text.length, bytes);
                    LittleEndian.putLong(column, r * 8, block.addToArena(bytes, 0, bytes.length));
                } else {
                    byte[] bytes =
                            value instanceof byte[] raw ? raw : ((String) value).getBytes(StandardCharsets.UTF_8);
                    LittleEndian.putLong(column, r * 8, block.addToArena(bytes, 0, bytes.length));
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
