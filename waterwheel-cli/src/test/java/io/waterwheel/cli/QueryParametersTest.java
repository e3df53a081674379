package io.waterwheel.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.query.Query;
import io.waterwheel.query.ResultSpec;
import java.util.List;
import java.util.Map;
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
    void saysWhichOptionIsWrong() {
        refused("box", "expected LON1,LAT1,LON2,LAT2, got '1'", Map.of("box", List.of("1")));
        refused("count", "expected true or false, got 'yes'", Map.of("count", List.of("yes")));
        refused(null, "--fill is for time buckets", Map.of("fill", List.of("null")));
        refused("limit", "expected a whole number, got 'x'", Map.of("limit", List.of("x")));
        refused("limit", "should be specified only once", Map.of("limit", List.of("1", "2")));
    }

    private static void refused(@Nullable String option, String message, Map<String, List<String>> options) {
        assertThatThrownBy(() -> QueryParameters.parse("s", options))
                .isInstanceOfSatisfying(QueryParameters.BadOption.class, e -> assertThat(e.option())
                        .isEqualTo(option))
                .hasMessageContaining(message);
    }
}
