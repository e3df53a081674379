package io.waterwheel.trino;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.trino.Session;
import io.trino.testing.DistributedQueryRunner;
import io.trino.testing.TestingSession;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What of statements the server does, as plans show it; names, types, comments and refusals. */
final class PushdownTest {
    private static final DistributedQueryRunner TRINO = TrinoCluster.shared();
    private static Readings readings;
    private static Map<Integer, Long> positions;

    @BeforeAll
    static void rows() {
        readings = new Readings("pushed", "{field: id}", 1);
        positions = readings.append(200);
    }

    private static String plan(String statement) {
        return TRINO.execute("EXPLAIN " + statement).getOnlyValue().toString();
    }

    @Test
    void exactConditionsAreTheServersAlone() {
        assertThat(plan("SELECT n FROM pushed WHERE id BETWEEN 5 AND 20 AND note IN ('a', 'ab') AND ok IS NOT NULL"
                        + " AND at >= TIMESTAMP '2026-11-20 00:10:00 UTC' AND price < 3"))
                .contains("constraint=")
                .contains("at >= TIMESTAMP '2026-11-20T00:10:00Z'")
                .contains("id >= 5 AND id <= 20")
                .contains("note IN ('a', 'ab')")
                .contains("price < DECIMAL '3.00'")
                .doesNotContain("filterPredicate");
    }

    @Test
    void floatsAreTestedAgain() {
        assertThat(plan("SELECT n FROM pushed WHERE x > 1.5e0"))
                .contains("constraint=x > 1.5")
                .contains("filterPredicate");
    }

    @Test
    void limitsOrdersAndAggregates() {
        assertThat(plan("SELECT n FROM pushed LIMIT 7")).contains("limit=7");
        assertThat(plan("SELECT n FROM pushed ORDER BY at DESC LIMIT 7"))
                .contains("order=[at DESC]")
                .contains("limit=7");
        // Of nulls both have other places.
        assertThat(plan("SELECT n FROM pushed ORDER BY n LIMIT 7")).doesNotContain("order=[n]");
        assertThat(plan("SELECT count(*), max(at), min(note) FROM pushed WHERE id > 3"))
                .contains("aggregates=[count(*), max(at), min(note)]")
                .doesNotContain("Aggregate[");
        assertThat(plan("SELECT max(x), sum(id) FROM pushed"))
                .doesNotContain("aggregates=")
                .contains("Aggregate");
    }

    /** Of floats both have other orders where nulls are first: NaN is before numbers then in Trino. */
    @Test
    void firstOfFloatsAreTrinos() {
        Session session = Session.builder(TRINO.getDefaultSession())
                .setCatalogSessionProperty(TrinoCluster.CATALOG, "max_splits", "1")
                .build();
        for (String order : List.of("ASC NULLS FIRST", "ASC NULLS LAST", "DESC NULLS FIRST", "DESC NULLS LAST")) {
            for (String column : List.of("x", "f", "n", "note", "us", "big")) {
                String statement = "SELECT " + column + " FROM $ ORDER BY " + column + " " + order + " LIMIT 60";
                assertThat(TRINO.execute(session, statement.replace("$", "pushed"))
                                .getMaterializedRows())
                        .as(statement)
                        .isEqualTo(TRINO.execute(session, statement.replace("$", "memory.default.pushed"))
                                .getMaterializedRows());
            }
        }
    }

    /** What a join says of an aggregate is about the one row, and not about those that are read. */
    @Test
    void joinsOfAggregates() {
        String statement = "SELECT count(*), max(b.id) FROM (SELECT max(id) AS m FROM $) a JOIN $ b ON a.m = b.id";
        assertThat(TRINO.execute(statement.replace("$", "pushed")).getMaterializedRows())
                .isEqualTo(TRINO.execute(statement.replace("$", "memory.default.pushed"))
                        .getMaterializedRows());
        assertThat(TRINO.execute(
                                "SELECT count(*) FROM pushed a JOIN (SELECT id FROM pushed WHERE n = 99) b ON a.id = b.id")
                        .getOnlyValue())
                .isEqualTo(0L);
    }

