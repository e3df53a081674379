package io.waterwheel.sql.change;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.error.WaterwheelException;
import io.waterwheel.schema.Dimension;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.SchemaJson;
import io.waterwheel.schema.StreamDefinition;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** What statements say that change something. */
final class ChangeParserTest {
    private static Change of(String statement) {
        return Objects.requireNonNull(ChangeParser.of(statement));
    }

    private static StreamDefinition created(String statement) {
        return SchemaJson.readStream(((Change.Create) of(statement)).definition());
    }

    private static void wrong(String statement, String message) {
        assertThatThrownBy(() -> ChangeParser.of(statement))
                .isInstanceOf(WaterwheelException.class)
                .hasMessageContaining(message);
    }

    @Test
    void otherStatementsAreNone() {
        assertThat(ChangeParser.of("SELECT 1")).isNull();
        assertThat(ChangeParser.of("inserted")).isNull();
        assertThat(ChangeParser.of("")).isNull();
    }

    @Test
    void insertsLeaveTheQueryWhereItStood() {
        Change.Insert insert = (Change.Insert) of("-- one\ninsert into s (a, \"B c\")\nVALUES (1, ?);");
        assertThat(insert.stream()).isEqualTo("s");
        assertThat(insert.columns()).containsExactly("a", "B c");
        assertThat(insert.source()).isEqualTo("      \n" + " ".repeat(24) + "\nVALUES (1, ?);");
        insert = (Change.Insert) of("INSERT INTO waterwheel.public.s (SELECT a FROM t)");
        assertThat(insert.stream()).isEqualTo("s");
        assertThat(insert.columns()).isEmpty();
        assertThat(insert.source().strip()).isEqualTo("(SELECT a FROM t)");
        assertThat(((Change.Insert) of("INSERT INTO public.s SELECT 1")).stream())
                .isEqualTo("s");
        wrong("INSERT INTO s (a, a) VALUES (1, 2)", "line 1, column 19: column a is named twice");
        wrong("INSERT INTO s (a b) VALUES (1)", "expected ), got 'b'");
        wrong("INSERT INTO s", "expected VALUES or a query, got the end");
        for (String other : List.of("INSERT INTO t VALUES (1)", "DROP STREAM t", "DESCRIBE t", "EXPLAIN SELECT 1")) {
            wrong("INSERT INTO s " + other, "expected VALUES or a query, got '");
            wrong("INSERT INTO s (a) /* c */ " + other, "expected VALUES or a query, got '");
        }
        wrong("INSERT OVER s", "expected INTO, got 'OVER'");
        String dashed = "a name with a dash goes in double quotes: ";
        wrong("INSERT INTO my-data VALUES (1)", "line 1, column 15: " + dashed + "\"my-data\"");
        wrong("INSERT INTO public.my-data-1 (a) VALUES (1)", dashed + "\"my-data-1\"");
        wrong("INSERT INTO s (a, my-column) VALUES (1, 2)", dashed + "\"my-column\"");
        wrong("DROP STREAM my-data", dashed + "\"my-data\"");
        wrong("DROP VIEW IF EXISTS my-", dashed + "\"my-\"");
        wrong("CREATE STREAM my-data (a BIGINT)", dashed + "\"my-data\"");
        wrong("ALTER STREAM my-data SET retention = '1d'", dashed + "\"my-data\"");
        wrong("INSERT INTO s - 1", "expected VALUES or a query, got '-'");
    }

