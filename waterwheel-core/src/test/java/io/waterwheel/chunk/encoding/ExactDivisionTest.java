package io.waterwheel.chunk.encoding;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

final class ExactDivisionTest {
    @Test
    void dividesAsTheProcessorDoes() {
        Random random = new Random(1);
        ExactDivision division = new ExactDivision();
        for (int round = 0; round < 2000; round++) {
            long divisor = Math.max(1, random.nextLong() >>> (1 + random.nextInt(63)));
            division.by(divisor);
            for (int i = 0; i < 20; i++) {
                long number = i == 0 ? 0 : i == 1 ? Long.MAX_VALUE : random.nextLong() >>> (1 + random.nextInt(62));
                assertThat(division.divides(number))
                        .as("%s by %s", number, divisor)
                        .isEqualTo(number % divisor == 0);
                long multiple = number - number % divisor;
                assertThat(division.divides(multiple)).isTrue();
                assertThat(division.quotient(multiple))
                        .as("%s by %s", multiple, divisor)
                        .isEqualTo(multiple / divisor);
                assertThat(division.quotient(-multiple)).isEqualTo(-multiple / divisor);
            }
        }
    }
}
