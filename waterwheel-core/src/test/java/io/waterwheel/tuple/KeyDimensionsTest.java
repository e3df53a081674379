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

    /** A box of some keys can be theirs; with another cell at a corner it can when it still holds the outer keys. */
    @Test
    void aBoxThatCannotBeThatOfItsKeysIsRefused() {
        int refused = 0;
        for (long seed = 0; seed < SEEDS; seed++) {
            Random random = new Random(seed);
            int bits = 1 + random.nextInt(63);
            KeyDimensions dimensions = random(random, bits, new int[bits]);
            long[] keys = random.longs(1 + random.nextInt(5))
                    .map(key -> key & -1L >>> (64 - bits))
                    .sorted()
                    .toArray();
            KeyInterval interval = new KeyInterval(keys[0], keys[keys.length - 1]);
            KeyBox box = dimensions.around(null, keys, keys.length);
            dimensions.requireBoxOf(interval, box);
            long flip = 1L << random.nextInt(63);
            boolean least = random.nextBoolean();
            long a = least ? box.least() ^ flip : box.least();
            long b = least ? box.greatest() : box.greatest() ^ flip;
            if (a > b) {
                continue;
            }
            boolean fits = flip <= (-1L >>> (64 - bits));
            for (int d = 0; d < dimensions.count(); d++) {
                for (long key : new long[] {interval.low(), interval.high()}) {
                    long cell = dimensions.cell(d, key);
                    fits &= dimensions.cell(d, a) <= cell && cell <= dimensions.cell(d, b);
                }
            }
            KeyBox other = new KeyBox(a, b);
            if (fits) {
                dimensions.requireBoxOf(interval, other);
            } else {
                refused++;
                assertThatThrownBy(() -> dimensions.requireBoxOf(interval, other))
                        .as("seed %s", seed)
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageStartingWith("key box: expected ");
            }
        }
        assertThat(refused).isGreaterThan(SEEDS / 10);
        assertThatThrownBy(() -> KeyDimensions.NONE.requireBoxOf(new KeyInterval(0, 9), new KeyBox(0, 9)))
                .hasMessage("key box: expected corners of 0 bits, as the keys have, got 0 and 9");
        assertThatThrownBy(() ->
                        new KeyDimensions(new int[] {0, 1, 0, 1}).requireBoxOf(new KeyInterval(2, 9), new KeyBox(0, 8)))
                .hasMessage("key box: expected cells around those of the lowest and the highest key, got cells 0 to 0"
                        + " of dimension 1 for keys 2 to 9");
    }

    @Test
    void cornersInTheWrongOrderAreRefused() {
        assertThatThrownBy(() -> new KeyBox(3, 2))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("key box: expected corners from 0 on, the lower first, got 3 and 2");
        assertThatThrownBy(() -> new KeyBox(-1, 2)).isInstanceOf(IllegalArgumentException.class);
    }
}