    @Test
    void streamsAreDefinitions() {
        StreamDefinition flights =
                created("CREATE STREAM flights (icao24 VARCHAR NOT NULL INDEXED, time_ms TIMESTAMP(6),"
                        + " longitude DOUBLE PRECISION, latitude double, number INTEGER, \"at_all\" ipv4) KEY POSITION (longitude,"
                        + " latitude) BOX (-10, 40, 10, 50) TIME (time_ms) WITH (topic = 'planes', partitions = 7, format = 'json',"
                        + " retention = '7d', dead_letters = 'halt')");
        assertThat(flights)
                .isEqualTo(SchemaJson.readStream("{\"name\":\"flights\",\"topic\":\"planes\",\"format\":\"json\","
                        + "\"partitions\":7,\"retention\":\"7d\",\"dead-letters\":\"halt\",\"fields\":["
                        + "{\"name\":\"icao24\",\"type\":\"string\",\"indexed\":true},"
                        + "{\"name\":\"time_ms\",\"type\":\"timestamp_us\"},"
                        + "{\"name\":\"longitude\",\"type\":\"double\"},{\"name\":\"latitude\",\"type\":\"double\"},"
                        + "{\"name\":\"number\",\"type\":\"int\",\"nullable\":true},"
                        + "{\"name\":\"at_all\",\"type\":\"ipv4\",\"nullable\":true}],"
                        + "\"key\":{\"longitude\":\"longitude\",\"latitude\":\"latitude\",\"box\":[-10,40,10,50]},"
                        + "\"time\":\"time_ms\",\"records\":{\"unknown\":\"skip\"}}"));
        StreamDefinition messages =
                created("CREATE STREAM l (id BIGINT, at TIMESTAMP, message VARCHAR INDEXED TEXT FROM"
                        + " 'msg', host VARCHAR INDEXED) KEY (id) TIME (at)");
        assertThat(messages.schema().fields().get(2).index()).isEqualTo(Field.Index.TEXT);
        assertThat(messages.schema().fields().get(3).index()).isEqualTo(Field.Index.VALUES);
        assertThat(SchemaJson.readStream(SchemaJson.writeStream(messages))).isEqualTo(messages);
        StreamDefinition orders =
                created("create stream if not exists orders (id BIGINT, at TIMESTAMP) key (id) time (at);");
        assertThat(orders.format()).isEqualTo(RecordFormat.BLOCK);
        assertThat(orders.partitions()).isEqualTo(StreamDefinition.DEFAULT_PARTITIONS);
        assertThat(orders.schema().fields().get(0).nullable()).isFalse();
        StreamDefinition many = created("CREATE STREAM m (a BIGINT NULL, b DOUBLE, c BOOLEAN, at TIMESTAMP) TIME (at)"
                + " KEY (a BITS 3 RANGE (-5, 100), b CUTS (1.5, 2.5), c)");
        assertThat(many.schema().key().roles()).hasSize(3);
        assertThat(many.schema().fields().get(0).nullable()).isTrue();
        assertThat(many.schema().fields().get(1).nullable()).isFalse();
        assertThat(((KeySpec.Dimensions) many.schema().key()).position()).isEmpty();
        StreamDefinition placed = created("CREATE STREAM p (x DOUBLE, y DOUBLE, height BIGINT, at TIMESTAMP)"
                + " KEY (height RANGE (0, 9000), x RANGE (-180, 180), y RANGE (-90, 90)) POSITION (x, y) TIME (at)");
        assertThat(((KeySpec.Dimensions) placed.schema().key()).position()).containsExactly("x", "y");
        assertThat(placed.schema().key().position()).containsExactly("x", "y");
        assertThat(SchemaJson.readStream(SchemaJson.writeStream(placed))).isEqualTo(placed);
        StreamDefinition timed = created("CREATE STREAM p (made TIMESTAMP, sold TIMESTAMP, at TIMESTAMP) TIME (at) KEY"
                + " (made RANGE (TIMESTAMP '2020-01-01 00:00:00', TIMESTAMP '2020-01-01T12:00:00.5+02:00'),"
                + " sold CUTS (TIMESTAMP '2020-01-01', '2020-01-02', 1600000000000))");
        List<Dimension> dimensions = ((KeySpec.Dimensions) timed.schema().key()).dimensions();
        assertThat(dimensions.get(0).range()).containsExactly("2020-01-01 00:00:00Z", "2020-01-01T12:00:00.5+02:00");
        assertThat(dimensions.get(1).cuts()).containsExactly("2020-01-01", "2020-01-02", "1600000000000");
        StreamDefinition pages = created("CREATE STREAM p (page TEXT, b BOOLEAN, at TIMESTAMP) TIME (at) KEY"
                + " (page BITS 2 BYTES 24 CUTS ('https://example.org/a', 'https://example.org/b'), b)");
        Dimension page =
                ((KeySpec.Dimensions) pages.schema().key()).dimensions().get(0);
        assertThat(page.bytes()).isEqualTo(24);
        assertThat(page.cuts()).containsExactly("https://example.org/a", "https://example.org/b");
        assertThat(SchemaJson.readStream(SchemaJson.writeStream(pages))).isEqualTo(pages);
        for (String wrong : List.of("2020-01-01 00", "2020-01-01 25:00", "noon")) {
            assertThatThrownBy(() -> created("CREATE STREAM p (made TIMESTAMP, b BOOLEAN, at TIMESTAMP) TIME (at) KEY"
                            + " (made CUTS (TIMESTAMP '" + wrong + "'), b)"))
                    .hasMessageContaining("expected values of type timestamp, got '" + wrong + "'");
        }
        assertThatThrownBy(() -> created("CREATE STREAM s (x foo, b BOOLEAN, c TIMESTAMP) KEY (x, b) TIME (c)"))
                .hasMessageContaining("foo")
                .hasMessageNotContaining("RANGE");
    }

