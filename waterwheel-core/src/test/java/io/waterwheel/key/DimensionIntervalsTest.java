package io.waterwheel.key;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.Rounds;
import io.waterwheel.key.curve.DimensionIntervals;
import io.waterwheel.key.curve.Interleaving;
import io.waterwheel.tuple.KeyBox;
import io.waterwheel.tuple.KeyDimensions;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.WantedCells;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Scales beside a count of cuts, interleaving beside bits set one by one, intervals beside all cells of small keys. */
final class DimensionIntervalsTest {
    private static final int SEEDS = Rounds.of(300, 20_000);

    @Test
    void aScaleCountsTheCutsThatAreNotAbove() {
        for (long seed = 0; seed < SEEDS; seed++) {
            Random random = new Random(seed);
            boolean floating = random.nextBoolean();
            long[] cuts = random.longs(random.nextInt(random.nextInt(9) == 0 ? 3000 : 40), 0, 1L << 40)
                    .map(code -> code(code, floating, random))
                    .distinct()
                    .sorted()
                    .toArray();
            Scale scale = Scale.of(cuts, floating);
            for (int i = 0; i < 200; i++) {
                long code = cuts.length > 0 && random.nextBoolean()
                        ? cuts[random.nextInt(cuts.length)] + random.nextInt(3) - 1
                        : code(random.nextLong(), floating, random);
                int naive = (int) Arrays.stream(cuts).filter(cut -> cut <= code).count();
                assertThat(scale.search(code)).as("seed %s", seed).isEqualTo(naive);
                if (floating) {
                    double number = number(code);
                    if (!Double.isNaN(number)) {
                        assertThat(scale.cell(number))
                                .as("seed %s, %s", seed, number)
                                .isEqualTo(naive);
                    }
                } else {
                    assertThat(scale.cell(code)).as("seed %s, %s", seed, code).isEqualTo(naive);
                }
            }
            for (double number : new double[] {Double.NEGATIVE_INFINITY, -0.0, 0.0, Double.POSITIVE_INFINITY}) {
                long code = KeyCodec.ofDouble(number);
                assertThat(!floating || scale.cell(number) == scale.search(code))
                        .as("seed %s", seed)
                        .isTrue();
            }
            assertThat(scale.cell(Double.NaN)).isEqualTo(cuts.length);
        }
    }

    private static double number(long code) {
        return Double.longBitsToDouble(code ^ (code >> 63 & Long.MAX_VALUE));
    }

    private static long code(long random, boolean floating, Random with) {
        if (!floating) {
            return with.nextInt(3) == 0 ? random << with.nextInt(24) : random;
        }
        double value = with.nextInt(3) == 0
                ? with.nextGaussian() * Math.pow(10, with.nextInt(600) - 300)
                : with.nextInt(20_000) / 100.0 - 100;
        return KeyCodec.ofDouble(value);
    }

    @Test
    void aKeyGrowsWithEachOfItsCells() {
        for (long seed = 0; seed < SEEDS; seed++) {
            Random random = new Random(seed);
            Interleaving interleaving = interleaving(random, Interleaving.MAX_BITS);
            int[] cells = new int[interleaving.dimensions()];
            for (int d = 0; d < cells.length; d++) {
                cells[d] = random.nextInt(1 << interleaving.bits(d));
            }
            long naive = 0;
            int[] left = new int[cells.length];
            Arrays.setAll(left, interleaving::bits);
            for (int dimension : interleaving.order()) {
                naive = naive << 1 | (cells[dimension] >>> --left[dimension] & 1);
            }
            assertThat(interleaving.key(cells))
                    .as("seed %s", seed)
                    .isEqualTo(naive)
                    .isBetween(0L, interleaving.greatest());
        }
    }

    private static Interleaving interleaving(Random random, int most) {
        int dimensions = 1 + random.nextInt(8);
        List<Integer> order = new ArrayList<>();
        for (int d = 0; d < dimensions; d++) {
            for (int bit = random.nextInt(Math.max(1, most / dimensions)) % 14; bit >= 0; bit--) {
                order.add(d);
            }
        }
        Collections.shuffle(order, random);
        return new Interleaving(order.stream().mapToInt(d -> d).toArray(), dimensions);
    }

    @Test
    void intervalsHoldTheKeysOfAllWantedCells() {
        for (long seed = 0; seed < SEEDS; seed++) {
            Random random = new Random(seed);
            Interleaving interleaving = interleaving(random, 13);
            @Nullable BitSet[] wanted = wanted(interleaving, random);
            int limit = 1 + random.nextInt(random.nextBoolean() ? 8 : 5000);
            List<KeyInterval> intervals = DimensionIntervals.of(interleaving, wanted, limit);
            List<KeyInterval> all = enumerated(interleaving, wanted);
            assertThat(intervals).as("seed %s", seed).hasSizeLessThanOrEqualTo(limit);
            assertThat(KeyIntervals.intersection(all, intervals))
                    .as("seed %s", seed)
                    .isEqualTo(all);
            if (limit > 2 * all.size()) {
                assertThat(intervals).as("seed %s", seed).isEqualTo(all);
            } else if (!all.isEmpty()) {
                assertThat(intervals.get(0).low()).isEqualTo(all.get(0).low());
                assertThat(intervals.get(intervals.size() - 1).high())
                        .isEqualTo(all.get(all.size() - 1).high());
            }
        }
    }

