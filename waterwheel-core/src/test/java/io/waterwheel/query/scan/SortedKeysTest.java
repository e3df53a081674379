package io.waterwheel.query.scan;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.Rounds;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** A key is found among sorted ones as a look at each of them says. */
final class SortedKeysTest {
    @Test
    void findsTheFirstThatIsNotBelow() {
        long seed = Long.getLong("seed", new SplittableRandom().nextLong());
        System.out.println("replay: ./waterwheel test SortedKeysTest -Dseed=" + seed);
        SplittableRandom random = new SplittableRandom(seed);
        for (int round = 0; round < Rounds.of(2000, 100_000); round++) {
            long[] keys = new long[1 + random.nextInt(300)];
            long range = 1L << random.nextInt(63);
            long low = random.nextBoolean() ? random.nextLong() / 2 : random.nextInt(100);
            for (int i = 0; i < keys.length; i++) {
                long far = random.nextInt(20) == 0 ? random.nextLong() : 0;
                keys[i] = low + random.nextLong(range) + far;
            }
            if (random.nextInt(4) == 0) {
                keys[0] = Long.MIN_VALUE;
                keys[keys.length - 1] = Long.MAX_VALUE;
            }
            Arrays.sort(keys);
            for (int turn = 0; turn < 20; turn++) {
                int from = random.nextInt(keys.length + 1);
                int to = from + random.nextInt(keys.length + 1 - from);
                long near = keys[random.nextInt(keys.length)];
                long key = turn < 10 ? near + random.nextInt(3) - 1 : turn < 15 ? random.nextLong() : near;
                int expected = from;
                while (expected < to && keys[expected] < key) {
                    expected++;
                }
                assertThat(RowFilter.firstNotBelow(keys, from, to, key))
                        .as("%d from %d to %d of %s", key, from, to, Arrays.toString(keys))
                        .isEqualTo(expected);
            }
        }
    }
}
