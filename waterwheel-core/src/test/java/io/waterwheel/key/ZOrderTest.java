package io.waterwheel.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.geo.Box;
import io.waterwheel.tuple.LittleEndian;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class ZOrderTest {
    @Test
    void aCodeInterleavesTheBitsOfItsCells() {
        long seed = 3;
        Random random = new Random(seed);
        for (int step = 0; step < 10_000; step++) {
            int x = random.nextInt() & ZOrder.MAX_CELL;
            int y = random.nextInt() & ZOrder.MAX_CELL;
            assertThat(ZOrder.interleave(x, y))
                    .as("seed %s step %s", seed, step)
                    .isEqualTo(naive(x, y));
        }
    }

    @Test
    void theCornersOfTheDomainAreTheFirstAndTheLastCode() {
        ZOrder zOrder = new ZOrder(new Box(-5.5, 0.1, 7.3, 0.3));
        assertThat(zOrder.code(-5.5, 0.1)).isZero();
        assertThat(zOrder.code(7.3, 0.3)).isEqualTo(ZOrder.MAX_CODE);
    }

    @Test
    void cellsNeverFallWhenACoordinateRises() {
        long seed = 5;
        Random random = new Random(seed);
        for (int step = 0; step < 500; step++) {
            double min = random.nextGaussian() * Math.pow(10, random.nextInt(20) - 10);
            double max = min + Math.abs(min) * Math.pow(10, -random.nextInt(14)) + Double.MIN_NORMAL;
            ZOrder zOrder = new ZOrder(new Box(min, 0, max, 1));
            double value = min;
            int cell = 0;
            for (int i = 0; i < 100 && value <= max; i++) {
                int next = zOrder.longitudeCell(value);
                assertThat(next)
                        .as("seed %s step %s value %s", seed, step, value)
                        .isGreaterThanOrEqualTo(cell);
                cell = next;
                value = i % 2 == 0 ? Math.nextUp(value) : value + (max - min) * random.nextDouble() / 20;
            }
            assertThat(zOrder.longitudeCell(max)).isBetween(cell, ZOrder.MAX_CELL);
        }
    }

    @Test
    void aDomainWithoutAFiniteWidthIsRefused() {
        assertThatThrownBy(() -> new ZOrder(new Box(-1e308, 0, 1e308, 1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("finite");
    }

    private static long naive(int x, int y) {
        long code = 0;
        for (int bit = 0; bit < 31; bit++) {
            code |= (long) ((y >>> bit) & 1) << (2 * bit);
            code |= (long) ((x >>> bit) & 1) << (2 * bit + 1);
        }
        return code;
    }

    @Test
    void manyAtOnceAreAsOneByOne() {
        Random random = new Random(5);
        Box domain = new Box(-5.5, 0.1, 7.3, 0.3);
        ZOrder zOrder = new ZOrder(domain);
        for (int count : new int[] {0, 1, 7, 2048}) {
            byte[] longitudes = new byte[count * 8];
            byte[] latitudes = new byte[count * 8];
            long[] expected = new long[count];
            for (int i = 0; i < count; i++) {
                double longitude = i == 1 ? domain.east() : random.nextDouble(domain.west(), domain.east());
                double latitude = i == 2 ? domain.north() : random.nextDouble(domain.south(), domain.north());
                LittleEndian.putLong(longitudes, i * 8, Double.doubleToRawLongBits(longitude));
                LittleEndian.putLong(latitudes, i * 8, Double.doubleToRawLongBits(latitude));
                expected[i] = zOrder.code(longitude, latitude);
            }
            assertThat(zOrder.codes(longitudes, latitudes, count)).isEqualTo(expected);
        }
    }
}
