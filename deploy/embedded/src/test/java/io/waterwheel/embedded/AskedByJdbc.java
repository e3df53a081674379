package io.waterwheel.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.Waiting;
import io.waterwheel.client.Appender;
import io.waterwheel.client.Cursor;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.StreamDefinition;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.sql.Timestamp;
import java.sql.Types;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Calendar;
import java.util.List;
import java.util.Map;
import java.util.TimeZone;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A whole server, asked by the published JDBC driver as it is. */
final class AskedByJdbc implements AutoCloseable {
    private static final int MANY = 200_000;
    private static final Instant FIRST = Instant.parse("2026-11-25T10:00:00.123Z");
    private static final Schema TYPES = new Schema(
            List.of(
                    new Field("id", FieldType.LONG, false),
                    new Field("at", FieldType.TIMESTAMP, false),
                    new Field("small", FieldType.INT, true),
                    new Field("whole", FieldType.LONG, true),
                    new Field("single", FieldType.FLOAT, true),
                    new Field("number", FieldType.DOUBLE, true),
                    new Field("yes", FieldType.BOOLEAN, true),
                    new Field("micros", FieldType.TIMESTAMP_US, true),
                    new Field("nanos", FieldType.TIMESTAMP_NS, true),
                    new Field("address", FieldType.IPV4, true),
                    new Field("six", FieldType.IPV6, true),
                    new Field("uuid", FieldType.UUID, true),
                    new Field("note", FieldType.STRING, true),
                    new Field("raw", FieldType.BYTES, true)),
            new KeySpec.Ordered("id"),
            "at");

    /** Two leaves, of which DuckDB makes the answer. */
    private static final String JOINED = "SELECT COUNT(*) AS n FROM by_jdbc a JOIN by_jdbc b ON a.id = b.id";

    private final WaterwheelClient client;
    private final String address;
    private final Connection connection;
    private final Map<Integer, Long> written;

    AskedByJdbc(WaterwheelClient client, String url) throws SQLException {
        this.client = client;
        this.address = url.replace("grpc://", "");
        client.createStream(new StreamDefinition("by_jdbc", "by_jdbc", RecordFormat.BLOCK, 2, TYPES));
        try (Appender appender = client.appender("by_jdbc")) {
            appender.append(
                    1L,
                    FIRST,
                    -7,
                    Long.MAX_VALUE,
                    1.5f,
                    -2.25,
                    true,
                    FIRST.plusNanos(456_000),
                    FIRST.plusNanos(456_789),
                    "10.0.0.1",
                    "2001:db8::1",
                    "f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
                    "é, 'quoted'",
                    new byte[] {0, -1, 7});
            appender.append(
                    2L, FIRST.plusSeconds(1), null, null, null, null, null, null, null, null, null, null, null, null);
            for (long id = 3; id < MANY; id++) {
                appender.append(
                        id,
                        FIRST.plusMillis(id),
                        (int) id,
                        id,
                        0f,
                        id * 0.5,
                        false,
                        FIRST,
                        FIRST,
                        null,
                        null,
                        null,
                        "row " + id % 100,
                        null);
            }
            written = appender.flush();
        }
        connection = connect("");
    }

    private Connection connect(String properties) throws SQLException {
        StringBuilder seen = new StringBuilder();
        written.forEach((partition, offset) ->
                seen.append(seen.isEmpty() ? "" : ",").append("by_jdbc:" + partition + ":" + offset));
        return DriverManager.getConnection("jdbc:arrow-flight-sql://" + address
                + "/?useEncryption=false&x-waterwheel-at-least=" + seen + properties);
    }

    @Override
    public void close() throws SQLException {
        connection.close();
        client.drop("by_jdbc");
    }

