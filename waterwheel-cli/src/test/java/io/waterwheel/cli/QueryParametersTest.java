package io.waterwheel.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.Query;
import io.waterwheel.query.ResultSpec;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The options of a query, given by name. */
final class QueryParametersTest {
    @Test
    void aQueryIsThatOfTheCommandLine() {
        Query query = QueryParameters.parse(
                "-odd",
                Map.of(
                        "key",
                        List.of("1..2", "7"),
                        "where",
                        List.of("a > 1"),
                        "count",
                        List.of(""),
                        "timeout",
                        List.of("2")));
        assertThat(query.stream()).isEqualTo("-odd");
        assertThat(query.keyRanges()).hasSize(2);
        assertThat(query.result()).isEqualTo(ResultSpec.Aggregates.COUNT);
        assertThat(query.timeout()).hasSeconds(2);
        assertThat(QueryParameters.parse("s", Map.of("count", List.of("false"))).result())
                .isEqualTo(ResultSpec.Rows.ALL);
    }

    @Test
    void optionsThatSayWhereToAskHowToPrintOrReadFilesAreNoOptions() {
        assertThat(QueryParameters.options())
                .contains("where", "box", "agg", "page", "at", "as-of")
                .doesNotContain("server", "format", "at-file", "help", "explain", "stats");
        assertThat(QueryParameters.options()).hasSizeGreaterThan(25);
        refused("at-file", "there is no option 'at-file'", Map.of("at-file", List.of("/etc/passwd")));
        refused("server", "there is no option 'server'", Map.of("server", List.of("grpc://x:1")));
        // Not a file whose lines are options.
        assertThat(QueryParameters.parse("@/etc/passwd", Map.of()).stream()).isEqualTo("@/etc/passwd");
    }

    @Test
    void nothingIsWrittenToStandardErrorForAValue() {
        PrintStream before = System.err;
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        System.setErr(new PrintStream(written, true, StandardCharsets.UTF_8));
        try {
            assertThatThrownBy(() -> QueryParameters.parse("s", Map.of("at-least", List.of("\"1:2,3:4"))))
                    .isInstanceOf(QueryParameters.BadOption.class);
            QueryParameters.parse("s", Map.of("order-by", List.of("a\"b,c")));
        } finally {
            System.setErr(before);
        }
        assertThat(written.toString(StandardCharsets.UTF_8)).isEmpty();
    }

    @Test
    void saysWhichOptionIsWrong() {
        refused("box", "expected LON1,LAT1,LON2,LAT2, got '1'", Map.of("box", List.of("1")));
        refused("count", "expected true or false, got 'yes'", Map.of("count", List.of("yes")));
        refused(null, "origin is for bucket: give both", Map.of("origin", List.of("2021-01-04")));
        refused(
                null,
                "fill is for time buckets: give bucket, or a DATE_TRUNC last in group-by",
                Map.of("fill", List.of("null")));
        refused("limit", "expected a whole number, got 'x'", Map.of("limit", List.of("x")));
        assertThatThrownBy(() -> QueryParameters.parse("s", Map.of("limit", List.of("x"))))
                .message()
                .doesNotContain("--");
        refused("limit", "should be specified only once", Map.of("limit", List.of("1", "2")));
    }

    /** Values of options; those of one option are given one behind the other. */
    private static final Map<String, List<String>> VALUES = Map.ofEntries(
            Map.entry("key", List.of("1..2", "7")),
            Map.entry("box", List.of("1,2,3,4")),
            Map.entry("circle", List.of("1,2,300")),
            Map.entry("polygon", List.of("POLYGON((0 0, 1 0, 1 1, 0 0))")),
            Map.entry("page", List.of("first")),
            Map.entry("series", List.of("delta(a)")),
            Map.entry("downsample", List.of("minmax")),
            Map.entry("time", List.of("2024-01-01T00:00:00Z/2024-01-02T00:00:00Z")),
            Map.entry("select", List.of("a", "b + 1 AS c")),
            Map.entry("distinct", List.of("")),
            Map.entry("where", List.of("a > 1")),
            Map.entry("order-by", List.of("a", "b DESC")),
            Map.entry("limit", List.of("5")),
            Map.entry("agg", List.of("count", "sum(a)")),
            Map.entry("group-by", List.of("a")),
            Map.entry("bucket", List.of("1h")),
            Map.entry("origin", List.of("2021-01-04")),
            Map.entry("fill", List.of("linear")),
            Map.entry("having", List.of("count > 1")),
            Map.entry("latest", List.of("3")),
            Map.entry("every", List.of("2")),
            Map.entry("at", List.of("1,2024-01-01T00:00:00Z")),
            Map.entry("as-of", List.of("true")),
            Map.entry("count", List.of("false", "true")),
            Map.entry("timeout", List.of("7")),
            Map.entry("partial", List.of("allow")),
            Map.entry("at-least", List.of("0:5", "1:7")));

    /** What reads options is used again: nothing of one query may be in the next. */
    @Test
    void readsEachQueryAsTheFirst() {
        List<String> names = VALUES.keySet().stream().sorted().toList();
        // One of them depends on the clock.
        assertThat(QueryParameters.options())
                .containsAll(names)
                .hasSize(names.size() + 1)
                .contains("last");
        Random random = new Random(1);
        int read = 0;
        for (int i = 0; i < 400; i++) {
            Map<String, List<String>> options = new HashMap<>();
            for (int option = random.nextInt(4); option >= 0; option--) {
                String name = names.get(random.nextInt(names.size()));
                List<String> values = Objects.requireNonNull(VALUES.get(name));
                options.put(name, values.subList(0, 1 + random.nextInt(values.size())));
            }
            String anew = answer(() -> QueryParameters.parse(QueryParameters.Parser.make(), "s", options));
            assertThat(answer(() -> QueryParameters.parse("s", options)))
                    .as("%s", options)
                    .isEqualTo(anew);
            read += anew.startsWith("Query") ? 1 : 0;
        }
        assertThat(read).isBetween(100, 390);
    }

    private static String answer(Supplier<Query> query) {
        try {
            return query.get().toString();
        } catch (QueryParameters.BadOption e) {
            return e.option() + ": " + e.getMessage();
        } catch (WaterwheelException e) {
            return String.valueOf(e.getMessage());
        }
    }

    private static void refused(@Nullable String option, String message, Map<String, List<String>> options) {
        assertThatThrownBy(() -> QueryParameters.parse("s", options))
                .isInstanceOfSatisfying(QueryParameters.BadOption.class, e -> assertThat(e.option())
                        .isEqualTo(option))
                .hasMessageContaining(message);
    }
}
