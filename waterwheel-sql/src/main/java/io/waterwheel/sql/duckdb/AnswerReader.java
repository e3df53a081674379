package io.waterwheel.sql.duckdb;

import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import org.duckdb.DuckDBDataChunkReader;
import org.duckdb.DuckDBReadableVector;

/** Rows of DuckDB's answers as blocks. */
final class AnswerReader {
    private final RowLayout layout;
    private final TupleBlock block;

    /** A reader of answers of these fields, all of which may be null. */
    AnswerReader(List<Field> fields) {
        this.layout = RowLayout.ofFields(fields);
        this.block = new TupleBlock(layout, 0);
    }

    /** The rows of a chunk; the block is filled anew by the next call. */
    TupleBlock read(DuckDBDataChunkReader chunk) {
        int rows = Math.toIntExact(chunk.rowCount());
        block.clear();
        block.ensureRows(rows);
        block.setSize(rows);
        for (int c = 0; c < layout.columns(); c++) {
            Arrays.fill(block.column(c), 0, rows * layout.width(c), (byte) 0);
        }
        for (int f = 0; f < layout.fields().size(); f++) {
            DuckDBReadableVector vector = chunk.vector(f);
            for (int row = 0; row < rows; row++) {
                if (vector.isNull(row)) {
                    block.setNullMask(row, block.nullMask(row) | 1L << layout.nullBit(f));
                } else {
                    read(vector, f, row);
                }
            }
        }
        return block;
    }

    private void read(DuckDBReadableVector vector, int field, int row) {
        FieldType type = layout.fields().get(field).type();
        int column = layout.columnOf(field);
        byte[] bytes = block.column(column);
        switch (type.physical()) {
            case BOOLEAN -> bytes[row] = (byte) (vector.getBoolean(row) ? 1 : 0);
            case INT64 -> LittleEndian.putLong(bytes, row * 8, vector.getLong(row));
            case FLOAT64 -> LittleEndian.putLong(bytes, row * 8, Double.doubleToRawLongBits(vector.getDouble(row)));
            case VARIABLE -> {
                String text = vector.getString(row);
                variable(
                        type == FieldType.STRING
                                ? text.getBytes(StandardCharsets.UTF_8)
                                : Base64.getDecoder().decode(text),
                        column,
                        row);
            }
            case INT32, UINT32, FLOAT32 -> throw new IllegalStateException("a field of type " + type);
        }
    }

    private void variable(byte[] value, int column, int row) {
        long reference = block.addToArena(value, 0, value.length);
        LittleEndian.putLong(block.column(column), row * 8, reference);
    }
}
