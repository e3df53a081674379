package io.waterwheel.sql.suite;

import io.waterwheel.schema.Field;
import io.waterwheel.schema.Schema;
import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Properties;
import org.duckdb.DuckDBAppender;
import org.duckdb.DuckDBConnection;
import org.jspecify.annotations.Nullable;

/** DuckDB with the same rows, set to order nulls, and to fail at a division by zero, as our SQL does. */
public final class DuckDbTwin implements AutoCloseable {
    private final DuckDBConnection duckdb;

    public DuckDbTwin() throws SQLException {
        duckdb = DuckDBConnection.newConnection("jdbc:duckdb:", false, null, new Properties());
        execute("SET default_null_order='nulls_first_on_asc_last_on_desc'");
        execute("SET threads=1");
        execute("SET error_on_division_by_zero=true");
        execute("SET ieee_floating_point_ops=false");
    }

    private void execute(String statement) throws SQLException {
        try (Statement asked = duckdb.createStatement()) {
            asked.execute(statement);
        }
    }

    /** Makes an empty table of a stream's columns. */
    public void create(String table, Schema schema) throws SQLException {
        List<String> columns = new ArrayList<>();
        for (Field field : schema.fields()) {
            columns.add(field.name() + " "
                    + switch (field.type().kind()) {
                        case INT, LONG -> "BIGINT";
                        case FLOAT, DOUBLE -> "DOUBLE";
                        case BOOLEAN -> "BOOLEAN";
                        case STRING -> "VARCHAR";
                        case BYTES -> "BLOB";
                        case TIMESTAMP -> "TIMESTAMP_MS";
                        case TIMESTAMP_US -> "TIMESTAMP";
                        case DECIMAL -> field.type().name();
                        default -> throw new IllegalStateException(field.toString());
                    });
        }
        execute("CREATE TABLE " + table + " (" + String.join(", ", columns) + ")");
    }

    /** Appends rows as {@link LoadedTables#insert} takes them. */
    public void insert(String table, Schema schema, List<List<@Nullable Object>> rows) throws SQLException {
        try (DuckDBAppender appender = duckdb.createAppender(table)) {
            for (List<@Nullable Object> row : rows) {
                appender.beginRow();
                for (int f = 0; f < row.size(); f++) {
                    append(appender, schema.fields().get(f), row.get(f));
                }
                appender.endRow();
            }
        }
    }

    private static void append(DuckDBAppender appender, Field field, @Nullable Object value) throws SQLException {
        if (value == null) {
            appender.appendNull();
            return;
        }
        switch (field.type().kind()) {
            case INT -> appender.append((long) (Integer) value);
            case LONG -> appender.append((long) (Long) value);
            case FLOAT -> appender.append((double) (Float) value);
            case DOUBLE -> appender.append((double) (Double) value);
            case BOOLEAN -> appender.append((boolean) (Boolean) value);
            case STRING -> appender.append((String) value);
            case BYTES -> appender.append((byte[]) value);
            case TIMESTAMP -> appender.appendEpochMillis((Long) value);
            case TIMESTAMP_US -> appender.appendEpochMicros((Long) value);
            case DECIMAL -> appender.append((BigDecimal) value);
            default -> throw new IllegalStateException(field.toString());
        }
    }

    /** The rows of an answer, in the form of {@link LoadedTables#answer}; decimals as doubles. */
    public List<List<@Nullable Object>> rows(String statement) throws SQLException {
        return rows(statement, false);
    }

    /** @param exact whether decimals are as they are, rather than doubles */
    public List<List<@Nullable Object>> rows(String statement, boolean exact) throws SQLException {
        List<List<@Nullable Object>> rows = new ArrayList<>();
        try (Statement asked = duckdb.createStatement();
                ResultSet result = asked.executeQuery(statement)) {
            int columns = result.getMetaData().getColumnCount();
            while (result.next()) {
                List<@Nullable Object> row = new ArrayList<>();
                for (int c = 1; c <= columns; c++) {
                    row.add(value(result, c, exact));
                }
                rows.add(row);
            }
        }
        return rows;
    }

    /** The names of the columns of an answer. */
    List<String> columns(String statement) throws SQLException {
        List<String> names = new ArrayList<>();
        try (Statement asked = duckdb.createStatement();
                ResultSet result = asked.executeQuery("SELECT * FROM (" + statement + ") LIMIT 0")) {
            for (int c = 1; c <= result.getMetaData().getColumnCount(); c++) {
                names.add(result.getMetaData().getColumnLabel(c));
            }
        }
        return names;
    }

    private static @Nullable Object value(ResultSet result, int column, boolean exact) throws SQLException {
        Object value = result.getObject(column);
        if (value == null) {
            return null;
        }
        String type = result.getMetaData().getColumnTypeName(column);
        return switch (type) {
            case "TIMESTAMP_MS" -> instant(result, column).toEpochMilli();
            case "DATE" -> result.getObject(column, java.time.LocalDate.class).toEpochDay() * 86_400_000;
            case "TIMESTAMP" -> ChronoUnit.MICROS.between(Instant.EPOCH, instant(result, column));
            case "INTEGER", "SMALLINT", "TINYINT", "HUGEINT" -> result.getLong(column);
            case "BLOB" -> Arrays.toString(result.getBytes(column));
            default ->
                type.startsWith("DECIMAL") && !exact
                        ? (Object) result.getDouble(column)
                        : LoadedTables.comparable(value);
        };
    }

    private static Instant instant(ResultSet result, int column) throws SQLException {
        return result.getObject(column, LocalDateTime.class).toInstant(ZoneOffset.UTC);
    }

    @Override
    public void close() throws SQLException {
        duckdb.close();
    }
}
