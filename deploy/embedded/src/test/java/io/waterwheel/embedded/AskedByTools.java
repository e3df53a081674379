package io.waterwheel.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.client.Appender;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.StreamDefinition;
import java.net.URI;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.arrow.flight.CallHeaders;
import org.apache.arrow.flight.FlightCallHeaders;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightInfo;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.flight.HeaderCallOption;
import org.apache.arrow.flight.Location;
import org.apache.arrow.flight.sql.FlightSqlClient;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.FieldVector;

/**
 * A whole server, asked as DBeaver's generic driver and Grafana's Flight SQL data source ask: the calls that they make
 * when a connection opens, a tree is unfolded, a table is opened, and a panel is filled.
 */
final class AskedByTools implements AutoCloseable {
    private static final Instant FIRST = Instant.parse("2026-11-25T10:00:00Z");
    private static final Schema SCHEMA = new Schema(
            List.of(
                    new Field("id", FieldType.LONG, false),
                    new Field("at", FieldType.TIMESTAMP, false),
                    new Field("small", FieldType.INT, true),
                    new Field("level", FieldType.DOUBLE, true),
                    new Field("note", FieldType.STRING, true)),
            new KeySpec.Ordered("id"),
            "at");
    private static final int ROWS = 600;

    private final WaterwheelClient client;
    private final Connection connection;
    private final BufferAllocator allocator = new RootAllocator();
    private final FlightSqlClient grafana;
    private final HeaderCallOption headers;

    AskedByTools(WaterwheelClient client, String url) throws SQLException {
        this.client = client;
        client.createStream(new StreamDefinition("by_tools", "by_tools", RecordFormat.BLOCK, 1, SCHEMA));
        Map<Integer, Long> written;
        try (Appender appender = client.appender("by_tools")) {
            for (int id = 0; id < ROWS; id++) {
                appender.append((long) id, FIRST.plusSeconds(id), id, id * 0.5, id % 3 == 0 ? null : "note " + id % 3);
            }
            written = appender.flush();
        }
        assertThat(client.query("by_tools").atLeast(written).count()).isEqualTo(ROWS);
        URI address = URI.create(url);
        connection = DriverManager.getConnection("jdbc:arrow-flight-sql://" + address.getAuthority()
                + "/?useEncryption=false&x-waterwheel-at-least=by_tools:0:" + written.get(0));
        grafana = new FlightSqlClient(
                FlightClient.builder(allocator, Location.forGrpcInsecure(address.getHost(), address.getPort()))
                        .build());
        // A token may be entered there, and metadata.
        CallHeaders said = new FlightCallHeaders();
        said.insert("authorization", "Bearer none");
        said.insert("database", "any");
        said.insert("x-waterwheel-at-least", "by_tools:0:" + written.get(0));
        said.insert("x-waterwheel-time-unit", "ns");
        headers = new HeaderCallOption(said);
    }

    @Override
    public void close() throws Exception {
        grafana.close();
        allocator.close();
        connection.close();
        client.drop("by_tools");
    }

    private static List<String> rows(ResultSet rows, String... columns) throws SQLException {
        List<String> all = new ArrayList<>();
        try (rows) {
            while (rows.next()) {
                List<String> row = new ArrayList<>();
                for (String column : columns) {
                    row.add(rows.getString(column));
                }
                all.add(String.join(" ", row));
            }
        }
        return all;
    }

