package io.waterwheel.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ResultSpecTest {
    @Test
    void groupsHaveNamesThatFieldsCanHave() {
        assertThatThrownBy(() ->
                        new ResultSpec.Aggregates(List.of(Aggregate.count()), NamedExpression.fields("lon lat"), null))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("field name 'lon lat'");
    }

    @Test
    void groupsAreNamedOnce() {
        assertThatThrownBy(() ->
                        new ResultSpec.Aggregates(List.of(Aggregate.count()), NamedExpression.fields("id", "id"), null))
                .hasMessageContaining("two fields of the answer are called 'id'");
        assertThatThrownBy(() -> new ResultSpec.Aggregates(
                        List.of(Aggregate.count()),
                        NamedExpression.fields(ResultSpec.Aggregates.BUCKET),
                        Duration.ofSeconds(1)))
                .hasMessageContaining("bucket");
    }

    @Test
    void bucketsAreEqualWhereTheirStepsAre() {
        Duration week = Duration.ofDays(7);
        ResultSpec.Bucket mondays = ResultSpec.Bucket.of(week, Instant.parse("2021-01-04T00:00:00Z"));
        assertThat(mondays).isEqualTo(ResultSpec.Bucket.of(week, Instant.parse("1969-12-29T00:00:00Z")));
        assertThat(mondays).isNotEqualTo(ResultSpec.Bucket.of(week));
        assertThat(Instant.ofEpochMilli(
                        mondays.begin(Instant.parse("2026-11-29T23:59:59.999Z").toEpochMilli())))
                .isEqualTo("2026-11-23T00:00:00Z");
        assertThat(ResultSpec.Bucket.of(week, Instant.EPOCH).ahead()).isZero();
        assertThatThrownBy(() -> ResultSpec.Bucket.of(week, Instant.parse("2021-01-04T00:00:00.000001Z")))
                .hasMessage("query: the origin of time buckets must be a whole millisecond, got"
                        + " 2021-01-04T00:00:00.000001Z");
        assertThatThrownBy(() -> ResultSpec.Bucket.of(week, Instant.MAX)).hasMessageContaining("is too far away");
        for (Duration wrong : List.of(
                Duration.ZERO,
                Duration.ofMillis(-1),
                Duration.ofNanos(1),
                Duration.ofDays(1_000_001),
                Duration.ofSeconds(Long.MAX_VALUE))) {
            assertThatThrownBy(() -> ResultSpec.Bucket.of(wrong))
                    .as("%s", wrong)
                    .hasMessageContaining("must be a positive number of whole milliseconds");
        }
    }

    /** Each time a column travels, and is held, once more. */
    @Test
    void aFieldIsSelectedAFewTimesOnly() {
        List<String> few = Collections.nCopies(ResultSpec.MAX_REPEATS, "id");
        assertThat(new ResultSpec.Latest(1, few).select()).isEqualTo(few);
        List<String> many = Collections.nCopies(256, "id");
        assertThatThrownBy(() -> new ResultSpec.Rows(NamedExpression.fields(many.toArray(String[]::new)), List.of(), 1))
                .hasMessageContaining("'id' is selected more than 4");
        assertThatThrownBy(() -> new ResultSpec.Latest(1, many)).hasMessageContaining("'id' is selected more than 4");
    }
}
