package io.waterwheel.sql.duckdb;

import io.waterwheel.decode.BlockCodec;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.List;
import org.duckdb.DuckDBAppender;
import org.duckdb.DuckDBConnection;

/** Appends rows of blocks to a table of DuckDB that it makes. */
final class TableWriter implements AutoCloseable {
    private final TupleBlock block;
    /** By column: its type, its column in the blocks, and its bit of null, negative where it has none. */
    private final FieldType[] types;

    private final int[] columns;
    private final int[] nullBits;
    /** By column, its values in the block that is appended. */
    private final byte[][] values;

    private final DuckDBAppender appender;

    /**
     * Makes the table, in place of one of that name.
     *
     * @param fields of the rows
     * @param places by column, the field that it holds
     */
    TableWriter(DuckDBConnection connection, String table, List<Field> fields, int[] places) throws SQLException {
        RowLayout layout = RowLayout.ofFields(fields);
        this.block = new TupleBlock(layout, 0);
        this.types = new FieldType[places.length];
        this.columns = new int[places.length];
        this.nullBits = new int[places.length];
        this.values = new byte[places.length][];
        for (int c = 0; c < places.length; c++) {
            types[c] = layout.fields().get(places[c]).type();
            columns[c] = layout.columnOf(places[c]);
            nullBits[c] = layout.nullBit(places[c]);
        }
        StringBuilder create = new StringBuilder("CREATE OR REPLACE TEMP TABLE " + table + " (");
        for (int c = 0; c < places.length; c++) {
            create.append(c == 0 ? "c" : ", c")
                    .append(c)
                    .append(' ')
                    .append(type(fields.get(places[c]).type()));
        }
        try (Statement statement = connection.createStatement()) {
            statement.execute(create.append(')').toString());
        }
        this.appender = connection.createAppender("temp", "main", table);
    }

    private static String type(FieldType type) {
        return switch (type.kind()) {
            case TIMESTAMP -> "TIMESTAMP_MS";
            case TIMESTAMP_US -> "TIMESTAMP";
            case TIMESTAMP_NS -> "TIMESTAMP_NS";
            case STRING -> "VARCHAR";
            case BYTES -> "BLOB";
            case DECIMAL -> type.name();
            default ->
                switch (type.physical()) {
                    case INT32, INT64 -> "BIGINT";
                    case FLOAT32, FLOAT64 -> "DOUBLE";
                    case BOOLEAN -> "BOOLEAN";
                    // Addresses and UUIDs are text where a leaf shows them.
                    case UINT32, VARIABLE -> throw new IllegalArgumentException("a column of type " + type);
                };
        };
    }

    /** Appends the rows of an encoded block. */
    void append(byte[] encoded) throws SQLException {
        block.clear();
        BlockCodec.decode(encoded, 0, encoded.length, block);
        for (int c = 0; c < columns.length; c++) {
            values[c] = block.column(columns[c]);
        }
        int rows = block.size();
        for (int row = 0; row < rows; row++) {
            appender.beginRow();
            long nulls = block.nullMask(row);
            for (int c = 0; c < columns.length; c++) {
                if (nullBits[c] >= 0 && (nulls >>> nullBits[c] & 1) != 0) {
                    appender.appendNull();
                } else {
                    append(types[c], values[c], row);
                }
            }
            appender.endRow();
        }
    }

    private void append(FieldType type, byte[] bytes, int row) throws SQLException {
        switch (type.physical()) {
            case INT32 -> appender.append((long) LittleEndian.getInt(bytes, row * 4));
            case INT64 -> append(type, LittleEndian.getLong(bytes, row * 8));
            case FLOAT32 -> appender.append((double) LittleEndian.getFloat(bytes, row * 4));
            case FLOAT64 -> appender.append(LittleEndian.getDouble(bytes, row * 8));
            case BOOLEAN -> appender.append(bytes[row] != 0);
            case VARIABLE -> append(type, LittleEndian.getLong(bytes, row * 8), block.arena());
            case UINT32 -> throw new IllegalStateException("refused above");
        }
    }

    private void append(FieldType type, long value) throws SQLException {
        switch (type.kind()) {
            case TIMESTAMP -> appender.appendEpochMillis(value);
            case TIMESTAMP_US -> appender.appendEpochMicros(value);
            case TIMESTAMP_NS -> appender.appendEpochNanos(value);
            case DECIMAL -> {
                // DuckDB keeps decimals in the least integers that have their digits.
                if (type.precision() <= 4) {
                    appender.appendDecimal((short) value);
                } else if (type.precision() <= 9) {
                    appender.appendDecimal((int) value);
                } else {
                    appender.appendDecimal(value);
                }
            }
            default -> appender.append(value);
        }
    }

    private void append(FieldType type, long reference, byte[] arena) throws SQLException {
        int from = TupleBlock.referenceOffset(reference);
        int length = TupleBlock.referenceLength(reference);
        if (type.isDecimal()) {
            long high = Long.reverseBytes(LittleEndian.getLong(arena, from)) ^ Long.MIN_VALUE;
            appender.appendDecimal(Long.reverseBytes(LittleEndian.getLong(arena, from + Long.BYTES)), high);
        } else if (type == FieldType.STRING) {
            appender.append(new String(arena, from, length, StandardCharsets.UTF_8));
        } else {
            appender.append(Arrays.copyOfRange(arena, from, from + length));
        }
    }

    /** Rows that were appended are in the table from now on. */
    @Override
    public void close() throws SQLException {
        appender.close();
    }
}