    /** Every getter of the driver's metadata; tools call most of them. */
    void everyFactIsTold() throws Exception {
        DatabaseMetaData facts = connection.getMetaData();
        List<String> failed = new ArrayList<>();
        int told = 0;
        for (Method getter : DatabaseMetaData.class.getMethods()) {
            if (getter.getParameterCount() > 0) {
                continue;
            }
            try {
                Object fact = getter.invoke(facts);
                if (fact instanceof ResultSet rows) {
                    rows.close();
                }
                told++;
            } catch (InvocationTargetException e) {
                if (!(e.getCause() instanceof SQLFeatureNotSupportedException)) {
                    failed.add(getter.getName() + ": " + e.getCause());
                }
            }
        }
        assertThat(failed).isEmpty();
        assertThat(told).isGreaterThan(100);
        assertThat(facts.getDatabaseProductName()).isEqualTo("Waterwheel");
        assertThat(facts.getIdentifierQuoteString()).isEqualTo("\"");
        assertThat(facts.isReadOnly()).isFalse();
        assertThat(facts.supportsBatchUpdates()).isTrue();
        assertThat(facts.supportsFullOuterJoins()).isTrue();
        assertThat(facts.supportsUnion()).isTrue();
        assertThat(facts.supportsUnionAll()).isTrue();
        assertThat(facts.supportsCorrelatedSubqueries()).isTrue();
        assertThat(facts.supportsSubqueriesInExists()).isTrue();
        assertThat(facts.supportsSubqueriesInQuantifieds()).isTrue();
        assertThat(facts.getMaxTablesInSelect()).isEqualTo(63);
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

    /** What DBeaver's tree shows. */
    void streamsAreTables() throws Exception {
        DatabaseMetaData facts = connection.getMetaData();
        assertThat(rows(facts.getCatalogs(), "TABLE_CAT")).containsExactly("waterwheel");
        assertThat(rows(facts.getSchemas(), "TABLE_CATALOG", "TABLE_SCHEM"))
                .containsExactly("waterwheel information_schema", "waterwheel public", "waterwheel waterwheel");
        assertThat(rows(facts.getTableTypes(), "TABLE_TYPE")).containsExactly("SYSTEM TABLE", "TABLE", "VIEW");
        assertThat(rows(facts.getTables(null, "waterwheel", "%", null), "TABLE_TYPE", "TABLE_NAME"))
                .containsExactly(
                        "SYSTEM TABLE chunks",
                        "SYSTEM TABLE dead_letter_texts",
                        "SYSTEM TABLE dead_letters",
                        "SYSTEM TABLE fields",
                        "SYSTEM TABLE indexers",
                        "SYSTEM TABLE partitions",
                        "SYSTEM TABLE queries",
                        "SYSTEM TABLE regions",
                        "SYSTEM TABLE streams");
        assertThat(rows(facts.getColumns(null, "waterwheel", "regions", "%"), "COLUMN_NAME", "TYPE_NAME"))
                .startsWith("stream_name VARCHAR", "routing_version BIGINT", "indexer BIGINT")
                .hasSize(6);
        assertThat(rows(
                        facts.getTables("waterwheel", "public", "by\\_j%", new String[] {"TABLE"}),
                        "TABLE_CAT",
                        "TABLE_SCHEM",
                        "TABLE_NAME",
                        "TABLE_TYPE"))
                .containsExactly("waterwheel public by_jdbc TABLE");
        assertThat(rows(facts.getTables("other", null, "%", null), "TABLE_NAME"))
                .isEmpty();
        assertThat(rows(facts.getTables(null, null, "by\\_j%", new String[] {"VIEW"}), "TABLE_NAME"))
                .isEmpty();
        List<String> columns = new ArrayList<>();
        try (ResultSet all = facts.getColumns(null, null, "by_jdbc", "%")) {
            while (all.next()) {
                columns.add(all.getString("COLUMN_NAME") + " " + all.getInt("DATA_TYPE") + " "
                        + all.getString("TYPE_NAME") + " " + all.getInt("NULLABLE") + " "
                        + all.getInt("ORDINAL_POSITION"));
            }
        }
        assertThat(columns)
                .startsWith(
                        "id " + Types.BIGINT + " BIGINT 0 1",
                        "at " + Types.TIMESTAMP + " TIMESTAMP(3) 0 2",
                        "small " + Types.INTEGER + " INTEGER 1 3")
                .contains("address " + Types.VARCHAR + " VARCHAR 1 10")
                .hasSize(14);
        assertThat(rows(facts.getPrimaryKeys(null, null, "by_jdbc"), "COLUMN_NAME"))
                .isEmpty();
        assertThat(rows(facts.getImportedKeys(null, null, "by_jdbc"), "PKCOLUMN_NAME"))
                .isEmpty();
        assertThat(rows(facts.getExportedKeys(null, null, "by_jdbc"), "PKCOLUMN_NAME"))
                .isEmpty();
        assertThat(rows(facts.getCrossReference(null, null, "by_jdbc", null, null, "by_jdbc"), "PKCOLUMN_NAME"))
                .isEmpty();
        try (Statement statement = connection.createStatement()) {
            assertThat(rows(
                            statement.executeQuery("SELECT COUNT(*) AS n FROM \"waterwheel\".\"public\".\"by_jdbc\""),
                            "n"))
                    .containsExactly(Integer.toString(MANY - 1));
            assertThat(rows(
                            statement.executeQuery(
                                    "SELECT COUNT(*) AS n, MIN(from_key) AS least FROM waterwheel.regions"
                                            + " WHERE stream_name = 'by_jdbc' AND from_key IS NULL"),
                            "n",
                            "least"))
                    .containsExactly("1 null");
            Waiting.until("the query is among the last", () -> rows(
                            statement.executeQuery("SELECT outcome FROM waterwheel.queries"
                                    + " WHERE query_text LIKE 'by_jdbc: %' AND stage = 'ended' LIMIT 1"),
                            "outcome")
                    .equals(List.of("complete")));
            for (String name :
                    List.of("waterwheel.regions", "\"waterwheel\".\"regions\"", "waterwheel.waterwheel.regions")) {
                assertThat(rows(statement.executeQuery("DESCRIBE " + name), "column", "type"))
                        .as(name)
                        .startsWith("stream_name string", "routing_version long")
                        .hasSize(6);
            }
            assertThat(rows(statement.executeQuery("DESCRIBE \"public\".\"by_jdbc\""), "column"))
                    .hasSize(14);
            assertThat(rows(statement.executeQuery("SELECT t.id FROM public.by_jdbc t WHERE t.id < 3"), "id"))
                    .containsExactlyInAnyOrder("1", "2");
        }
    }

    void everyTypeComesBack() throws Exception {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT * FROM by_jdbc WHERE id <= 2 ORDER BY id")) {
            ResultSetMetaData columns = row.getMetaData();
            Map<String, Integer> types = new TreeMap<>();
            for (int c = 1; c <= columns.getColumnCount(); c++) {
                types.put(columns.getColumnLabel(c), columns.getColumnType(c));
            }
            assertThat(types)
                    .containsEntry("id", Types.BIGINT)
                    .containsEntry("small", Types.INTEGER)
                    .containsEntry("number", Types.DOUBLE)
                    .containsEntry("yes", Types.BOOLEAN)
                    .containsEntry("nanos", Types.TIMESTAMP)
                    .containsEntry("address", Types.VARCHAR)
                    .containsEntry("raw", Types.VARBINARY);
            assertThat(row.next()).isTrue();
            for (int c = 1; c <= columns.getColumnCount(); c++) {
                assertThat(row.getObject(c)).as(columns.getColumnLabel(c)).isNotNull();
            }
            assertThat(row.getLong("id")).isEqualTo(1);
            assertThat(row.getInt("small")).isEqualTo(-7);
            assertThat(row.getLong("whole")).isEqualTo(Long.MAX_VALUE);
            assertThat(row.getFloat("single")).isEqualTo(1.5f);
            assertThat(row.getDouble("number")).isEqualTo(-2.25);
            assertThat(row.getBoolean("yes")).isTrue();
            assertThat(row.getString("address")).isEqualTo("10.0.0.1");
            assertThat(row.getString("six")).isEqualTo("2001:db8::1");
            assertThat(row.getString("uuid")).isEqualTo("f81d4fae-7dec-11d0-a765-00a0c91e6bf6");
            assertThat(row.getString("note")).isEqualTo("é, 'quoted'");
            assertThat(row.getBytes("raw")).containsExactly(0, -1, 7);
            assertThat(utc(row, "at")).isEqualTo(FIRST);
            assertThat(utc(row, "micros")).isEqualTo(FIRST.plusNanos(456_000));
            assertThat(utc(row, "nanos")).isEqualTo(FIRST.plusNanos(456_789));
            assertThat(row.next()).isTrue();
            for (int c = 3; c <= columns.getColumnCount(); c++) {
                assertThat(row.getObject(c)).as(columns.getColumnLabel(c)).isNull();
                assertThat(row.wasNull()).isTrue();
            }
            assertThat(row.next()).isFalse();
        }
    }