    void dbeaverUnfoldsItsTree() throws Exception {
        connection.setAutoCommit(true);
        assertThat(connection.isValid(600)).isTrue();
        assertThat((Object) connection.getWarnings()).isNull();
        DatabaseMetaData facts = connection.getMetaData();
        // The driver answers this one by itself.
        facts.getTypeInfo().close();
        assertThat(rows(facts.getTableTypes(), "TABLE_TYPE")).contains("TABLE", "VIEW");
        assertThat(rows(facts.getCatalogs(), "TABLE_CAT")).containsExactly("waterwheel");
        assertThat(rows(facts.getSchemas("waterwheel", "%"), "TABLE_SCHEM"))
                .containsExactly("information_schema", "public", "waterwheel");
        String escape = facts.getSearchStringEscape();
        assertThat(rows(facts.getTables("waterwheel", "information" + escape + "_schema", "%", null), "TABLE_NAME"))
                .contains("tables", "columns");
        assertThat(rows(facts.getTables("waterwheel", "public", "%", null), "TABLE_NAME"))
                .contains("by_tools");
        String name = "by" + escape + "_tools";
        assertThat(rows(facts.getColumns("waterwheel", "public", name, "%"), "COLUMN_NAME", "IS_NULLABLE"))
                .containsExactly("id NO", "at NO", "small YES", "level YES", "note YES");
        // A key of a stream does not name one row, and there are no procedures: these are empty, and no errors.
        assertThat(rows(facts.getPrimaryKeys("waterwheel", "public", "by_tools"), "COLUMN_NAME"))
                .isEmpty();
        assertThat(rows(facts.getIndexInfo("waterwheel", "public", "by_tools", false, true), "INDEX_NAME"))
                .isEmpty();
        assertThat(rows(facts.getImportedKeys("waterwheel", "public", "by_tools"), "FK_NAME"))
                .isEmpty();
        assertThat(rows(facts.getExportedKeys("waterwheel", "public", "by_tools"), "FK_NAME"))
                .isEmpty();
        assertThat(rows(facts.getFunctions("waterwheel", "public", "%"), "FUNCTION_NAME"))
                .isEmpty();
        assertThat(rows(facts.getProcedures("waterwheel", "public", "%"), "PROCEDURE_NAME"))
                .isEmpty();
        assertThat(rows(facts.getProcedureColumns("waterwheel", "public", "%", "%"), "COLUMN_NAME"))
                .isEmpty();
        assertThat(rows(facts.getUDTs("waterwheel", "public", "%", null), "TYPE_NAME"))
                .isEmpty();
        assertThat(rows(facts.getBestRowIdentifier("waterwheel", "public", "by_tools", 0, true), "COLUMN_NAME"))
                .isEmpty();
    }

    void dbeaverOpensATable() throws Exception {
        String table = "waterwheel.public.by_tools";
        try (Statement statement =
                connection.createStatement(ResultSet.TYPE_FORWARD_ONLY, ResultSet.CONCUR_READ_ONLY)) {
            statement.setMaxRows(200);
            statement.setFetchSize(200);
            statement.setQueryTimeout(600);
            assertThat(statement.execute("SELECT * FROM " + table)).isTrue();
            assertThat(rows(statement.getResultSet(), "id", "small")).hasSize(200);
            assertThat(statement.getMoreResults()).isFalse();
            assertThat(statement.getUpdateCount()).isEqualTo(-1);
            assertThat(rows(
                            statement.executeQuery(
                                    "SELECT x.* FROM " + table
                                            + " x\nWHERE level>100 AND (note IS NULL OR note = 'note 1')\nORDER BY x.at DESC,x.id"),
                            "id",
                            "level"))
                    .hasSize(200)
                    .startsWith("598 299.0", "597 298.5", "595 297.5");
            assertThat(rows(
                            statement.executeQuery("SELECT * FROM " + table + " ORDER BY 4 DESC NULLS LAST LIMIT 2"),
                            "level"))
                    .containsExactly("299.5", "299.0");
            assertThat(rows(
                            statement.executeQuery(
                                    "SELECT id, note FROM " + table
                                            + " WHERE \"note\" LIKE '%2' ORDER BY \"id\" OFFSET 100 ROWS FETCH NEXT 2 ROWS ONLY"),
                            "id"))
                    .containsExactly("302", "305");
        }
        try (Statement statement = connection.createStatement()) {
            try (ResultSet count = statement.executeQuery("SELECT COUNT(*) FROM " + table)) {
                assertThat(count.next()).isTrue();
                assertThat(count.getLong(1)).isEqualTo(ROWS);
            }
            // The number of rows of a statement, and the values of a column with their numbers.
            try (ResultSet count = statement.executeQuery(
                    "SELECT COUNT(*) FROM (\nSELECT x.* FROM " + table + " x WHERE id < 50\n) dbvrcnt")) {
                assertThat(count.next()).isTrue();
                assertThat(count.getLong(1)).isEqualTo(50);
            }
            assertThat(rows(
                            statement.executeQuery("SELECT DISTINCT note, COUNT(*) AS n FROM " + table
                                    + " GROUP BY note ORDER BY note NULLS FIRST LIMIT 200"),
                            "note",
                            "n"))
                    .containsExactly("null 200", "note 1 200", "note 2 200");
            assertThatThrownBy(() -> statement.execute("UPDATE " + table + " SET note = 'x' WHERE id = 1"))
                    .hasStackTraceContaining("not supported: UPDATE, for rows are not changed");
            statement.cancel();
        }
        try (Statement next = connection.createStatement()) {
            assertThat(rows(next.executeQuery("SELECT id FROM " + table + " WHERE id = 7"), "id"))
                    .containsExactly("7");
        }
    }