    @Test
    void columnsHaveTypesAndComments() {
        assertThat(TRINO.execute("DESCRIBE pushed").getMaterializedRows().toString())
                .isEqualTo("[[at, timestamp(3) with time zone, , time], [id, bigint, , key], [n, integer, , ],"
                        + " [x, double, , ], [f, real, , ], [ok, boolean, , ], [note, varchar, , ],"
                        + " [raw, varbinary, , ], [us, timestamp(6) with time zone, , ],"
                        + " [ns, timestamp(9) with time zone, , ], [ip4, ipaddress, , ], [ip6, ipaddress, , ],"
                        + " [u, uuid, , ], [price, decimal(12,2), , ], [big, decimal(30,4), , ]]");
        assertThat(TRINO.execute("SHOW CREATE TABLE pushed").getOnlyValue().toString())
                .contains("id bigint NOT NULL")
                .contains("a stream by key (id) and time (at)");
    }

    @Test
    void positionsMayBeDemanded() {
        String text = positions.entrySet().stream()
                .map(entry -> entry.getKey() + ":" + entry.getValue())
                .collect(java.util.stream.Collectors.joining(","));
        Session session = Session.builder(TRINO.getDefaultSession())
                .setCatalogSessionProperty(TrinoCluster.CATALOG, "at_least", "PUSHED=" + text)
                .build();
        assertThat(TRINO.execute(session, "SELECT count(*) FROM pushed").getOnlyValue())
                .isEqualTo(200L);
        Session beyond = Session.builder(TRINO.getDefaultSession())
                .setCatalogSessionProperty(TrinoCluster.CATALOG, "at_least", "pushed=0:999999999")
                .setCatalogSessionProperty(TrinoCluster.CATALOG, "query_timeout", "1s")
                .build();
        assertThatThrownBy(() -> TRINO.execute(beyond, "SELECT count(*) FROM pushed"))
                .hasMessageContaining("INCOMPLETE");
        Session wrong = Session.builder(TRINO.getDefaultSession())
                .setCatalogSessionProperty(TrinoCluster.CATALOG, "at_least", "pushed=now")
                .build();
        assertThatThrownBy(() -> TRINO.execute(wrong, "SELECT count(*) FROM pushed"))
                .hasMessageContaining("STREAM=PARTITION:OFFSET");
    }

    @Test
    void streamsAreReadOnly() {
        assertThatThrownBy(() -> TRINO.execute("INSERT INTO pushed SELECT * FROM pushed"))
                .hasMessageContaining("This connector does not support inserts");
        assertThatThrownBy(() -> TRINO.execute("DELETE FROM pushed"))
                .hasMessageContaining("This connector does not support");
        assertThatThrownBy(() -> TRINO.execute("CREATE TABLE other (a bigint)"))
                .hasMessageContaining("This connector does not support creating tables");
        assertThatThrownBy(() -> TRINO.execute("SELECT * FROM pushed FOR VERSION AS OF 1"))
                .hasMessageContaining("This connector does not support versioned tables");
    }

    @Test
    void wrongPropertiesAreRefused() {
        assertThatThrownBy(() -> TRINO.createCatalog("wrong", "waterwheel", Map.of("waterwheel.sever", "x:1")))
                .hasStackTraceContaining("waterwheel.sever");
        assertThatThrownBy(() -> TRINO.createCatalog("none", "waterwheel", Map.of()))
                .hasStackTraceContaining("waterwheel.server");
    }

    @Test
    void aServerThatIsAwayIsNamed() {
        TRINO.createCatalog("away", "waterwheel", Map.of("waterwheel.server", "127.0.0.1:1"));
        Session session = TestingSession.testSessionBuilder()
                .setCatalog("away")
                .setSchema("default")
                .build();
        assertThatThrownBy(() -> TRINO.execute(session, "SELECT * FROM pushed"))
                .hasMessageContaining("SERVER_UNREACHABLE")
                .hasMessageContaining("127.0.0.1:1");
    }
}