    /** What tools ask to see whether a connection is alive, and what is there. */
    void statementsOfNoStream() throws Exception {
        try (Statement statement = connection.createStatement()) {
            assertThat(rows(statement.executeQuery("SELECT 1"), "column1")).containsExactly("1");
            // Tools ask so for the columns of what they show.
            assertThat(rows(statement.executeQuery("SELECT 1 AS x WHERE 1 = 2"), "x"))
                    .isEmpty();
            assertThat(rows(statement.executeQuery("SELECT 1 AS x WHERE 1 = 1"), "x"))
                    .containsExactly("1");
            assertThat(rows(
                            statement.executeQuery("SELECT 'a' AS x, -2.5 AS y, TRUE AS z, NULL AS nothing, 7 AS n;"),
                            "x",
                            "y",
                            "z",
                            "nothing",
                            "n"))
                    .containsExactly("a -2.5 true null 7");
            try (ResultSet now = statement.executeQuery("SELECT CURRENT_TIMESTAMP AS now")) {
                assertThat(now.next()).isTrue();
                assertThat(utc(now, "now")).isBetween(FIRST.minusSeconds(1_000_000_000), Instant.now());
            }
            assertThat(rows(statement.executeQuery("SHOW TABLES LIKE 'by.j%'"), "table"))
                    .isEmpty();
            assertThat(rows(statement.executeQuery("SHOW TABLES LIKE 'by_j%'"), "table", "kind"))
                    .containsExactly("by_jdbc stream");
            assertThat(rows(statement.executeQuery("show streams like 'BY_JDB_'"), "stream", "key", "time", "fields"))
                    .containsExactly("by_jdbc id at 14");
            assertThat(rows(statement.executeQuery("DESCRIBE by_jdbc"), "column", "type", "nullable", "role"))
                    .startsWith("id long false key", "at timestamp false time", "small int true null")
                    .hasSize(14);
            assertThatThrownBy(() -> statement.executeQuery("DESCRIBE by_jdbd"))
                    .hasStackTraceContaining("did you mean 'by_jdbc'?");
            assertThat(String.join(
                            "\n", rows(statement.executeQuery("EXPLAIN SELECT id FROM by_jdbc WHERE id < 5"), "plan")))
                    .contains("\nkeys", "\ntimes", "\nchunks");
            assertThat(String.join(
                            "\n",
                            rows(
                                    statement.executeQuery("EXPLAIN ANALYZE SELECT COUNT(*) FROM by_jdbc WHERE id < 5"),
                                    "plan")))
                    .contains("\nkeys", "\ntimes", "\nchunks");
            String join =
                    "SELECT COUNT(*) FROM by_jdbc a JOIN by_jdbc b ON a.id = b.id WHERE a.small IS NOT NULL AND a.id < 5";
            assertThat(String.join("\n", rows(statement.executeQuery("EXPLAIN " + join), "plan")))
                    .contains("leaf0: by_jdbc: where ", "leaf1: by_jdbc: where ", "  columns    id", "  chunks", "JOIN")
                    .contains("  groups that the rest merges again; ")
                    .doesNotContain("answer: ", "Query[");
            assertThat(String.join("\n", rows(statement.executeQuery("EXPLAIN ANALYZE " + join), "plan")))
                    .containsPattern("(?s)  read as number 1: \\d+ rows? in \\d+\\.\\d ms\n")
                    .containsPattern(
                            "(?s)  read as number 2: \\d+ rows? in \\d+\\.\\d ms, narrowed to \\d+ values? of another table")
                    .contains("  chunks", "answer: 1 row in ", "  read as tuples, for there are few\n");
        }
    }

