package io.waterwheel.schema.text;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Values beside each other, with what stands between them. */
final class JsonEndTest {
    private static final List<String> VALUES = List.of(
            "{}",
            "[]",
            "{\"a\": [1, {\"b\": \"]}\"}], \"c\": \"\\\"}\"}",
            "\"\"",
            "\"a, b] \\\\\"",
            "\"\\u00e9 \u00e9 \\\"\"",
            "-1.5e3",
            "true",
            "[[\"\\\\\\\"\"], [\n]]");

    @Test
    void eachEndsWhereItDoesBeforeWhateverFollows() {
        JsonEnd end = new JsonEnd();
        for (String value : VALUES) {
            for (String next : List.of(",", "]", " ", "\n", "\t1")) {
                byte[] text = (value + next).getBytes(UTF_8);
                end.reset();
                int at = 0;
                while (!end.reached() && !end.isBefore(text[at])) {
                    end.pass(text[at++]);
                }
                assertThat(new String(text, 0, at, UTF_8)).isEqualTo(value);
            }
        }
    }

    @Test
    void aTextIsOneUntilItsQuote() {
        JsonEnd end = new JsonEnd();
        for (byte c : "{\"a\\\"".getBytes(UTF_8)) {
            end.pass(c);
        }
        assertThat(end.inText()).isTrue();
        end.pass((byte) '"');
        assertThat(end.inText()).isFalse();
        assertThat(end.reached()).isFalse();
    }
}