    private List<List<String>> answer(FlightInfo info) throws Exception {
        assertThat(info.getEndpoints()).hasSize(1);
        List<List<String>> rows = new ArrayList<>();
        try (FlightStream stream = grafana.getStream(info.getEndpoints().get(0).getTicket(), headers)) {
            while (stream.next()) {
                for (int row = 0; row < stream.getRoot().getRowCount(); row++) {
                    List<String> values = new ArrayList<>();
                    for (FieldVector column : stream.getRoot().getFieldVectors()) {
                        values.add(String.valueOf(column.getObject(row)));
                    }
                    rows.add(values);
                }
            }
        }
        return rows;
    }

    /** Of a statement whose columns are of the types that the data source knows. */
    private List<List<String>> panel(String statement) throws Exception {
        FlightInfo info = grafana.execute(statement, headers);
        assertThat(types(info.getSchemaOptional().orElseThrow()))
                .isSubsetOf(
                        "Utf8",
                        "FloatingPoint(DOUBLE)",
                        "Int(64, true)",
                        "Int(32, true)",
                        "Bool",
                        "Timestamp(NANOSECOND)");
        return answer(info);
    }

    private static List<String> types(org.apache.arrow.vector.types.pojo.Schema schema) {
        return schema.getFields().stream()
                .map(field -> field.getType().toString().replaceFirst("^(Timestamp\\(\\w+), .*", "$1)"))
                .collect(Collectors.toList());
    }

    void grafanaKnowsTablesAndColumns() throws Exception {
        assertThat(panel("select 1")).containsExactly(List.of("1"));
        assertThat(answer(grafana.getSqlInfo(new int[0], headers))).hasSizeGreaterThan(80);
        List<List<String>> tables =
                answer(grafana.getTables(null, null, null, List.of("BASE TABLE", "table"), false, headers));
        assertThat(tables)
                .contains(List.of("waterwheel", "public", "by_tools", "TABLE"))
                .allMatch(row -> row.get(3).equals("TABLE"));
        assertThat(answer(grafana.getTables(null, null, "by_tools", null, true, headers)))
                .hasSize(1);
        assertThat(answer(grafana.getSchemas(null, null, headers))).hasSize(3);
    }

    /** Its macros are filled in: $__timeFilter, $__timeFrom, $__timeTo, $__dateBin, $__dateBinAlias, $__timeGroup. */
    void grafanaFillsPanels() throws Exception {
        String filter = "at >= '2026-11-25T10:01:00Z' AND at <= '2026-11-25T10:01:59Z'";
        String bin = "date_bin(interval '10 second', at, timestamp '1970-01-01T00:00:00Z')";
        assertThat(panel("SELECT at AS time, level FROM by_tools WHERE " + filter + " ORDER BY time LIMIT 1000"))
                .hasSize(60)
                .allMatch(row -> row.get(0).startsWith("2026-11-25T10:01"));
        assertThat(panel("SELECT COUNT(*) FROM by_tools WHERE at >= '2026-11-25T10:09:00Z'"))
                .containsExactly(List.of("60"));
        assertThat(panel("SELECT COUNT(*) FROM by_tools WHERE at <= '2026-11-25T10:00:09Z'"))
                .containsExactly(List.of("10"));
        assertThat(panel("select " + bin
                        + " as time, avg(level) as mean, count(*) as n from by_tools where "
                        + filter
                        + " group by " + bin + " order by time"))
                .hasSize(6)
                .allMatch(row -> row.get(2).equals("10"))
                .extracting(row -> row.get(1))
                .startsWith("32.25", "37.25");
        assertThat(panel("SELECT at_binned AS \"time\", note, top FROM (SELECT " + bin
                        + " as at_binned, note, MAX(level) AS top FROM by_tools WHERE " + filter + " GROUP BY " + bin
                        + ", note) AS s ORDER BY 1, 2"))
                .hasSize(18);
        // What $__timeGroup becomes.
        assertThat(panel("SELECT COUNT(*) AS n FROM by_tools GROUP BY datepart(hour, at)"))
                .hasSize(1);
        assertThat(panel("SELECT small FROM by_tools WHERE id = 5")).containsExactly(List.of("5"));
        assertThatThrownBy(() -> panel("SELECT at AS \"time\", lvel FROM by_tools"))
                .hasMessageContaining("there is no column 'lvel'; did you mean 'level'?");
    }
}