    /** Streams are made, filled and dropped by updates; what is refused stores nothing. */
    void updatesAreStored() throws Exception {
        try (Statement statement = connection.createStatement()) {
            assertThat(statement.executeUpdate("CREATE STREAM made_by_jdbc (id BIGINT, at TIMESTAMP, note VARCHAR,"
                            + " price DOUBLE) KEY (id) TIME (at) WITH (partitions = 2)"))
                    .isZero();
            assertThatThrownBy(() -> statement.executeUpdate(
                            "CREATE STREAM made_by_jdbc (id BIGINT, at TIMESTAMP) KEY (id) TIME (at)"))
                    .hasStackTraceContaining("STREAM_EXISTS");
            assertThat(statement.executeUpdate("CREATE STREAM IF NOT EXISTS made_by_jdbc (id BIGINT, at TIMESTAMP)"
                            + " KEY (id) TIME (at)"))
                    .isZero();
            assertThat(statement.executeUpdate("INSERT INTO made_by_jdbc VALUES"
                            + " (1, TIMESTAMP '2026-11-25 10:00:00Z', 'one', 1.5), (2, NOW(), NULL, 2)"))
                    .isEqualTo(2);
            assertThatThrownBy(() -> statement.executeUpdate(
                            "INSERT INTO made_by_jdbc VALUES (7, NOW(), 'x', 1), (8, NOW(), 9, 1)"))
                    .hasStackTraceContaining("SQL_VALUE")
                    .hasStackTraceContaining("row 2: field note");
            assertThat(statement.executeUpdate("INSERT INTO made_by_jdbc (id, at, note)"
                            + " SELECT id + 100, at, note FROM by_jdbc WHERE id BETWEEN 10 AND 59"))
                    .isEqualTo(50);
        }
        try (PreparedStatement insert =
                connection.prepareStatement("INSERT INTO made_by_jdbc (note, id, at) VALUES (?, ?, ?)")) {
            assertThat(insert.getParameterMetaData().getParameterCount()).isEqualTo(3);
            insert.setString(1, "bound");
            insert.setLong(2, 3);
            insert.setTimestamp(3, new Timestamp(FIRST.toEpochMilli()));
            assertThat(insert.executeUpdate()).isEqualTo(1);
            for (long id = 1000; id < 1200; id++) {
                insert.setString(1, id % 2 == 0 ? "even" : null);
                insert.setLong(2, id);
                insert.setTimestamp(3, new Timestamp(FIRST.toEpochMilli() + id));
                insert.addBatch();
            }
            assertThat(insert.executeBatch()).containsExactly(200);
        }
        readsItsWrites();
        try (Cursor stored =
                client.sql("INSERT INTO made_by_jdbc SELECT 5, at, 'five', 5.5 FROM by_jdbc WHERE id = 5")) {
            assertThat(stored.next()).isTrue();
            assertThat(stored.getLong("rows")).isEqualTo(1);
            String[] position = stored.getString("positions").split(":", -1);
            assertThat(position[0]).isEqualTo("made_by_jdbc");
            Map<Integer, Long> seen = Map.of(Integer.valueOf(position[1]), Long.valueOf(position[2]));
            assertThat(client.query("made_by_jdbc").keys(5, 5).atLeast(seen).count())
                    .isEqualTo(1);
        }
        Waiting.until(
                "all rows are seen, and none of the statement that was refused",
                () -> client.query("made_by_jdbc").count() == 2 + 50 + 1 + 200 + 1 + 1);
        try (Statement statement = connection.createStatement()) {
            assertThat(rows(
                            statement.executeQuery("SELECT COUNT(*) AS n, COUNT(note) AS notes, SUM(price) AS total,"
                                    + " MAX(id) AS most FROM made_by_jdbc"),
                            "n",
                            "notes",
                            "total",
                            "most"))
                    .containsExactly("255 154 9.0 2000");
            filesAreTables(statement);
            viewsAreTables(statement);
            assertThat(statement.executeUpdate("ALTER STREAM made_by_jdbc SET retention = '3650d'"))
                    .isZero();
            assertThat(client.describe("made_by_jdbc").definition().policy().retention())
                    .hasToString("3650 d");
            assertThat(statement.executeUpdate("DROP STREAM made_by_jdbc")).isZero();
            assertThat(statement.executeUpdate("DROP STREAM IF EXISTS made_by_jdbc"))
                    .isZero();
            assertThatThrownBy(() -> statement.executeUpdate("DROP STREAM made_by_jdbc"))
                    .hasStackTraceContaining("NO_SUCH_STREAM");
        }
    }

