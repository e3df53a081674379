package io.waterwheel.gateway.answer;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class Utf8BufferTest {
    @Test
    void writesNumbersAsJavaDoes() {
        check(0);
        check(Long.MIN_VALUE);
        check(Long.MAX_VALUE);
        for (long power = 1; power > 0 && power <= Long.MAX_VALUE / 10; power *= 10) {
            for (long near = -2; near <= 2; near++) {
                check(power + near);
                check(-power + near);
            }
        }
        Random random = new Random(1);
        for (int i = 0; i < 100_000; i++) {
            check(random.nextLong() >> random.nextInt(64));
        }
    }

    private static void check(long number) {
        Utf8Buffer buffer = BUFFER;
        buffer.clear();
        buffer.put((byte) 'x');
        buffer.number(number);
        buffer.put((byte) 'y');
        assertThat(new String(buffer.bytes(), 0, buffer.length(), StandardCharsets.US_ASCII))
                .isEqualTo("x" + number + "y");
    }

    private static final Utf8Buffer BUFFER = new Utf8Buffer();
}
