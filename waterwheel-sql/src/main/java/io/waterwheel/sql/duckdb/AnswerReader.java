package io.waterwheel.sql.duckdb;

import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.text.Decimals;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import org.duckdb.DuckDBDataChunkReader;
import org.duckdb.DuckDBReadableVector;

/** Rows of DuckDB's answers as blocks. */
final class AnswerReader {
    /** Texts and bytes of a message, after which no row is added; one row may have more. */
    private static final int ENOUGH_BYTES = 1 << 20;

    /** A value is longer than those of rows are. */
    static final class TooLong extends SQLException {
        private static final long serialVersionUID = 1;

        private final int bytes;

        TooLong(int field, int bytes) {
            super("column " + (field + 1) + " of the answer has a value of " + bytes + " bytes, expected at most "
                    + TupleBlock.MAX_VALUE_BYTES + "; take SUBSTRING of it");
            this.bytes = bytes;
        }

        int bytes() {
            return bytes;
        }
    }

    /** A decimal has more digits than its type. */
    static final class TooManyDigits extends SQLException {
        private static final long serialVersionUID = 1;

        TooManyDigits(int field, BigDecimal value, FieldType type, ArithmeticException cause) {
            super(
                    "column " + (field + 1) + " of the answer has " + value.toPlainString() + ", which exceeds "
                            + type.schemaName() + "; CAST it to more digits",
                    cause);
        }
    }

    private final RowLayout layout;
    private final TupleBlock block;

    /** A reader of answers of these fields, all of which may be null. */
    AnswerReader(List<Field> fields) {
        this.layout = RowLayout.ofFields(fields);
        this.block = new TupleBlock(layout, 0);
    }

    /** What was read last. */
    TupleBlock block() {
        return block;
    }

    /**
     * Rows of a chunk, as many as make a message; one at least. The block is filled anew by the next call.
     *
     * @param from the first row
     * @throws TooLong when a value is
     * @throws TooManyDigits when a decimal has them
     */
    TupleBlock read(DuckDBDataChunkReader chunk, int from) throws SQLException {
        int most = Math.toIntExact(chunk.rowCount()) - from;
        block.clear();
        block.ensureRows(most);
        for (int c = 0; c < layout.columns(); c++) {
            Arrays.fill(block.column(c), 0, most * layout.width(c), (byte) 0);
        }
        DuckDBReadableVector[] vectors =
                new DuckDBReadableVector[layout.fields().size()];
        for (int f = 0; f < vectors.length; f++) {
            vectors[f] = chunk.vector(f);
        }
        int rows = 0;
        while (rows < most && (rows == 0 || block.arenaSize() < ENOUGH_BYTES)) {
            for (int f = 0; f < vectors.length; f++) {
                if (vectors[f].isNull(from + rows)) {
                    block.setNullMask(rows, block.nullMask(rows) | 1L << layout.nullBit(f));
                } else {
                    read(vectors[f], f, from + rows, rows);
                }
            }
            rows++;
        }
        block.setSize(rows);
        return block;
    }

    private void read(DuckDBReadableVector vector, int field, int from, int row) throws SQLException {
        FieldType type = layout.fields().get(field).type();
        int column = layout.columnOf(field);
        byte[] bytes = block.column(column);
        if (type.isDecimal()) {
            decimal(type, vector.getBigDecimal(from), field, row);
            return;
        }
        switch (type.physical()) {
            case BOOLEAN -> bytes[row] = (byte) (vector.getBoolean(from) ? 1 : 0);
            case INT64 -> LittleEndian.putLong(bytes, row * 8, vector.getLong(from));
            case FLOAT64 -> LittleEndian.putLong(bytes, row * 8, Double.doubleToRawLongBits(vector.getDouble(from)));
            case VARIABLE -> {
                String text = vector.getString(from);
                variable(
                        type == FieldType.STRING
                                ? text.getBytes(StandardCharsets.UTF_8)
                                : Base64.getDecoder().decode(text),
                        field,
                        row);
            }
            case INT32, UINT32, FLOAT32 -> throw new IllegalStateException("a field of type " + type);
        }
    }

    private void decimal(FieldType type, BigDecimal value, int field, int row) throws SQLException {
        try {
            if (type.variable()) {
                variable(Decimals.bytes(value, type.precision(), type.scale()), field, row);
            } else {
                long unscaled = Decimals.unscaled(value, type.precision(), type.scale());
                LittleEndian.putLong(block.column(layout.columnOf(field)), row * 8, unscaled);
            }
        } catch (ArithmeticException e) {
            throw new TooManyDigits(field, value, type, e);
        }
    }

    private void variable(byte[] value, int field, int row) throws SQLException {
        if (value.length > TupleBlock.MAX_VALUE_BYTES) {
            throw new TooLong(field, value.length);
        }
        long reference = block.addToArena(value, 0, value.length);
        LittleEndian.putLong(block.column(layout.columnOf(field)), row * 8, reference);
    }
}
