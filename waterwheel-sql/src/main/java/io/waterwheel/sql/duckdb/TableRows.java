package io.waterwheel.sql.duckdb;

import io.waterwheel.decode.BlockCodec;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.text.Decimals;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import org.duckdb.DuckDBColumnType;
import org.duckdb.DuckDBDataChunkWriter;
import org.duckdb.DuckDBLogicalType;
import org.duckdb.DuckDBTableFunctionBindInfo;
import org.duckdb.DuckDBWritableVector;
import org.jspecify.annotations.Nullable;

/**
 * The rows of one table as they come in messages, for DuckDB, which takes them a vector at a time. A column is one of
 * numbers, truths, decimals or text; {@link #columns} makes times and bytes of these. DuckDB may call on threads of its
 * own, one at a time.
 */
final class TableRows {
    /** Where messages come from. */
    interface Source {
        Message next() throws IOException;
    }

    private final Source source;
    private final boolean wholeColumns;
    private final TupleBlock block;
    /** By column: its type, its column in the blocks, and its bit of null, negative where it has none. */
    private final FieldType[] types;

    private final int[] columns;
    private final int[] nullBits;
    /** By row of the vector that is filled, a bit: whether it has a value. */
    private long[] valid = {};
    /** Rows of the block that DuckDB has. */
    private int taken;

    private boolean ended;
    private @Nullable Message begunAnew;
    private @Nullable IOException failure;

    /**
     * Rows of messages up to the end of the table.
     *
     * @param fields of the rows
     * @param places by column, the field that it holds
     */
    TableRows(List<Field> fields, int[] places, Source source) {
        this(fields, places, source, VectorMemory.isKnown());
    }

    /** @param wholeColumns whether numbers are copied as {@link VectorMemory} does, where they can be */
    TableRows(List<Field> fields, int[] places, Source source, boolean wholeColumns) {
        this.source = source;
        this.wholeColumns = wholeColumns;
        RowLayout layout = RowLayout.ofFields(fields);
        this.block = new TupleBlock(layout, 0);
        this.types = new FieldType[places.length];
        this.columns = new int[places.length];
        this.nullBits = new int[places.length];
        for (int c = 0; c < places.length; c++) {
            types[c] = layout.fields().get(places[c]).type();
            columns[c] = layout.columnOf(places[c]);
            nullBits[c] = layout.nullBit(places[c]);
        }
    }

    /** The SELECT list that makes the table's columns of those that {@link #describe} names. */
    String columns() {
        List<String> shown = new ArrayList<>();
        for (int c = 0; c < types.length; c++) {
            String column = "c" + c;
            String value =
                    switch (types[c].kind()) {
                        case TIMESTAMP -> "CAST(make_timestamp_ms(" + column + ") AS TIMESTAMP_MS)";
                        case TIMESTAMP_US -> "make_timestamp(" + column + ")";
                        case TIMESTAMP_NS -> "make_timestamp_ns(" + column + ")";
                        case BYTES -> "from_base64(" + column + ")";
                        default -> column;
                    };
            shown.add(value + " AS " + column);
        }
        return String.join(", ", shown);
    }

    /** Tells DuckDB the columns. */
    void describe(DuckDBTableFunctionBindInfo info) throws SQLException {
        for (int c = 0; c < types.length; c++) {
            FieldType type = types[c];
            if (type.isDecimal()) {
                try (DuckDBLogicalType decimal = DuckDBLogicalType.decimal(type.precision(), type.scale())) {
                    info.addResultColumn("c" + c, decimal);
                }
            } else {
                info.addResultColumn("c" + c, columnType(type));
            }
        }
    }

    private static DuckDBColumnType columnType(FieldType type) {
        return switch (type.physical()) {
            case INT32, INT64 -> DuckDBColumnType.BIGINT;
            case FLOAT32, FLOAT64 -> DuckDBColumnType.DOUBLE;
            case BOOLEAN -> DuckDBColumnType.BOOLEAN;
            case VARIABLE -> {
                if (type != FieldType.STRING && type != FieldType.BYTES) {
                    throw new IllegalArgumentException("a column of type " + type);
                }
                yield DuckDBColumnType.VARCHAR;
            }
            // Addresses are text where a leaf shows them.
            case UINT32 -> throw new IllegalArgumentException("a column of type " + type);
        };
    }

    /**
     * Fills vectors with the next rows.
     *
     * @return how many they are; 0 when there are no more
     */
    synchronized long fill(DuckDBDataChunkWriter chunk) throws IOException {
        while (taken == block.size() && !ended) {
            receive();
        }
        int rows = (int) Math.min(chunk.capacity(), block.size() - taken);
        for (int c = 0; c < types.length && rows > 0; c++) {
            fill(chunk.vector(c), c, rows);
        }
        taken += rows;
        return rows;
    }