    private static @Nullable BitSet[] wanted(Interleaving interleaving, Random random) {
        @Nullable BitSet[] wanted = new @Nullable BitSet[interleaving.dimensions()];
        for (int d = 0; d < wanted.length; d++) {
            int cells = 1 << interleaving.bits(d);
            int from = random.nextInt(cells);
            switch (random.nextInt(4)) {
                case 0 -> {
                    BitSet range = new BitSet();
                    range.set(from, from + 1 + random.nextInt(cells - from));
                    wanted[d] = range;
                }
                case 1 -> {
                    BitSet some = new BitSet();
                    for (int i = random.nextInt(5); i >= 0; i--) {
                        some.set(random.nextInt(cells));
                    }
                    wanted[d] = some;
                }
                case 2 -> wanted[d] = random.nextInt(20) == 0 ? new BitSet() : null;
                default -> wanted[d] = null;
            }
        }
        return wanted;
    }

    private static List<KeyInterval> enumerated(Interleaving interleaving, @Nullable BitSet[] wanted) {
        List<KeyInterval> keys = new ArrayList<>();
        for (long key = 0; key <= interleaving.greatest(); key++) {
            boolean in = true;
            for (int d = 0; d < wanted.length; d++) {
                int cell = 0;
                for (int bit = 0; bit < interleaving.bits(); bit++) {
                    if (interleaving.dimensionAt(bit) == d) {
                        cell |= (int) (key >>> bit & 1) << interleaving.bitAt(bit);
                    }
                }
                BitSet cells = wanted[d];
                in &= cells == null || cells.get(cell);
            }
            if (in) {
                keys.add(new KeyInterval(key, key));
            }
        }
        return KeyIntervals.merged(keys);
    }

    @Test
    void aBoxIsMissedByTheFirstDimensionThatHasNoWantedCellInIt() {
        for (long seed = 0; seed < 500; seed++) {
            Random random = new Random(seed);
            int[] order = IntStream.range(0, 2 + random.nextInt(9))
                    .map(i -> random.nextInt(3))
                    .toArray();
            order[0] = 0;
            order[order.length - 1] = 1;
            int count = Arrays.stream(order).max().orElseThrow() + 1;
            Interleaving interleaving = new Interleaving(order, count);
            @Nullable BitSet[] wanted = wanted(interleaving, random);
            int[] fields = IntStream.range(10, 10 + count).toArray();
            WantedCells cells = new WantedCells(
                    new KeyDimensions(order), fields, cellCounts(interleaving), List.<BitSet[]>of(wanted));
            int a = random.nextInt((int) interleaving.greatest() + 1);
            int b = random.nextInt((int) interleaving.greatest() + 1);
            long[] keys = IntStream.rangeClosed(Math.min(a, b), Math.max(a, b))
                    .asLongStream()
                    .toArray();
            int expected = missed(interleaving, wanted, keys);
            assertThat(cells.missedBetween(keys[0], keys[keys.length - 1]))
                    .as("seed %s", seed)
                    .isEqualTo(expected);
            long[] some = {a, b};
            KeyBox box = new KeyDimensions(order).around(null, some, 2);
            int ofTwo = missed(interleaving, wanted, some);
            assertThat(cells.missedBy(box, keys[0], keys[keys.length - 1]))
                    .as("seed %s", seed)
                    .isEqualTo(ofTwo);
            if (ofTwo >= 0) {
                assertThat(cells.field(ofTwo)).isEqualTo(10 + ofTwo);
            }
            for (int d = 0; d < count; d++) {
                BitSet of = wanted[d];
                assertThat(cells.shape().bounds(d)).isEqualTo(of != null);
                double share = of == null ? 1 : Math.max(1, of.cardinality()) / (double) (1 << interleaving.bits(d));
                assertThat(cells.shape().share(d)).isBetween(share * 0.96, share * 1.04);
            }
        }
    }

    private static int[] cellCounts(Interleaving interleaving) {
        return IntStream.range(0, interleaving.dimensions())
                .map(d -> 1 << interleaving.bits(d))
                .toArray();
    }

    /** By the least and the greatest number of a cell among the keys. */
    private static int missed(Interleaving interleaving, @Nullable BitSet[] wanted, long[] keys) {
        for (int d = 0; d < wanted.length; d++) {
            BitSet cells = wanted[d];
            int least = Integer.MAX_VALUE;
            int greatest = 0;
            for (long key : keys) {
                int cell = 0;
                for (int bit = 0; bit < interleaving.bits(); bit++) {
                    if (interleaving.dimensionAt(bit) == d) {
                        cell |= (int) (key >>> bit & 1) << interleaving.bitAt(bit);
                    }
                }
                least = Math.min(least, cell);
                greatest = Math.max(greatest, cell);
            }
            int next = cells == null ? least : cells.nextSetBit(least);
            if (next < 0 || next > greatest) {
                return d;
            }
        }
        return WantedCells.NONE;
    }

    /** A dimension at the bottom of the schedule alone would be cut into 2^62 intervals. */
    @Test
    void aKeyOf63BitsIsCoveredWithinABound() {
        int[] order = new int[63];
        for (int bit = 0; bit < 63; bit++) {
            order[bit] = Math.min(4, bit / 14);
        }
        Interleaving interleaving = new Interleaving(order, 5);
        @Nullable BitSet[] wanted = new @Nullable BitSet[5];
        assertThat(DimensionIntervals.of(interleaving, wanted, 64)).containsExactly(new KeyInterval(0, Long.MAX_VALUE));
        BitSet odd = new BitSet();
        for (int cell = 1; cell < 1 << interleaving.bits(4); cell += 2) {
            odd.set(cell);
        }
        wanted[4] = odd;
        assertThat(DimensionIntervals.of(interleaving, wanted, 64)).hasSize(64);
    }
}
