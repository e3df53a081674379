package io.waterwheel.topology.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class KafkaLettersTest {
    private static @Nullable String text(byte[] value) {
        return KafkaLetters.text(ByteBuffer.wrap(value));
    }

    @Test
    void aLetterShowsItsBeginning() {
        assertThat(text("1,Zürich".getBytes(UTF_8))).isEqualTo("1,Zürich");
        assertThat(text("ü".repeat(5_000).getBytes(UTF_8))).isEqualTo("ü".repeat(KafkaLetters.CHARACTERS));
        // Two UTF-16 characters, of which one would fit.
        String before = "x".repeat(KafkaLetters.CHARACTERS - 1);
        assertThat(text((before + "\uD83D\uDE00").getBytes(UTF_8))).isEqualTo(before);
        // A letter that was cut where it was stored, in the middle of a character.
        byte[] whole = "xü".getBytes(UTF_8);
        assertThat(text(Arrays.copyOf(whole, 2))).isEqualTo("x");
        assertThat(text(new byte[] {'x', (byte) 0xFF, 'y'})).isNull();
    }
}
