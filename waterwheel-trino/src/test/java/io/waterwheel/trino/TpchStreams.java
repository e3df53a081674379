package io.waterwheel.trino;

import io.trino.testing.DistributedQueryRunner;
import io.trino.testing.MaterializedRow;
import io.waterwheel.client.Appender;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.schema.SchemaFile;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Tables of TPC-H as streams. A stream has a time, and no days: the time of a table that has no day is a field of its
 * own, and days are times in UTC. Views of Trino's, in another catalog, give both back.
 */
final class TpchStreams {
    private static final Instant NO_DAY = Instant.parse("2000-01-01T00:00:00Z");

    /** By table its key, and the day that is the time; empty where there is none. */
    private static final Map<String, List<String>> TABLES = Map.of(
            "nation", List.of("nationkey", ""),
            "region", List.of("regionkey", ""),
            "customer", List.of("custkey", ""),
            "part", List.of("partkey", ""),
            "orders", List.of("orderkey", "orderdate"),
            "lineitem", List.of("orderkey", "shipdate"));

    private TpchStreams() {}

    /**
     * Makes streams of the smallest rows there are, half of them in chunks, and views of them in the catalog
     * {@code memory}.
     *
     * @param prefix of the streams' names, before that of the table
     */
    static void make(DistributedQueryRunner trino, String prefix) {
        TABLES.forEach((table, roles) -> make(trino, prefix, table, roles.get(0), roles.get(1)));
    }

    private static void make(DistributedQueryRunner trino, String prefix, String table, String key, String day) {
        WaterwheelClient client = ServerProcess.client();
        StringBuilder fields = new StringBuilder();
        List<String> columns = new ArrayList<>();
        for (MaterializedRow column :
                trino.execute("DESCRIBE tpch.tiny." + table).getMaterializedRows()) {
            String name = column.getField(0).toString();
            String type = column.getField(1).toString();
            fields.append("  - {name: ")
                    .append(name)
                    .append(", type: ")
                    .append(fieldType(type))
                    .append("}\n");
            // The comparison with H2 counts the characters that a type has.
            columns.add("CAST(" + name + " AS " + type + ") " + name);
        }
        if (day.isEmpty()) {
            fields.append("  - {name: at, type: timestamp}\n");
        }
        String stream = prefix + table;
        client.createStream(SchemaFile.read(
                "test",
                "name: " + stream + "\nformat: block\npartitions: 2\nfields:\n" + fields + "key: {field: " + key
                        + "}\ntime: " + (day.isEmpty() ? "at" : day) + "\n"));
        List<MaterializedRow> rows =
                trino.execute("SELECT * FROM tpch.tiny." + table).getMaterializedRows();
        try (Appender appender = client.appender(stream)) {
            for (int i = 0; i < rows.size(); i++) {
                append(appender, rows.get(i), day.isEmpty());
                if (i == rows.size() / 2) {
                    client.query(stream).atLeast(appender.flush()).count();
                    client.flush(stream);
                }
            }
            client.query(stream).atLeast(appender.flush()).count();
        }
        trino.execute("CREATE VIEW memory.default." + table + " AS SELECT " + String.join(", ", columns) + " FROM "
                + TrinoCluster.CATALOG + ".default." + stream);
    }

    private static void append(Appender appender, MaterializedRow row, boolean withTime) {
        List<Object> values = new ArrayList<>();
        for (Object value : row.getFields()) {
            values.add(
                    value instanceof LocalDate date
                            ? date.atStartOfDay(ZoneOffset.UTC).toInstant()
                            : value);
        }
        if (withTime) {
            values.add(NO_DAY);
        }
        appender.append(values.toArray());
    }

    private static String fieldType(String type) {
        return switch (type) {
            case "bigint" -> "long";
            case "integer" -> "int";
            case "double" -> "double";
            case "date" -> "timestamp";
            default -> "string";
        };
    }
}
