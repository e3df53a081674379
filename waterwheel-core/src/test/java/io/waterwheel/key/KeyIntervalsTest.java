package io.waterwheel.key;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ContiguousSet;
import com.google.common.collect.DiscreteDomain;
import com.google.common.collect.Range;
import com.google.common.collect.RangeSet;
import com.google.common.collect.TreeRangeSet;
import io.waterwheel.tuple.KeyInterval;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Guava's range sets are the twin. */
final class KeyIntervalsTest {
    private static final long[] EDGES = {
        Long.MIN_VALUE, Long.MIN_VALUE + 1, -1, 0, 1, Long.MAX_VALUE - 1, Long.MAX_VALUE
    };

    @Test
    void mergeAndIntersectAsRangeSetsDo() {
        for (long seed = 0; seed < 2000; seed++) {
            Random random = new Random(seed);
            List<KeyInterval> left = random(random);
            List<KeyInterval> right = random(random);
            assertThat(KeyIntervals.merged(left)).as("seed %s", seed).isEqualTo(intervals(set(left)));
            RangeSet<Long> both = TreeRangeSet.create();
            set(left).asRanges().forEach(range -> both.addAll(set(right).subRangeSet(range)));
            assertThat(KeyIntervals.intersection(KeyIntervals.merged(left), KeyIntervals.merged(right)))
                    .as("seed %s", seed)
                    .isEqualTo(intervals(both));
        }
    }

    @Test
    void fewestKeepsAllKeysAndLeavesOutTheWidestGaps() {
        for (long seed = 0; seed < 2000; seed++) {
            Random random = new Random(seed);
            List<KeyInterval> all = KeyIntervals.merged(random(random));
            int limit = 1 + random.nextInt(5);
            List<KeyInterval> fewer = KeyIntervals.fewest(all, limit);
            assertThat(fewer).as("seed %s", seed).hasSizeLessThanOrEqualTo(limit);
            List<Long> gaps = gaps(all);
            gaps.sort(Long::compareUnsigned);
            List<Long> left = gaps(fewer);
            left.sort(Long::compareUnsigned);
            assertThat(left).as("seed %s", seed).isEqualTo(gaps.subList(gaps.size() - left.size(), gaps.size()));
            assertThat(KeyIntervals.intersection(all, fewer))
                    .as("seed %s", seed)
                    .isEqualTo(all);
        }
    }

    private static List<Long> gaps(List<KeyInterval> intervals) {
        List<Long> gaps = new ArrayList<>();
        for (int i = 1; i < intervals.size(); i++) {
            gaps.add(intervals.get(i).low() - intervals.get(i - 1).high());
        }
        return gaps;
    }

    private static List<KeyInterval> random(Random random) {
        List<KeyInterval> intervals = new ArrayList<>();
        int count = 1 + random.nextInt(12);
        for (int i = 0; i < count; i++) {
            long a = key(random);
            long b = random.nextInt(3) == 0 ? key(random) : a + random.nextInt(5);
            intervals.add(a <= b ? new KeyInterval(a, b) : new KeyInterval(b, a));
        }
        return intervals;
    }

    private static long key(Random random) {
        return random.nextInt(4) == 0 ? EDGES[random.nextInt(EDGES.length)] : random.nextInt(60) - 30;
    }

    private static RangeSet<Long> set(List<KeyInterval> intervals) {
        RangeSet<Long> set = TreeRangeSet.create();
        intervals.forEach(interval ->
                set.add(Range.closed(interval.low(), interval.high()).canonical(DiscreteDomain.longs())));
        return set;
    }

    private static List<KeyInterval> intervals(RangeSet<Long> set) {
        List<KeyInterval> intervals = new ArrayList<>();
        for (Range<Long> range : set.asRanges()) {
            ContiguousSet<Long> keys = ContiguousSet.create(range, DiscreteDomain.longs());
            intervals.add(new KeyInterval(keys.first(), keys.last()));
        }
        return KeyIntervals.merged(intervals);
    }
}
