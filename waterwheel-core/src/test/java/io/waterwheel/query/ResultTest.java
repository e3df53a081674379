package io.waterwheel.query;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ResultTest {
    @Test
    void groupsHaveNamesThatFieldsCanHave() {
        assertThatThrownBy(() -> new Result.Aggregates(List.of(Aggregate.count()), List.of("lon lat"), null))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("field name 'lon lat'");
    }

    @Test
    void groupsAreNamedOnce() {
        assertThatThrownBy(() -> new Result.Aggregates(List.of(Aggregate.count()), List.of("id", "id"), null))
                .hasMessageContaining("[id, id]");
        assertThatThrownBy(() -> new Result.Aggregates(
                        List.of(Aggregate.count()), List.of(Result.Aggregates.BUCKET), Duration.ofSeconds(1)))
                .hasMessageContaining("bucket");
    }
}
