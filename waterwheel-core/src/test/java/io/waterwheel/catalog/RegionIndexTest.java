package io.waterwheel.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.model.Region;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class RegionIndexTest {
    @Test
    void findsWhatAScanFindsWhileEntriesAreAdded() {
        for (long seed = 1; seed <= 20; seed++) {
            Random random = new Random(seed);
            RegionIndex<Integer> index = RegionIndex.empty();
            List<Region> twin = new ArrayList<>();
            while (twin.size() < 3_000) {
                List<RegionIndex.Entry<Integer>> more = new ArrayList<>();
                for (int n = random.nextInt(80); n >= 0; n--) {
                    Region region = random(random);
                    more.add(new RegionIndex.Entry<>(region, twin.size()));
                    twin.add(region);
                }
                RegionIndex<Integer> before = index;
                int sizeBefore = before.size();
                index = index.with(more);
                assertThat(before.size()).as("an older snapshot stays").isEqualTo(sizeBefore);
                compare(index, twin, random(random), seed);
            }
            for (int q = 0; q < 200; q++) {
                compare(index, twin, random(random), seed);
            }
            compare(index, twin, Region.of(Long.MIN_VALUE, Long.MAX_VALUE, Long.MIN_VALUE, Long.MAX_VALUE), seed);
        }
    }

    private static void compare(RegionIndex<Integer> index, List<Region> twin, Region query, long seed) {
        List<Integer> found = new ArrayList<>();
        index.search(query, found::add);
        Set<Integer> expected = new HashSet<>();
        for (int i = 0; i < twin.size(); i++) {
            if (twin.get(i).overlaps(query)) {
                expected.add(i);
            }
        }
        assertThat(found).as("seed %s, %s", seed, query).doesNotHaveDuplicates().hasSameElementsAs(expected);
    }

    /** Small and large ones, neighbours that differ in the last bit, and the ends of the domain. */
    private static Region random(Random random) {
        long[] key = bounds(random);
        long[] time = bounds(random);
        return Region.of(key[0], key[1], time[0], time[1]);
    }

    private static long[] bounds(Random random) {
        long low =
                switch (random.nextInt(6)) {
                    case 0 -> Long.MIN_VALUE;
                    case 1 -> Long.MAX_VALUE - random.nextInt(3);
                    case 2 -> (1L << 60) + random.nextInt(4);
                    default -> random.nextLong();
                };
        long width = random.nextInt(4) == 0 ? random.nextLong() >>> 1 : random.nextInt(1000);
        long high = low + width < low ? Long.MAX_VALUE : low + width;
        return new long[] {low, high};
    }
}