    @Test
    void whatIsWrongSaysWhere() {
        wrong(
                "CREATE TABLE t (a BIGINT)",
                "line 1, column 16: expected FROM 'FILE'; a stream is made by CREATE STREAM");
        wrong("CREATE TABLE t FROM file", "line 1, column 21: expected the path of a file in quotes, got 'file'");
        wrong("CREATE INDEX i", "line 1, column 8: expected STREAM, VIEW or TABLE, got 'INDEX'");
        assertThat(ChangeParser.of("create or replace table public.t from 'a b/c.csv';"))
                .isEqualTo(new Change.CreateTable("t", true, false, "a b/c.csv"));
        assertThat(ChangeParser.of("CREATE TABLE IF NOT EXISTS t FROM 'it''s.parquet'"))
                .isEqualTo(new Change.CreateTable("t", false, true, "it's.parquet"));
        assertThat(ChangeParser.of("DROP TABLE IF EXISTS t")).isEqualTo(new Change.DropTable("t", true));
        wrong("CREATE STREAM s (a BIGINT,\n a BIGINT)", "line 2, column 2: column a is declared twice");
        wrong("CREATE STREAM s (a BIGINT) KEY (b) TIME (a)", "there is no column 'b' for the key; there are a");
        wrong("CREATE STREAM s (a BIGINT) TIME (a)", "expected KEY (column), got the end");
        wrong("CREATE STREAM s (a BIGINT) KEY (a)", "expected TIME (column), got the end");
        wrong("CREATE STREAM s (a TIMESTAMP(4)) KEY (a) TIME (a)", "expected 3, 6 or 9 digits of a second, got '4'");
        wrong(
                "CREATE STREAM s (a TIMESTAMP) KEY (a) TIME (a) WITH (partition = 4)",
                "there is no option 'partition' here; did you mean 'partitions'?");
        wrong(
                "CREATE STREAM s (a DOUBLE, b DOUBLE) KEY (a, b) POSITION (a) TIME (b)",
                "line 1, column 60: expected ,, got ')'");
        wrong(
                "CREATE STREAM s (a DOUBLE, b DOUBLE) KEY (a, b) POSITION (a, c) TIME (b)",
                "there is no column 'c' for the latitude; there are a, b");
        wrong(
                "CREATE STREAM s (a DOUBLE, b DOUBLE, c TIMESTAMP) KEY (a BITS 4, b RANGE (0, 1)) TIME (c)",
                "column 'a' of the key: expected RANGE (least, greatest) or CUTS (value, ...)");
        wrong(
                "CREATE STREAM s (a TEXT, b BOOLEAN, c TIMESTAMP) KEY (b, a) TIME (c)",
                "column 'a' of the key: expected CUTS (value, ...)");
        wrong(
                "CREATE STREAM s (a BIGINT, b TIMESTAMP) KEY (a, b RANGE (TIMESTAMP 5, 6)) TIME (b)",
                "expected a bound, a time in quotes, got '5'");
        wrong("DROP STREAM s t", "line 1, column 15: expected the end, got 't'");
        wrong("DROP STREAM 'it''s'", "expected the name of a stream, got 'it's'");
        wrong("DROP STREAM \"s", "a quote that begins here does not end");
        wrong("ALTER STREAM s SET retention = off", "expected the value of retention, a text in quotes or a number");
        wrong("ALTER STREAM s SET format = 'csv'", "there is no option 'format' here");
    }

    @Test
    void streamsAreAlteredAndDropped() {
        assertThat(of("ALTER STREAM s SET (dead_letters = 'skip', indexers = 3)"))
                .isEqualTo(new Change.Alter("s", Map.of("dead-letters", "skip", "indexers", "3")));
        assertThat(of("DROP STREAM IF EXISTS \"a \"\" b\" ; ;")).isEqualTo(new Change.Drop("a \" b", true));
        assertThat(of("drop stream S")).isEqualTo(new Change.Drop("S", false));
        assertThat(List.of(of("DROP STREAM s")).get(0).stream()).isEqualTo("s");
    }
}