    /** The server of this test reads docs/examples/tables. */
    private void filesAreTables(Statement statement) throws Exception {
        assertThat(statement.executeUpdate("CREATE TABLE areas_by_jdbc FROM 'areas.csv'"))
                .isZero();
        assertThatThrownBy(() -> statement.executeUpdate("CREATE TABLE Areas_by_jdbc FROM 'areas.csv'"))
                .hasStackTraceContaining("TABLE_EXISTS");
        assertThatThrownBy(() -> statement.executeUpdate("CREATE VIEW areas_by_jdbc AS SELECT id FROM by_jdbc"))
                .hasStackTraceContaining("there is a table of that name");
        assertThatThrownBy(() -> statement.executeUpdate(
                        "CREATE STREAM areas_by_jdbc (id BIGINT, at TIMESTAMP) KEY (id) TIME (at)"))
                .hasStackTraceContaining("there is a table 'areas_by_jdbc'");
        assertThatThrownBy(() -> statement.executeUpdate("CREATE TABLE by_jdbc FROM 'areas.csv'"))
                .hasStackTraceContaining("there is a stream of that name");
        assertThatThrownBy(() -> statement.executeUpdate("CREATE TABLE secret FROM '../../sql.md'"))
                .hasStackTraceContaining("within the folder of sql.tables");
        assertThat(rows(statement.executeQuery("SHOW TABLES LIKE 'areas%'"), "table", "kind", "file"))
                .containsExactly("areas_by_jdbc file areas.csv");
        assertThat(rows(statement.executeQuery("DESCRIBE areas_by_jdbc"), "column", "type"))
                .containsExactly("name string", "kind string", "shape string");
        DatabaseMetaData facts = connection.getMetaData();
        assertThat(rows(facts.getTables(null, "public", "areas%", new String[] {"TABLE"}), "TABLE_NAME", "TABLE_TYPE"))
                .containsExactly("areas_by_jdbc TABLE");
        assertThat(rows(facts.getColumns(null, "public", "areas%", "%"), "COLUMN_NAME", "TYPE_NAME"))
                .containsExactly("name VARCHAR", "kind VARCHAR", "shape VARCHAR");
        assertThat(rows(
                        statement.executeQuery("SELECT column_name FROM information_schema.columns"
                                + " WHERE table_name = 'areas_by_jdbc' ORDER BY ordinal_position"),
                        "column_name"))
                .containsExactly("name", "kind", "shape");
        assertThat(rows(
                        statement.executeQuery("SELECT * FROM public.areas_by_jdbc WHERE name = 'Orly'"),
                        "name",
                        "kind"))
                .containsExactly("Orly airport");
        assertThat(rows(
                        statement.executeQuery(
                                "SELECT a.kind, COUNT(b.id) AS n FROM areas_by_jdbc a LEFT JOIN by_jdbc b"
                                        + " ON b.note = a.name GROUP BY a.kind ORDER BY 1"),
                        "kind",
                        "n"))
                .containsExactly("airport 0", "city 0");
        assertThat(String.join(
                        "\n", rows(statement.executeQuery("EXPLAIN SELECT COUNT(*) FROM areas_by_jdbc"), "plan")))
                .contains("read_csv('areas.csv'");
        // Their values narrow what is read of a stream.
        for (String small : List.of(
                "areas_by_jdbc a ON a.name = b.note WHERE a.kind = 'airport'",
                "waterwheel.streams s ON s.stream_name = b.note WHERE s.stream_name IN ('by_jdbc', 'areas_by_jdbc')")) {
            String join = "SELECT COUNT(*) AS n FROM by_jdbc b JOIN " + small;
            assertThat(String.join("\n", rows(statement.executeQuery("EXPLAIN ANALYZE " + join), "plan")))
                    .as(join)
                    .containsPattern(
                            "(?s)  read as number 1: 0 rows in .* ms, narrowed to [12] values? of another table")
                    .contains("\nside0: SELECT ", "side0 AS ");
            assertThat(rows(statement.executeQuery(join), "n")).containsExactly("0");
        }
        assertThat(statement.executeUpdate("DROP TABLE areas_by_jdbc")).isZero();
        assertThatThrownBy(() -> statement.executeUpdate("DROP TABLE areas_by_jdbc"))
                .hasStackTraceContaining("NO_SUCH_TABLE");
        assertThatThrownBy(() -> statement.executeQuery("SELECT * FROM areas_by_jdbc"))
                .hasStackTraceContaining("NO_SUCH_STREAM");
    }

