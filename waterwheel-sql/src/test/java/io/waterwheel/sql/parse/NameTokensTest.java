package io.waterwheel.sql.parse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.util.SqlBasicVisitor;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class NameTokensTest {
    /** With each name in quotes it is the same statement. */
    private static void assertNames(String form, String word) {
        String bare = form.replace("#", word);
        String quoted = form.replace("#", "\"" + word + "\"");
        assertThat(StatementParser.parse(bare).toString())
                .as(bare)
                .isEqualTo(StatementParser.parse(quoted).toString());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "time",
                "date",
                "timestamp",
                "year",
                "month",
                "day",
                "hour",
                "value",
                "key",
                "row",
                "rows",
                "range",
                "set",
                "values",
                "current",
                "partition",
                "over",
                "update",
                "delete",
                "insert",
                "new",
                "next",
                "minus",
                "stream",
                "uuid",
                "datetime",
                "monday",
                "pattern",
                "grouping",
                "rollup"
            })
    void wordsAreColumns(String word) {
        for (String form : List.of(
                "SELECT #, t.#, x AS #, MAX(#), # + 1, 2 * # FROM t",
                "SELECT x FROM t AS # WHERE # > 1 AND 1 < # OR NOT # AND # IS NULL AND # IN (1, #)",
                "SELECT x FROM t WHERE # BETWEEN # AND # GROUP BY # HAVING # = 1 ORDER BY # DESC, # LIMIT 1",
                "SELECT x FROM t GROUP BY x, # ORDER BY #",
                "SELECT #.x FROM # JOIN u USING (#)",
                "WITH c (x, #) AS (SELECT 1, 2) SELECT # FROM c AS d (x, #)",
                "WITH # AS (SELECT 1), b AS (SELECT 2) SELECT * FROM #",
                "WITH b AS (SELECT 2), # AS (SELECT 1) SELECT * FROM # AS c",
                "SELECT x # FROM t",
                "SELECT MAX(x) #, 1 y FROM t",
                "SELECT SUM(#) OVER (PARTITION BY # ORDER BY # RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) FROM t",
                "SELECT CASE WHEN # THEN # ELSE # END, CAST(# AS BIGINT), #::VARCHAR FROM t",
                "SELECT EXTRACT(DAY FROM #), FLOOR(# TO HOUR), SUBSTRING(# FROM 2 FOR 3), # || 'a' FROM t",
                "SELECT POSITION('b' IN #), POSITION(# IN t.#) FROM t",
                "SELECT (SELECT #)",
                "SELECT DISTINCT ON (#) # FROM t ORDER BY #, x")) {
            assertNames(form, word);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"rows", "range"})
    void wordsOfFramesAreColumns(String word) {
        assertNames("SELECT x FROM t WHERE (# BETWEEN 1 AND 2) AND NOT ((# BETWEEN # AND 2))", word);
    }

    @ParameterizedTest
    @ValueSource(strings = {"time", "date", "timestamp", "value", "set", "interval"})
    void wordsAreTimesAndKeys(String word) {
        assertNames("SELECT * FROM t WHERE # > 1 LATEST ON # PARTITION BY #, x", word);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "as", "order", "group", "table", "from", "select", "end", "case", "null", "default", "any", "join"
            })
    void anyWordIsANameBehindAsAndAPoint(String word) {
        assertNames("SELECT x AS #, t.# FROM t", word);
        assertNames("SELECT x FROM t AS #", word);
        assertNames("SELECT s AS # FROM t WHERE x > 1 LATEST ON time PARTITION BY y", word);
    }

    /** What has the words for what they are in SQL. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT CAST(x AS TIMESTAMP), CAST(x AS DATE), x::TIME, CAST((SELECT y AS time FROM u) AS UUID) FROM t",
                "SELECT TIMESTAMP '2021-10-07 12:00:00', DATE '2021-10-07', INTERVAL '1' DAY, INTERVAL - '1' DAY FROM t",
                "SELECT SUM(x) OVER (ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM t",
                "SELECT SUM(x) OVER w FROM t WINDOW w AS (ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)",
                "SELECT SUM(x) OVER (ORDER BY y RANGE UNBOUNDED PRECEDING) FROM t",
                "SELECT SUM(x) OVER (PARTITION BY y ROWS BETWEEN CURRENT ROW AND 1 FOLLOWING) FROM t",
                "SELECT x FROM t OFFSET 5 ROWS FETCH NEXT 3 ROWS ONLY",
                "SELECT x FROM (VALUES (1), (2)) AS v (x) MINUS SELECT y FROM u",
                "SELECT x FROM t WHERE x IN (VALUES (1)) GROUP BY ROLLUP(x, y)",
                "SELECT x, GROUPING(x) FROM t GROUP BY GROUPING SETS ((x), ())",
                "SELECT COUNT(ALL x) FROM t GROUP BY ALL y, z",
                "SELECT x FROM t FOR SYSTEM_TIME AS OF TIMESTAMP '2021-10-07 12:00:00'",
            })
    void wordsAreWordsElsewhere(String statement) {
        SqlNode parsed = StatementParser.parse(statement);
        for (String word : List.of("TIMESTAMP", "DATE", "INTERVAL", "CURRENT", "ROWS", "ROW", "VALUES", "UUID")) {
            assertThat(parsed.toString()).doesNotContainIgnoringCase("`" + word + "`");
        }
    }

    @Test
    void placesAreThoseOfTheText() {
        SqlNode parsed = StatementParser.parse("SELECT a AS time,\n\tdate FROM t");
        SqlParserPos[] found = new SqlParserPos[1];
        parsed.accept(new SqlBasicVisitor<@Nullable Void>() {
            @Override
            public @Nullable Void visit(SqlIdentifier name) {
                if (name.getSimple().equals("date")) {
                    found[0] = name.getParserPosition();
                }
                return null;
            }
        });
        assertThat(found[0].getLineNum()).isEqualTo(2);
        assertThat(found[0].getColumnNum()).isEqualTo(2);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "SELECT order FROM t | order",
                "SELECT x, group FROM t | group",
                "SELECT x FROM t WHERE table = 1 | table",
                "SELECT x FROM t JOIN u USING (group) | group",
                "SELECT x FROM table | table",
                "SELECT x FROM t WHERE any > 1 | any",
            })
    void anErrorSaysThatNamesAreQuoted(String statement, String word) {
        assertThatThrownBy(() -> StatementParser.parse(statement))
                .hasMessageEndingWith("; a name that is a word of SQL goes in double quotes: \"" + word + "\"");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "SELECT * FROM http-1995-08-01 | http-1995-08-01",
                "SELECT * FROM http-1995-08-01 WHERE x - 1 > 2 | http-1995-08-01",
                "SELECT * FROM my-data-1- | my-data-1-",
                "SELECT * FROM my-data-1 | my-data-1",
                "SELECT * FROM my-order LIMIT 5 | my-order",
                "SELECT * FROM public.my-data d | my-data",
                "SELECT a.x FROM a JOIN my-data b ON a.x = b.x | my-data",
                "SELECT a.x FROM a, my-data | my-data",
                "SELECT a.x - 1, a.y-a.z FROM a,public.my-data-2 AS b WHERE a.x = b.x | my-data-2",
                "SELECT x FROM t JOIN u USING (x, my-column) | my-column",
                "WITH a AS (SELECT 1 AS x), my-data AS (SELECT 2 AS y) SELECT x FROM a | my-data",
            })
    void anErrorSaysThatNamesWithDashesAreQuoted(String statement, String name) {
        assertThatThrownBy(() -> StatementParser.parse(statement))
                .hasMessageEndingWith("; a name with a dash goes in double quotes: \"" + name + "\"");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT a-b-c x y FROM t",
                "SELECT x, a-b c d FROM t",
                "SELECT x FROM t ORDER BY x, a-b c",
                "SELECT EXTRACT(YEAR FROM a-b FROM t",
                "SELECT x FROM t--comment-here\n WHERE",
                "SELECT x, FROM t",
                "SELECT FROM t",
                "SELECT x FROM t WHERE GROUP BY x",
                "SELECT x FROM t WHERE",
                "SELECT x FROM t WHERE y = 'abc",
                "SELECT x FROM t WHERE paid == TRUE",
                "SELECT x FROM t JOIN ON t.x = 1",
                "SELECT $ FROM t",
                "SELECT x y z FROM t",
            })
    void otherErrorsDoNot(String statement) {
        assertThatThrownBy(() -> StatementParser.parse(statement)).message().doesNotContain("double quotes");
    }
}
