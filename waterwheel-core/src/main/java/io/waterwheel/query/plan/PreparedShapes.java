package io.waterwheel.query.plan;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.waterwheel.geo.Box;
import io.waterwheel.geo.Polygon;
import io.waterwheel.geo.Shape;
import io.waterwheel.key.Area;
import io.waterwheel.key.ZOrder;
import io.waterwheel.tuple.KeyInterval;
import java.time.Duration;
import java.util.List;
import java.util.Objects;

/**
 * Shapes made ready for asking. To check a polygon of many corners and to find its keys takes seconds, and every plan
 * of a query and every subquery needs it: the last few are kept for the process, for a minute after their last use.
 * Thread-safe. A thread that asks for a shape that another thread prepares waits for it, also past its deadline.
 */
final class PreparedShapes {
    /**
     * Most characters of all polygons that are kept, so that the largest that may be asked for fits twice. One takes
     * some sixty times its text, with its grid.
     */
    private static final long MOST_CHARACTERS = 1 << 20;

    /** Below that it costs no more to prepare one than to look it up. */
    private static final int FEWEST_CHARACTERS = 1 << 10;

    private static final Duration KEPT = Duration.ofMinutes(1);

    /**
     * Most intervals that cover a shape: enough that the exact test on positions throws away little, few enough to be
     * tested on every row.
     */
    private static final int INTERVALS = 64;

    private static final Cache<Asked, Prepared> POLYGONS = Caffeine.newBuilder()
            .maximumWeight(MOST_CHARACTERS)
            .weigher((Asked asked, Prepared prepared) ->
                    ((Polygon) asked.shape()).wkt().length())
            .expireAfterAccess(KEPT)
            .build();

    private PreparedShapes() {}

    private record Asked(Shape shape, Box domain) {}

    /**
     * A shape, ready.
     *
     * @param keys sorted and disjoint; hold the key of every position in the shape
     */
    record Prepared(Area area, List<KeyInterval> keys) {}

    /**
     * Makes a shape ready, or finds it.
     *
     * @param domain of the stream's positions
     * @throws IllegalArgumentException when a polygon's text is no valid polygon; the message says where
     */
    static Prepared of(Shape shape, Box domain) {
        Asked asked = new Asked(shape, domain);
        return shape instanceof Polygon polygon && polygon.wkt().length() >= FEWEST_CHARACTERS
                ? Objects.requireNonNull(POLYGONS.get(asked, PreparedShapes::prepare))
                : prepare(asked);
    }

    private static Prepared prepare(Asked asked) {
        Area area = Area.of(asked.shape());
        return new Prepared(area, area.intervals(new ZOrder(asked.domain()), INTERVALS));
    }
}