    private void viewsAreTables(Statement statement) throws Exception {
        assertThat(
                        statement.executeUpdate(
                                "CREATE VIEW noted_by_jdbc (id, text) AS SELECT id, note FROM made_by_jdbc WHERE note IS NOT NULL"))
                .isZero();
        assertThat(rows(statement.executeQuery("SELECT COUNT(text) AS n FROM noted_by_jdbc"), "n"))
                .containsExactly("154");
        assertThat(rows(statement.executeQuery("SHOW VIEWS LIKE 'noted%'"), "view", "columns"))
                .containsExactly("noted_by_jdbc id, text");
        assertThat(rows(statement.executeQuery("DESCRIBE Noted_by_jdbc"), "column", "type"))
                .containsExactly("id long", "text string");
        DatabaseMetaData facts = connection.getMetaData();
        assertThat(rows(facts.getTables(null, "public", "noted%", new String[] {"VIEW"}), "TABLE_NAME", "TABLE_TYPE"))
                .containsExactly("noted_by_jdbc VIEW");
        assertThat(rows(facts.getColumns(null, "public", "noted%", "%"), "COLUMN_NAME", "TYPE_NAME"))
                .containsExactly("id BIGINT", "text VARCHAR");
        assertThat(rows(
                        statement.executeQuery(
                                "SELECT table_name, view_definition FROM information_schema.views WHERE table_name = 'noted_by_jdbc'"),
                        "table_name",
                        "view_definition"))
                .containsExactly("noted_by_jdbc SELECT id, note FROM made_by_jdbc WHERE note IS NOT NULL");
        assertThat(statement.executeUpdate("CREATE OR REPLACE VIEW noted_by_jdbc AS SELECT id FROM made_by_jdbc"))
                .isZero();
        assertThat(rows(statement.executeQuery("SELECT COUNT(*) AS n FROM noted_by_jdbc"), "n"))
                .containsExactly("255");
        assertThat(statement.executeUpdate("DROP VIEW noted_by_jdbc")).isZero();
        assertThatThrownBy(() -> statement.executeQuery("SELECT COUNT(*) AS n FROM noted_by_jdbc"))
                .hasStackTraceContaining("NO_SUCH_STREAM");
    }

