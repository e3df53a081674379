package io.waterwheel.chunk.encoding;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class RowSorterTest {
    @Test
    void sortsAsAStableComparisonSortDoes() {
        RowSorter sorter = new RowSorter();
        for (long seed = 0; seed < 400; seed++) {
            Random random = new Random(seed);
            int count = random.nextInt(3000);
            int keyBits = random.nextInt(65);
            int timeBits = random.nextInt(65);
            long[] keys = random.longs(count).map(x -> shift(x, keyBits)).toArray();
            long[] times = random.longs(count).map(x -> shift(x, timeBits)).toArray();
            if (random.nextBoolean()) {
                for (int i = 0; i < count; i++) {
                    if (random.nextInt(3) > 0) {
                        keys[i] = 42; // a hot key among keys of any range
                    }
                }
            }
            List<Integer> expected = IntStream.range(0, count)
                    .boxed()
                    .sorted(Comparator.<Integer>comparingLong(i -> keys[i]).thenComparingLong(i -> times[i]))
                    .toList();
            sorter.sort(keys, times, count);
            assertThat(IntStream.range(0, count).mapToObj(sorter::row).toList())
                    .as("seed %s: %s rows, %s key bits, %s time bits", seed, count, keyBits, timeBits)
                    .isEqualTo(expected);
        }
    }

    @Test
    void sortsNumbersAsKeysAreSorted() {
        RowSorter sorter = new RowSorter();
        RowSorter other = new RowSorter();
        for (long seed = 0; seed < 200; seed++) {
            Random random = new Random(seed);
            int count = random.nextInt(2049);
            int most = 1 + random.nextInt(random.nextBoolean() ? 3 : 1500);
            long[] numbers = random.ints(count, 0, most).asLongStream().toArray();
            int span = random.nextBoolean() ? 3 : 100_000;
            long[] times = random.ints(count, 0, span).asLongStream().toArray();
            sorter.sortNumbers(numbers, most, times, count);
            other.sort(numbers, times, count);
            assertThat(IntStream.range(0, count).map(sorter::row).toArray())
                    .as("seed %s", seed)
                    .isEqualTo(IntStream.range(0, count).map(other::row).toArray());
        }
    }

    private static long shift(long value, int bits) {
        return bits == 0 ? 0 : value >> (64 - bits);
    }
}
