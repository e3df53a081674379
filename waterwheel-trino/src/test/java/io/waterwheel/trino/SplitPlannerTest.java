package io.waterwheel.trino;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.trino.SplitPlanner.Area;
import io.waterwheel.trino.SplitPlanner.Part;
import io.waterwheel.trino.SplitPlanner.Piece;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Parts are disjoint and the whole, whatever lies in it: looked at by points on and beside every border. */
final class SplitPlannerTest {
    private static final int SEEDS = Integer.getInteger("seeds", 300);
    private static final long SEED = Long.getLong("seed", 7);

    @Test
    void eachPointIsInOnePart() {
        for (int i = 0; i < SEEDS; i++) {
            Random random = new Random(SEED + i);
            boolean small = random.nextBoolean();
            Area whole = random.nextInt(3) == 0 ? Area.ALL : area(random, small);
            List<Piece> pieces = new ArrayList<>();
            for (int p = random.nextInt(40); p > 0; p--) {
                pieces.add(new Piece(area(random, small), random.nextInt(1000)));
            }
            int most = random.nextInt(1, 60);
            List<Part> parts = SplitPlanner.cut(whole, pieces, random.nextInt(1, 3000), most);
            assertThat(parts).hasSizeBetween(1, most);
            for (long key : values(parts, whole, true)) {
                for (long time : values(parts, whole, false)) {
                    Area point = new Area(key, key, time, time);
                    assertThat(parts.stream().filter(part -> part.area().meets(point)))
                            .as("-Dseed=" + (SEED + i) + " -Dseeds=1: " + point)
                            .hasSize(point.meets(whole) ? 1 : 0);
                }
            }
        }
    }

    @Test
    void partsAreAboutAsLarge() {
        List<Piece> pieces = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            pieces.add(new Piece(new Area(i % 4 * 1000, i % 4 * 1000 + 999, i / 4 * 60, i / 4 * 60 + 59), 100));
        }
        List<Part> parts = SplitPlanner.cut(Area.ALL, pieces, 500, 1000);
        assertThat(parts).hasSizeBetween(20, 45);
        assertThat(parts).allSatisfy(part -> assertThat(part.bytes()).isBetween(100.0, 500.0));
        assertThat(parts.stream().mapToDouble(Part::bytes).sum()).isBetween(9_999.0, 10_001.0);
    }

    @Test
    void whatLiesInOnePointIsNotCut() {
        Piece point = new Piece(new Area(5, 5, 7, 7), 1e12);
        assertThat(SplitPlanner.cut(Area.ALL, List.of(point, point), 1, 100))
                .hasSize(1)
                .allSatisfy(part -> assertThat(part.area()).isEqualTo(Area.ALL));
    }

    private static Area area(Random random, boolean small) {
        long[] keys = two(random, small);
        long[] times = two(random, small);
        return new Area(keys[0], keys[1], times[0], times[1]);
    }

    private static long[] two(Random random, boolean small) {
        long a = value(random, small);
        long b = value(random, small);
        return new long[] {Math.min(a, b), Math.max(a, b)};
    }

    private static long value(Random random, boolean small) {
        return switch (random.nextInt(12)) {
            case 0 -> Long.MIN_VALUE;
            case 1 -> Long.MAX_VALUE;
            default -> small ? random.nextInt(20) : random.nextLong();
        };
    }

    /** Bounds, and what is beside them. */
    private static List<Long> values(List<Part> parts, Area whole, boolean byKey) {
        List<Long> values = new ArrayList<>(List.of(Long.MIN_VALUE, 0L, Long.MAX_VALUE));
        List<Area> areas = new ArrayList<>(parts.stream().map(Part::area).toList());
        areas.add(whole);
        for (Area area : areas) {
            long low = byKey ? area.lowKey() : area.from();
            long high = byKey ? area.highKey() : area.to();
            values.addAll(List.of(low, high, low - 1, high + 1));
        }
        return values.stream().distinct().toList();
    }
}
