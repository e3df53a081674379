package io.waterwheel.tuple;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Random;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;

/** A byte a dimension, beside the shares that were given. */
final class QuestionShapeTest {
    @Test
    void sharesAreKeptToFourPercent() {
        Random random = new Random(1);
        for (int round = 0; round < 2000; round++) {
            QuestionShape shape = QuestionShape.UNBOUNDED;
            double[] shares = new double[8];
            for (int d = 0; d < 8; d++) {
                if (random.nextBoolean()) {
                    int cells = 1 + random.nextInt(1 << 14);
                    int wanted = random.nextInt(cells + 1) >> random.nextInt(14);
                    shares[d] = Math.max(1, wanted) / (double) cells;
                    shape = shape.with(d, wanted, cells);
                }
            }
            for (int d = 0; d < 8; d++) {
                assertThat(shape.bounds(d)).isEqualTo(shares[d] > 0);
                assertThat(shape.share(d)).isCloseTo(shares[d] > 0 ? shares[d] : 1, Percentage.withPercentage(4));
            }
        }
        QuestionShape all = QuestionShape.UNBOUNDED.with(7, 6, 6).with(7, 3, 3);
        assertThat(all.share(7)).isCloseTo(1, within(1e-12));
        assertThat(all.bounds(7)).isTrue();
        assertThat(all.bounds(6)).isFalse();
    }
}
