package io.waterwheel.topology.flightsql;

import io.waterwheel.schema.FieldType;
import java.sql.DatabaseMetaData;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The types of SQL, as drivers ask for them. */
final class TypeRows {
    private TypeRows() {}

    /** A type of SQL: its name, number in JDBC, digits or bytes, and the marks around its literals. */
    private record Type(
            String name, int number, int size, @Nullable String prefix, boolean numeric) {}

    private static final List<Type> TYPES = List.of(
            new Type("BOOLEAN", Types.BOOLEAN, 1, null, false),
            new Type("BIGINT", Types.BIGINT, 19, null, true),
            new Type("VARBINARY", Types.VARBINARY, Integer.MAX_VALUE, "X'", false),
            new Type("DECIMAL", Types.DECIMAL, 38, "DECIMAL '", true),
            new Type("INTEGER", Types.INTEGER, 10, null, true),
            new Type("REAL", Types.REAL, 7, null, true),
            new Type("DOUBLE", Types.DOUBLE, 15, null, true),
            new Type("VARCHAR", Types.VARCHAR, Integer.MAX_VALUE, "'", false),
            new Type("TIMESTAMP", Types.TIMESTAMP, 29, "TIMESTAMP '", false));

    /** What a field's type is called. */
    static String name(FieldType type) {
        return switch (type.kind()) {
            case INT -> "INTEGER";
            case LONG -> "BIGINT";
            case FLOAT -> "REAL";
            case DOUBLE -> "DOUBLE";
            case BOOLEAN -> "BOOLEAN";
            case TIMESTAMP -> "TIMESTAMP(3)";
            case TIMESTAMP_US -> "TIMESTAMP(6)";
            case TIMESTAMP_NS -> "TIMESTAMP(9)";
            case STRING, IPV4, IPV6, UUID -> "VARCHAR";
            case BYTES -> "VARBINARY";
            case DECIMAL -> type.name();
        };
    }

    /**
     * A row for each type.
     *
     * @param number of the type in JDBC; null for all
     */
    static List<Map<String, Object>> of(@Nullable Integer number) {
        List<Map<String, Object>> rows = new ArrayList<>();
        for (Type type : TYPES) {
            if (number != null && number != type.number()) {
                continue;
            }
            Map<String, Object> row = new TreeMap<>(Map.of(
                    "type_name",
                    type.name(),
                    "data_type",
                    type.number(),
                    "column_size",
                    type.size(),
                    "nullable",
                    DatabaseMetaData.typeNullable,
                    "case_sensitive",
                    type.name().equals("VARCHAR"),
                    "searchable",
                    DatabaseMetaData.typeSearchable,
                    "unsigned_attribute",
                    false,
                    "fixed_prec_scale",
                    false,
                    "auto_increment",
                    false,
                    "sql_data_type",
                    type.number()));
            row.put("local_type_name", type.name());
            if (type.prefix() != null) {
                row.put("literal_prefix", type.prefix());
                row.put("literal_suffix", "'");
            }
            if (type.numeric()) {
                row.put("num_prec_radix", 10);
            }
            rows.add(row);
        }
        return rows;
    }
}
