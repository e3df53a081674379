package io.waterwheel.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
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
