package io.waterwheel.sql.duckdb;

import io.waterwheel.decode.BlockCodec;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.text.Decimals;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
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

/**
 * Rows of one table that have come in messages, for DuckDB, which takes them a vector at a time. A column is one of
 * numbers, truths, decimals or text; {@link #columns} makes times and bytes of these. One thread adds them, and runs
 * the statement in which DuckDB takes them all, on a thread of its own perhaps.
 */
final class TableRows {
    /** The last millisecond that DuckDB has in both directions, as microseconds. */
    private static final long MOST_MILLIS = Long.MAX_VALUE / 1000;

    /** A time is none of DuckDB's: it would be another there, or none. */
    static final class TimeBeyond extends SQLException {
        private static final long serialVersionUID = 1;

        TimeBeyond(Field field, long time) {
            super("column '" + field.name() + "' has the " + field.type().schemaName() + " " + time
                    + ", which is beyond the times of joins; leave such rows out by a condition");
        }
    }

    private final List<Field> fields;
    private final int[] places;
    private final boolean wholeColumns;
    private final TupleBlock block;
    /** By column: its type, its column in the blocks, and its bit of null, negative where it has none. */
    private final FieldType[] types;

    private final int[] columns;
    private final int[] nullBits;
    /** By row of the vector that is filled, a bit: whether it has a value. */
    private long[] validity = {};
    /** Rows of the block that DuckDB has. */
    private int taken;

    /**
     * No rows yet.
     *
     * @param fields of the rows
     * @param places by column, the field that it holds
     * @param wholeColumns whether numbers are copied as {@link VectorMemory} does, where they can be
     */
    TableRows(List<Field> fields, int[] places, boolean wholeColumns) {
        this.fields = fields;
        this.places = places;
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
     * Adds the rows of an encoded block.
     *
     * @throws TimeBeyond when a time is one that DuckDB has not
     */
    synchronized void add(byte[] encoded) throws TimeBeyond {
        int first = block.size();
        BlockCodec.decode(encoded, 0, encoded.length, block);
        for (int c = 0; c < types.length; c++) {
            switch (types[c].kind()) {
                case TIMESTAMP -> requireTimes(c, first, MOST_MILLIS);
                // The greatest, and its opposite, are infinite to DuckDB.
                case TIMESTAMP_US, TIMESTAMP_NS -> requireTimes(c, first, Long.MAX_VALUE - 1);
                default -> {
                    // It has no bounds.
                }
            }
        }
    }

    private void requireTimes(int column, int first, long most) throws TimeBeyond {
        byte[] bytes = block.column(columns[column]);
        for (int row = first; row < block.size(); row++) {
            long time = LittleEndian.getLong(bytes, row * 8);
            if ((time > most || time < -most) && !isNull(column, row)) {
                throw new TimeBeyond(fields.get(places[column]), time);
            }
        }
    }

    /** Of the rows that were added and not cleared, about. */
    synchronized long bytes() {
        return block.bytes();
    }

    /** Forgets the rows, which DuckDB has taken. */
    synchronized void clear() {
        block.clear();
        taken = 0;
    }

    /**
     * Fills vectors with the next rows.
     *
     * @return how many they are; 0 when there are no more
     */
    synchronized long fill(DuckDBDataChunkWriter chunk) {
        int rows = (int) Math.min(chunk.capacity(), block.size() - taken);
        for (int c = 0; c < types.length && rows > 0; c++) {
            fill(chunk.vector(c), c, rows);
        }
        taken += rows;
        return rows;
    }

    private long[] validityOf(int column, int rows) {
        int words = VectorMemory.words(rows);
        if (validity.length < words) {
            validity = new long[words];
        }
        Arrays.fill(validity, 0, words, -1);
        for (int r = 0; r < rows && nullBits[column] >= 0; r++) {
            validity[r / Long.SIZE] ^= (block.nullMask(taken + r) >>> nullBits[column] & 1) << r;
        }
        return validity;
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
            VectorMemory.put(vector, bytes, taken * Long.BYTES, validityOf(column, rows), rows);
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
                texts[r] = isText ? utf8(value) : Base64.getEncoder().encode(value);
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
    private static byte[] utf8(byte[] text) {
        for (byte one : text) {
            if (one < 0) {
                return new String(text, StandardCharsets.UTF_8).getBytes(StandardCharsets.UTF_8);
            }
        }
        return text;
    }
}
