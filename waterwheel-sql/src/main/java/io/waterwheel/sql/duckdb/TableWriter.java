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
    private final RowLayout layout;
    private final int[] places;
    private final TupleBlock block;
    private final DuckDBAppender appender;

    /**
     * Makes the table.
     *
     * @param fields of the rows
     * @param places by column, the field that it holds
     */
    TableWriter(DuckDBConnection connection, String table, List<Field> fields, int[] places) throws SQLException {
        this.layout = RowLayout.ofFields(fields);
        this.places = places.clone();
        this.block = new TupleBlock(layout, 0);
        StringBuilder create = new StringBuilder("CREATE TEMP TABLE " + table + " (");
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
        return switch (type) {
            case INT, LONG -> "BIGINT";
            case FLOAT, DOUBLE -> "DOUBLE";
            case BOOLEAN -> "BOOLEAN";
            case TIMESTAMP -> "TIMESTAMP_MS";
            case TIMESTAMP_US -> "TIMESTAMP";
            case TIMESTAMP_NS -> "TIMESTAMP_NS";
            case STRING -> "VARCHAR";
            case BYTES -> "BLOB";
            case IPV4, IPV6, UUID -> throw new IllegalArgumentException("a column of type " + type);
        };
    }

    /** Appends the rows of an encoded block. */
    void append(byte[] encoded) throws SQLException {
        block.clear();
        BlockCodec.decode(encoded, 0, encoded.length, block);
        for (int row = 0; row < block.size(); row++) {
            appender.beginRow();
            long nulls = block.nullMask(row);
            for (int field : places) {
                int bit = layout.nullBit(field);
                if (bit >= 0 && (nulls >>> bit & 1) != 0) {
                    appender.appendNull();
                } else {
                    append(field, row);
                }
            }
            appender.endRow();
        }
    }

    private void append(int field, int row) throws SQLException {
        byte[] bytes = block.column(layout.columnOf(field));
        switch (layout.fields().get(field).type()) {
            case INT -> appender.append((long) LittleEndian.getInt(bytes, row * 4));
            case LONG -> appender.append(LittleEndian.getLong(bytes, row * 8));
            case FLOAT -> appender.append((double) LittleEndian.getFloat(bytes, row * 4));
            case DOUBLE -> appender.append(LittleEndian.getDouble(bytes, row * 8));
            case BOOLEAN -> appender.append(bytes[row] != 0);
            case TIMESTAMP -> appender.appendEpochMillis(LittleEndian.getLong(bytes, row * 8));
            case TIMESTAMP_US -> appender.appendEpochMicros(LittleEndian.getLong(bytes, row * 8));
            case TIMESTAMP_NS -> appender.appendEpochNanos(LittleEndian.getLong(bytes, row * 8));
            case STRING -> {
                long reference = LittleEndian.getLong(bytes, row * 8);
                appender.append(new String(
                        block.arena(),
                        TupleBlock.referenceOffset(reference),
                        TupleBlock.referenceLength(reference),
                        StandardCharsets.UTF_8));
            }
            case BYTES -> {
                long reference = LittleEndian.getLong(bytes, row * 8);
                int from = TupleBlock.referenceOffset(reference);
                appender.append(Arrays.copyOfRange(block.arena(), from, from + TupleBlock.referenceLength(reference)));
            }
            case IPV4, IPV6, UUID -> throw new IllegalStateException("refused above");
        }
    }

    /** Rows that were appended are in the table from now on. */
    @Override
    public void close() throws SQLException {
        appender.close();
    }
}
