package io.waterwheel.key;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.geo.Box;
import io.waterwheel.tuple.KeyInterval;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class BoxIntervalsTest {
    @Test
    void coverASmallGridsBoxExactlyWhenTheLimitAllows() {
        for (int corners = 0; corners < 8 * 8 * 8 * 8; corners++) {
            int minX = corners & 7;
            int maxX = (corners >> 3) & 7;
            int minY = (corners >> 6) & 7;
            int maxY = corners >> 9;
            if (minX <= maxX && minY <= maxY) {
                assertThat(BoxIntervals.ofCells(minX, minY, maxX, maxY, 1000))
                        .as("cells %s,%s to %s,%s", minX, minY, maxX, maxY)
                        .isEqualTo(exact(minX, minY, maxX, maxY));
            }
        }
    }

    @Test
    void leaveOutTheWidestGapsWhenTheLimitIsShort() {
        long seed = 7;
        Random random = new Random(seed);
        for (int step = 0; step < 300; step++) {
            int minX = random.nextInt(64);
            int maxX = minX + random.nextInt(64 - minX);
            int minY = random.nextInt(64);
            int maxY = minY + random.nextInt(64 - minY);
            int limit = 1 + random.nextInt(12);
            List<KeyInterval> found = BoxIntervals.ofCells(minX, minY, maxX, maxY, limit);
            List<KeyInterval> exact = exact(minX, minY, maxX, maxY);
            int merged = exact.size() - Math.min(limit, exact.size());
            assertThat(found).as("seed %s step %s", seed, step).hasSizeLessThanOrEqualTo(limit);
            assertThat(codes(found))
                    .as("seed %s step %s", seed, step)
                    .isEqualTo(codes(exact) + smallestGaps(exact, merged));
            for (KeyInterval interval : exact) {
                assertThat(found)
                        .as("seed %s step %s holds %s", seed, step, interval)
                        .anyMatch(f -> f.low() <= interval.low() && interval.high() <= f.high());
            }
        }
    }

    @Test
    void holdTheKeyOfEveryPositionOfTheBox() {
        long seed = 11;
        Random random = new Random(seed);
        Box domain = new Box(-10, 40, 20, 60);
        ZOrder zOrder = new ZOrder(domain);
        for (int step = 0; step < 200; step++) {
            double lon = -12 + random.nextDouble() * 34;
            double lat = 39 + random.nextDouble() * 22;
            double size = Math.pow(10, -6 * random.nextDouble()) * 10;
            Box box = new Box(lon, lat, lon + size * random.nextDouble(), lat + size * random.nextDouble());
            List<KeyInterval> intervals = BoxIntervals.of(box, zOrder, 64);
            assertThat(intervals).hasSizeLessThanOrEqualTo(64);
            for (int i = 1; i < intervals.size(); i++) {
                assertThat(intervals.get(i - 1).high())
                        .isLessThan(intervals.get(i).low() - 1);
            }
            for (int point = 0; point < 200; point++) {
                double x = box.west() + random.nextDouble() * (box.east() - box.west());
                double y = box.south() + random.nextDouble() * (box.north() - box.south());
                if (box.contains(x, y) && domain.contains(x, y)) {
                    long key = zOrder.code(x, y);
                    assertThat(intervals)
                            .as("seed %s step %s point %s %s", seed, step, x, y)
                            .anyMatch(i -> i.contains(key));
                }
            }
        }
    }

    @Test
    void areFewCodesMoreThanTheBoxHolds() {
        Box box = new Box(2.1, 48.7, 2.6, 49.1);
        double cells = (0.5 / 360) * (0.4 / 180) * Math.pow(2, 62);
        assertThat(codes(BoxIntervals.of(box, new ZOrder(Box.WORLD), 64)) / cells)
                .isBetween(1.0, 1.5);
    }

    @Test
    void areNoneForABoxOutsideTheDomain() {
        assertThat(BoxIntervals.of(new Box(30, 30, 31, 31), new ZOrder(new Box(0, 0, 10, 10)), 64))
                .isEmpty();
    }

    @Test
    void coverTheWholeDomainWithOneInterval() {
        assertThat(BoxIntervals.of(Box.WORLD, new ZOrder(Box.WORLD), 64))
                .containsExactly(new KeyInterval(0, ZOrder.MAX_CODE));
    }

    private static List<KeyInterval> exact(int minX, int minY, int maxX, int maxY) {
        long[] codes = new long[(maxX - minX + 1) * (maxY - minY + 1)];
        int n = 0;
        for (int x = minX; x <= maxX; x++) {
            for (int y = minY; y <= maxY; y++) {
                codes[n++] = ZOrder.interleave(x, y);
            }
        }
        Arrays.sort(codes);
        List<KeyInterval> intervals = new ArrayList<>();
        long low = codes[0];
        for (int i = 1; i <= n; i++) {
            if (i == n || codes[i] != codes[i - 1] + 1) {
                intervals.add(new KeyInterval(low, codes[i - 1]));
                low = i < n ? codes[i] : 0;
            }
        }
        return intervals;
    }

    private static long codes(List<KeyInterval> intervals) {
        return intervals.stream().mapToLong(i -> i.high() - i.low() + 1).sum();
    }

    private static long smallestGaps(List<KeyInterval> exact, int count) {
        long[] gaps = new long[exact.size() - 1];
        for (int i = 0; i < gaps.length; i++) {
            gaps[i] = exact.get(i + 1).low() - exact.get(i).high() - 1;
        }
        return Arrays.stream(gaps).sorted().limit(count).sum();
    }
}