    private static void assertMarkedIncomplete(Statement statement) throws SQLException {
        List<String> verdict = rows(statement.executeQuery("SHOW VERDICT"), "complete", "missing");
        assertThat(verdict).singleElement().asString().startsWith("false ").doesNotEndWith(" null");
    }

    /** By text alone: the positions of the last INSERT, and a hint. */
    private void readsItsWrites() throws Exception {
        try (Connection other =
                        DriverManager.getConnection("jdbc:arrow-flight-sql://" + address + "/?useEncryption=false");
                Statement statement = other.createStatement()) {
            assertThatThrownBy(() -> statement.executeQuery("SHOW VERDICT"))
                    .hasStackTraceContaining("no verdict is known of this connection");
            statement.executeUpdate("INSERT INTO made_by_jdbc VALUES (2000, NOW(), 'seen', NULL)");
            List<String> stored =
                    rows(statement.executeQuery("SHOW VERDICT"), "complete", "missing", "rows", "positions");
            assertThat(stored).hasSize(1);
            assertThat(stored.get(0)).startsWith("true null 1 made_by_jdbc:");
            String positions = stored.get(0).split(" ", -1)[3];
            assertThat(rows(
                            statement.executeQuery("SELECT /*+ at_least('" + positions
                                    + "') */ note FROM made_by_jdbc WHERE id = 2000"),
                            "note"))
                    .containsExactly("seen");
            assertThat(rows(statement.executeQuery("SHOW VERDICT"), "complete", "rows"))
                    .containsExactly("true 1");
            assertThatThrownBy(() -> rows(
                            statement.executeQuery("SELECT /*+ at_least('by_jdbc:0:1') */ note FROM made_by_jdbc"),
                            "note"))
                    .hasStackTraceContaining("BAD_QUERY");
        }
    }

    private static @Nullable Instant utc(ResultSet row, String column) throws SQLException {
        Timestamp time = row.getTimestamp(column, Calendar.getInstance(TimeZone.getTimeZone("UTC")));
        return time == null ? null : time.toInstant();
    }

