package io.waterwheel.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

final class SubmitArgumentsTest {
    private static SubmitArguments parse(String kept, String... words) {
        return SubmitArguments.parse(words, kept);
    }

    @Test
    void aFileThatStormsScriptKeptIsOurs() {
        assertThat(parse("conf/waterwheel.yaml", "indexer.tasks=4"))
                .isEqualTo(new SubmitArguments(Path.of("conf/waterwheel.yaml"), true, List.of("indexer.tasks=4")));
    }

    @Test
    void oneBehindTheDashesLeavesStormItsOwn() {
        assertThat(parse("other-storm.yaml", "--config", "ours.yaml"))
                .isEqualTo(new SubmitArguments(Path.of("ours.yaml"), false, List.of()));
    }

    @Test
    void withoutAFileThereAreTheDefaults() {
        assertThat(parse("", "a.b=1", "c=x=y")).isEqualTo(new SubmitArguments(null, false, List.of("a.b=1", "c=x=y")));
    }

    @Test
    void otherWordsAreRefused() {
        for (String word : List.of("--config", "-x=1", "flights")) {
            assertThatThrownBy(() -> parse("", word))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("unknown argument '" + word + "'; usage: storm jar JAR");
        }
    }
}
