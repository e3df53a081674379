package io.waterwheel.query.condition;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Beside a look at each number of the set. */
final class NumberSetTest {
    private static void compare(SplittableRandom random, long... numbers) {
        long[] sorted = LongStream.of(numbers).sorted().toArray();
        NumberSet set = new NumberSet(sorted);
        LongStream near = LongStream.of(numbers).flatMap(number -> LongStream.of(number - 1, number, number + 1));
        LongStream edges = LongStream.of(0, 1, -1, Long.MIN_VALUE, Long.MIN_VALUE + 1, Long.MAX_VALUE);
        LongStream any = random.longs(50);
        LongStream.concat(LongStream.concat(near, edges), any).forEach(asked -> assertThat(set.has(asked))
                .as("%d in %s", asked, LongStream.of(sorted).boxed().toList())
                .isEqualTo(LongStream.of(numbers).anyMatch(number -> number == asked)));
    }

    @Test
    void aSetHasItsNumbersAndNoOthers() {
        SplittableRandom random = new SplittableRandom(11);
        compare(random);
        compare(random, 0);
        compare(random, -1, -1, 5);
        compare(random, Long.MIN_VALUE, Long.MAX_VALUE);
        compare(random, Long.MIN_VALUE, Long.MIN_VALUE + 1, 0, Long.MAX_VALUE - 1, Long.MAX_VALUE);
        for (int round = 0; round < 300; round++) {
            int count = 1 + random.nextInt(40);
            int shift = random.nextInt(64);
            long middle = random.nextBoolean() ? random.nextLong() : random.nextInt(100);
            long[] numbers = new long[count];
            for (int i = 0; i < count; i++) {
                numbers[i] = middle + (random.nextLong() >>> shift);
            }
            compare(random, numbers);
        }
    }
}
