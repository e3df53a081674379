package io.waterwheel.tuple;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.Rounds;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Bounds of cells beside a look at every key. */
final class KeyDimensionsTest {
    private static final int SEEDS = Rounds.of(300, 20_000);

    private static KeyDimensions random(Random random, int bits, int[] order) {
        int count = 1 + random.nextInt(Math.min(4, bits));
        for (int i = 0; i < bits; i++) {
            order[i] = i < count ? i : random.nextInt(count);
        }
        for (int i = bits - 1; i > 0; i--) {
            int other = random.nextInt(i + 1);
            int swapped = order[i];
            order[i] = order[other];
            order[other] = swapped;
        }
        return new KeyDimensions(order);
    }

    @Test
    void cellsOfAnIntervalAreThoseOfItsKeys() {
        for (long seed = 0; seed < SEEDS; seed++) {
            Random random = new Random(seed);
            int bits = 1 + random.nextInt(10);
            KeyDimensions dimensions = random(random, bits, new int[bits]);
            long a = random.nextInt(1 << bits);
            long b = random.nextInt(1 << bits);
            long low = Math.min(a, b);
            long high = Math.max(a, b);
            for (int d = 0; d < dimensions.count(); d++) {
                long least = Long.MAX_VALUE;
                long greatest = 0;
                for (long key = low; key <= high; key++) {
                    least = Math.min(least, dimensions.cell(d, key));
                    greatest = Math.max(greatest, dimensions.cell(d, key));
                }
                String as = "seed " + seed + ", dimension " + d + ", keys " + low + " to " + high;
                assertThat(dimensions.leastCell(d, low, high)).as(as).isEqualTo(least);
                assertThat(dimensions.greatestCell(d, low, high)).as(as).isEqualTo(greatest);
            }
        }
    }

    @Test
    void aBoxHoldsTheCellsOfItsKeysAndNoMore() {
        for (long seed = 0; seed < SEEDS; seed++) {
            Random random = new Random(seed);
            int bits = 63 - random.nextInt(40);
            int[] order = new int[bits];
            KeyDimensions dimensions = random(random, bits, order);
            long[] keys = new long[1 + random.nextInt(20)];
            Arrays.setAll(keys, i -> random.nextLong() & -1L >>> (64 - bits));
            int first = random.nextInt(keys.length + 1);
            KeyBox box = first == 0 ? null : dimensions.around(null, keys, first);
            if (first < keys.length) {
                box = dimensions.around(box, Arrays.copyOfRange(keys, first, keys.length), keys.length - first);
            }
            for (int d = 0; d < dimensions.count(); d++) {
                long mask = 0;
                for (int bit = 0; bit < bits; bit++) {
                    mask |= order[bits - 1 - bit] == d ? 1L << bit : 0;
                }
                long of = mask;
                assertThat(dimensions.mask(d)).as("seed %s", seed).isEqualTo(of);
                assertThat(box.least() & of)
                        .as("seed %s", seed)
                        .isEqualTo(
                                Arrays.stream(keys).map(key -> key & of).min().orElseThrow());
                assertThat(box.greatest() & of)
                        .as("seed %s", seed)
                        .isEqualTo(
                                Arrays.stream(keys).map(key -> key & of).max().orElseThrow());
            }
        }
    }

    @Test
    void cornersInTheWrongOrderAreRefused() {
        assertThatThrownBy(() -> new KeyBox(3, 2))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("key box: expected corners from 0 on, the lower first, got 3 and 2");
        assertThatThrownBy(() -> new KeyBox(-1, 2)).isInstanceOf(IllegalArgumentException.class);
    }
}
