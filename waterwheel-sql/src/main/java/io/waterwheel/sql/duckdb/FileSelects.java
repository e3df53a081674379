package io.waterwheel.sql.duckdb;

import io.waterwheel.schema.FieldType;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** How DuckDB reads files. Pure functions. */
public final class FileSelects {
    /** The ends of the names of files that are read. */
    public static final List<String> KINDS = List.of(".csv", ".csv.gz", ".parquet");

    private FileSelects() {}

    /**
     * A column of a file.
     *
     * @param source what the file calls it
     */
    public record Column(String source, FieldType type) {}

    private static String quoted(String text) {
        return "'" + text.replace("'", "''") + "'";
    }

    /** A SELECT of the names of a file's columns, and of their types in DuckDB, as c0 and c1. */
    public static String describe(Path file) {
        return "SELECT column_name AS c0, column_type AS c1 FROM (DESCRIBE SELECT * FROM "
                + read(file, ", sample_size=-1") + ")";
    }

    /** A SELECT of a file's rows; its columns are called c0, c1 and so on. */
    public static String select(Path file, List<Column> columns) {
        List<String> types = new ArrayList<>();
        List<String> shown = new ArrayList<>();
        for (Column column : columns) {
            types.add(quoted(column.source()) + ": " + quoted(type(column.type())));
            shown.add("CAST(\"" + column.source().replace("\"", "\"\"") + "\" AS " + type(column.type()) + ") AS c"
                    + shown.size());
        }
        return "SELECT " + String.join(", ", shown) + " FROM "
                + read(file, ", types={" + String.join(", ", types) + "}");
    }

    /** @param types of the columns: a text says none */
    private static String read(Path file, String types) {
        String name = quoted(file.toString());
        return file.toString().toLowerCase(Locale.ROOT).endsWith(".parquet")
                ? "read_parquet(" + name + ")"
                : "read_csv(" + name + ", header=true, delim=',', quote='\"', escape='\"', comment=''" + types + ")";
    }

    private static String type(FieldType type) {
        return switch (type.kind()) {
            case LONG -> "BIGINT";
            case DOUBLE -> "DOUBLE";
            case BOOLEAN -> "BOOLEAN";
            case TIMESTAMP -> "TIMESTAMP_MS";
            case TIMESTAMP_US -> "TIMESTAMP";
            case TIMESTAMP_NS -> "TIMESTAMP_NS";
            case STRING -> "VARCHAR";
            case BYTES -> "BLOB";
            default -> throw new IllegalArgumentException("no type of a table's column: " + type);
        };
    }

    /** The type that a column of a type of DuckDB has in statements; null when it has none. */
    public static @Nullable FieldType field(String type) {
        if (type.startsWith("DECIMAL")) {
            return FieldType.DOUBLE;
        }
        return switch (type) {
            case "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER" -> FieldType.LONG;
            case "FLOAT", "DOUBLE" -> FieldType.DOUBLE;
            case "BOOLEAN" -> FieldType.BOOLEAN;
            // A day is the moment at which it begins.
            case "DATE", "TIMESTAMP_S", "TIMESTAMP_MS" -> FieldType.TIMESTAMP;
            case "TIMESTAMP", "TIMESTAMP WITH TIME ZONE" -> FieldType.TIMESTAMP_US;
            case "TIMESTAMP_NS" -> FieldType.TIMESTAMP_NS;
            case "VARCHAR", "UUID" -> FieldType.STRING;
            case "BLOB" -> FieldType.BYTES;
            default -> null;
        };
    }
}
