package io.waterwheel.index;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.hash.BloomFilter;
import com.google.common.hash.Funnels;
import io.waterwheel.tuple.LittleEndian;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class TimeSketchTest {
    /** Bits that a filter of Guava's takes for n entries at a rate p are -n ln p / (ln 2)^2: solved for 512 bits. */
    private static double rateOfGuava(int entries) {
        return Math.exp(-TimeSketch.WORDS * Long.SIZE * Math.log(2) * Math.log(2) / entries);
    }

    @Test
    void saysPerhapsToAllThatWasAddedAndSeldomToOthers() {
        Random random = new Random(1);
        double[] documented = {0.002, 0.008, 0.037, 0.16};
        int[] entries = {16, 32, 64, 128};
        for (int step = 0; step < entries.length; step++) {
            int n = entries[step];
            long wrong = 0;
            long wrongOfGuava = 0;
            long asked = 0;
            for (int round = 0; round < 300; round++) {
                long[] words = new long[3 * TimeSketch.WORDS];
                BloomFilter<Long> guava = BloomFilter.create(Funnels.longFunnel(), n, rateOfGuava(n));
                // Mini-ranges one after the other, as time goes, or strewn.
                boolean strewn = round % 2 == 1;
                long start = random.nextLong() >>> 20;
                Set<Long> added = new HashSet<>();
                while (added.size() < n) {
                    long miniRange = strewn ? random.nextLong() >> 24 : start + added.size();
                    added.add(miniRange);
                    TimeSketch.add(words, TimeSketch.WORDS, miniRange);
                    guava.put(miniRange);
                }
                for (long miniRange : added) {
                    assertThat(TimeSketch.mayContain(words, TimeSketch.WORDS, miniRange))
                            .as("round %s, %s entries", round, n)
                            .isTrue();
                    assertThat(TimeSketch.add(words, TimeSketch.WORDS, miniRange))
                            .isFalse();
                }
                for (int ask = 0; ask < 300; ask++) {
                    long miniRange = strewn ? random.nextLong() >> 24 : start + n + ask;
                    if (!added.contains(miniRange)) {
                        asked++;
                        wrong += TimeSketch.mayContain(words, TimeSketch.WORDS, miniRange) ? 1 : 0;
                        wrongOfGuava += guava.mightContain(miniRange) ? 1 : 0;
                    }
                }
                assertThat(setBits(words, 0) + setBits(words, 2 * TimeSketch.WORDS))
                        .as("neighbours")
                        .isZero();
                assertThat(setBits(words, TimeSketch.WORDS)).isBetween(n / 2, 3 * n);
            }
            double rate = (double) wrong / asked;
            System.out.printf(
                    "time sketch: %d mini-ranges, %.4f falsely perhaps; Guava's filter of the same size %.4f%n",
                    n, rate, (double) wrongOfGuava / asked);
            assertThat(rate).as("%s entries", n).isBetween(documented[step] * 0.6, documented[step] * 1.4);
            // The price of one word for each mini-range: a third more at 64, a few in a thousand where it is small.
            assertThat(rate).isLessThan(1.6 * wrongOfGuava / asked + 0.006);
        }
    }

    @Test
    void anIntervalIsPerhapsWhenAMiniRangeOfItIs() {
        for (long seed = 1; seed <= 300; seed++) {
            Random random = new Random(seed);
            int shift = random.nextInt(TimeSketch.MAX_SHIFT + 1);
            long[] words = new long[TimeSketch.WORDS];
            long[] times = random.longs(random.nextInt(20) + 1)
                    .map(time -> random.nextInt(3) == 0 ? time | Long.MAX_VALUE - 4 : time >> random.nextInt(60))
                    .toArray();
            for (long time : times) {
                TimeSketch.add(words, 0, time >> shift);
            }
            for (long time : times) {
                long from = time - (random.nextLong() >>> random.nextInt(64));
                long to = time + (random.nextLong() >>> random.nextInt(64));
                assertThat(TimeSketch.mayMeet(words, 0, shift, Math.min(from, time), Math.max(to, time)))
                        .as("seed %s: %s within [%s, %s], shift %s", seed, time, from, to, shift)
                        .isTrue();
            }
        }
        long[] words = new long[TimeSketch.WORDS];
        assertThat(TimeSketch.mayMeet(words, 0, 10, 0, 10_000)).isFalse();
        assertThat(TimeSketch.mayMeet(words, 0, 10, Long.MIN_VALUE, Long.MAX_VALUE))
                .as("too many to ask")
                .isTrue();
        assertThat(TimeSketch.mayMeet(words, 0, 63, Long.MIN_VALUE, Long.MAX_VALUE))
                .as("two mini-ranges")
                .isFalse();
        assertThat(TimeSketch.mayMeet(words, 0, 10, 5000, 0)).as("no interval").isFalse();
    }

    @Test
    void theBitsOfAMiniRangeAreFixed() {
        long[] words = new long[TimeSketch.WORDS];
        TimeSketch.add(words, 0, 0);
        TimeSketch.add(words, 0, -1);
        TimeSketch.add(words, 0, 1_700_000_000_000L >> 10);
        byte[] bytes = new byte[TimeSketch.BYTES];
        for (int w = 0; w < TimeSketch.WORDS; w++) {
            LittleEndian.putLong(bytes, w * 8, words[w]);
        }
        assertThat(java.util.HexFormat.of().formatHex(bytes))
                .isEqualTo("0000044000040000000000000000000000000000000000000000000000000000"
                        + "0000000000000000000000000000000000000000000000000000041001804100");
    }

    private static int setBits(long[] words, int base) {
        return Arrays.stream(words, base, base + TimeSketch.WORDS)
                .mapToInt(Long::bitCount)
                .sum();
    }
}