    void parametersMeanWhatLiteralsMean() throws Exception {
        try (PreparedStatement asked = connection.prepareStatement(
                "SELECT id FROM by_jdbc WHERE id BETWEEN ? AND ? AND at >= ? AND note <> ? AND number < ? ORDER BY id")) {
            assertThat(asked.getParameterMetaData().getParameterCount()).isEqualTo(5);
            for (long low : new long[] {5, 100, 7}) {
                asked.setLong(1, low);
                asked.setInt(2, (int) low + 3);
                asked.setTimestamp(3, new Timestamp(FIRST.plusMillis(low + 1).toEpochMilli()));
                asked.setString(4, "row " + (low + 2) % 100);
                asked.setDouble(5, 1e9);
                assertThat(rows(asked.executeQuery(), "id"))
                        .containsExactly(Long.toString(low + 1), Long.toString(low + 3));
            }
        }
        try (PreparedStatement asked = connection.prepareStatement(
                "SELECT id FROM by_jdbc WHERE yes = ? AND id < ? AND address = ? AND raw = ? LIMIT ?")) {
            asked.setBoolean(1, true);
            asked.setLong(2, 100);
            asked.setString(3, "10.0.0.1");
            asked.setBytes(4, new byte[] {0, -1, 7});
            asked.setLong(5, 10);
            assertThat(rows(asked.executeQuery(), "id")).containsExactly("1");
            asked.setString(3, "10.0.0.2");
            assertThat(rows(asked.executeQuery(), "id")).isEmpty();
        }
        try (PreparedStatement asked = connection.prepareStatement(
                "SELECT COUNT(*) AS n, MAX(id) AS highest FROM by_jdbc WHERE note LIKE ? AND id < ?")) {
            asked.setString(1, "row 4_");
            asked.setLong(2, 100);
            assertThat(rows(asked.executeQuery(), "n", "highest")).containsExactly("10 49");
        }
    }

    void failuresSayWhere() throws Exception {
        try (Statement statement = connection.createStatement()) {
            assertThatThrownBy(() -> statement.executeQuery("SELECT nope\nFROM by_jdbc"))
                    .isInstanceOf(SQLException.class)
                    .hasStackTraceContaining("NO_SUCH_FIELD: statement, line 1, column 8: there is no column 'nope'");
            assertThatThrownBy(() -> statement.executeQuery("SELECT id FROM by_jdbd"))
                    .hasStackTraceContaining("there is no stream 'by_jdbd'; did you mean 'by_jdbc'?");
            assertThatThrownBy(() -> statement.executeQuery("SELECT id FRM by_jdbc"))
                    .hasStackTraceContaining("BAD_SQL: statement, line 1, column 15");
            assertThatThrownBy(() -> statement.executeUpdate("DELETE FROM by_jdbc"))
                    .hasStackTraceContaining("not supported: DELETE, for rows are not changed");
            // The next one is answered all the same.
            assertThat(rows(statement.executeQuery("SELECT MIN(id) AS n FROM by_jdbc"), "n"))
                    .containsExactly("1");
        }
    }

    /** Nothing of an answer that is given up stays behind. */
    void answersEndWithTheirReader() throws Exception {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT * FROM by_jdbc")) {
            assertThat(row.next()).isTrue();
        }
        noneIsOpen();
        try (Statement statement = connection.createStatement()) {
            ResultSet row = statement.executeQuery("SELECT * FROM by_jdbc");
            assertThat(row.next()).isTrue();
            statement.cancel();
            assertThatThrownBy(() -> {
                while (row.next()) {
                    assertThat(row.getLong(1)).isPositive();
                }
            });
        }
        noneIsOpen();
    }

    private void noneIsOpen() throws Exception {
        Waiting.until("no query is open", () -> client.queries().isEmpty());
    }

    void sessionsSayWhatHolds() throws Exception {
        try (Connection late = connect(",by_jdbc:0:999999999&x-waterwheel-timeout=2");
                Statement statement = late.createStatement()) {
            assertThatThrownBy(() -> rows(statement.executeQuery("SELECT COUNT(*) AS n FROM by_jdbc"), "n"))
                    .hasStackTraceContaining("INCOMPLETE");
            assertThatThrownBy(() -> rows(statement.executeQuery(JOINED), "n")).hasStackTraceContaining("INCOMPLETE");
        }
        try (Connection partial = connect(",by_jdbc:0:999999999&x-waterwheel-timeout=5&x-waterwheel-partial=allow");
                Statement statement = partial.createStatement()) {
            assertThat(rows(statement.executeQuery("SELECT COUNT(*) AS n FROM by_jdbc"), "n"))
                    .hasSize(1);
            assertMarkedIncomplete(statement);
            assertThat(rows(statement.executeQuery(JOINED), "n")).hasSize(1);
            assertMarkedIncomplete(statement);
        }
        assertThatThrownBy(() -> {
                    try (Connection wrong = connect("&x-waterwheel-partia=allow");
                            Statement statement = wrong.createStatement()) {
                        statement.executeQuery("SELECT COUNT(*) AS n FROM by_jdbc");
                    }
                })
                .hasStackTraceContaining("there is no option 'partia'; did you mean 'partial'?");
    }
}