    private void receive() throws IOException {
        try {
            Message message = source.next();
            switch (message.kind()) {
                case ROWS -> {
                    block.clear();
                    taken = 0;
                    BlockCodec.decode(message.body(), 0, message.body().length, block);
                }
                case TABLE_ENDS -> ended = true;
                case TABLE -> {
                    begunAnew = message;
                    ended = true;
                }
                default -> throw new IOException("a message " + message.kind() + " among the rows of a table");
            }
        } catch (IOException e) {
            failure = e;
            throw e;
        }
    }

    /**
     * The message that began the table anew, with other rows; null when it is whole.
     *
     * @throws IOException when its rows did not come
     */
    synchronized @Nullable Message begunAnew() throws IOException {
        requireRows();
        return begunAnew;
    }

    /** @throws IOException why rows did not come, where they did not: more than DuckDB tells */
    synchronized void requireRows() throws IOException {
        if (failure != null) {
            throw failure;
        }
    }

    private long[] valid(int column, int rows) {
        int words = VectorMemory.words(rows);
        if (valid.length < words) {
            valid = new long[words];
        }
        Arrays.fill(valid, 0, words, -1);
        for (int r = 0; r < rows && nullBits[column] >= 0; r++) {
            valid[r / Long.SIZE] ^= (block.nullMask(taken + r) >>> nullBits[column] & 1) << r;
        }
        return valid;
    }

    private boolean isNull(int column, int row) {
        return nullBits[column] >= 0 && (block.nullMask(row) >>> nullBits[column] & 1) != 0;
    }

    private void fill(DuckDBWritableVector vector, int column, int rows) {
        FieldType type = types[column];
        byte[] bytes = block.column(columns[column]);
        if (type.isDecimal()) {
            fillDecimals(vector, column, rows, bytes);
            return;
        } else if (type.variable()) {
            fillTexts(vector, column, rows, bytes);
            return;
        } else if (wholeColumns && type.width() == Long.BYTES) {
            VectorMemory.put(vector, bytes, taken * Long.BYTES, valid(column, rows), rows);
            return;
        }
        for (int r = 0; r < rows; r++) {
            int row = taken + r;
            if (isNull(column, row)) {
                vector.setNull(r);
                continue;
            }
            switch (type.physical()) {
                case INT32 -> vector.setLong(r, LittleEndian.getInt(bytes, row * 4));
                case INT64 -> vector.setLong(r, LittleEndian.getLong(bytes, row * 8));
                case FLOAT32 -> vector.setDouble(r, LittleEndian.getFloat(bytes, row * 4));
                case FLOAT64 -> vector.setDouble(r, LittleEndian.getDouble(bytes, row * 8));
                case BOOLEAN -> vector.setBoolean(r, bytes[row] != 0);
                case UINT32, VARIABLE -> throw new IllegalStateException("refused above");
            }
        }
    }

    private void fillDecimals(DuckDBWritableVector vector, int column, int rows, byte[] bytes) {
        FieldType type = types[column];
        for (int r = 0; r < rows; r++) {
            int row = taken + r;
            if (isNull(column, row)) {
                vector.setNull(r);
                continue;
            }
            long cell = LittleEndian.getLong(bytes, row * 8);
            vector.setBigDecimal(
                    r,
                    type.variable()
                            ? new BigDecimal(
                                    Decimals.unscaled(block.arena(), TupleBlock.referenceOffset(cell)), type.scale())
                            : BigDecimal.valueOf(cell, type.scale()));
        }
    }

    /** All texts at once: one call of DuckDB's library. */
    private void fillTexts(DuckDBWritableVector vector, int column, int rows, byte[] bytes) {
        boolean isText = types[column] == FieldType.STRING;
        byte[][] texts = new byte[rows][];
        for (int r = 0; r < rows; r++) {
            int row = taken + r;
            if (!isNull(column, row)) {
                long reference = LittleEndian.getLong(bytes, row * 8);
                int from = TupleBlock.referenceOffset(reference);
                byte[] value = Arrays.copyOfRange(block.arena(), from, from + TupleBlock.referenceLength(reference));
                texts[r] = isText ? valid(value) : Base64.getEncoder().encode(value);
            }
        }
        vector.setStringUtf8Batch(0, texts);
        for (int r = 0; r < rows; r++) {
            if (texts[r] == null) {
                vector.setNull(r);
            }
        }
    }

    /**
     * The same bytes where they are UTF-8; else with U+FFFD in place of those that are none, for DuckDB refuses them.
     */
    private static byte[] valid(byte[] text) {
        for (byte one : text) {
            if (one < 0) {
                return new String(text, StandardCharsets.UTF_8).getBytes(StandardCharsets.UTF_8);
            }
        }
        return text;
    }
}
