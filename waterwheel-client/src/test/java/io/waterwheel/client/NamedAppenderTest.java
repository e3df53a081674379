package io.waterwheel.client;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Who shuts out whom. */
final class NamedAppenderTest {
    @Test
    void namesWithDotsAreNotTakenForTopicsWithDots() {
        assertThat(NamedAppender.transactionalId("a", "b.c")).isNotEqualTo(NamedAppender.transactionalId("a.b", "c"));
        assertThat(NamedAppender.transactionalId("a", "b/c")).isNotEqualTo(NamedAppender.transactionalId("a.b", "c"));
    }
}
