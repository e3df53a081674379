package io.waterwheel.query.expression;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.waterwheel.geo.Polygon;
import io.waterwheel.key.Area;
import java.time.Duration;

/**
 * Polygons that expressions write, made ready for asking. An expression is compiled for each chunk, and a polygon of
 * many corners takes up to half a second: those that were asked for last are kept for the process, until a minute after
 * their last use. Large ones are made ready one after the other. Thread-safe.
 */
final class WrittenPolygons {
    /** Most that those kept may take; the largest that an expression can write takes some 8 MB. */
    private static final long KEPT_BYTES = 32 << 20;

    private static final Duration KEPT = Duration.ofMinutes(1);
    /** From that on it takes some milliseconds. */
    private static final int LARGE_CHARACTERS = 1 << 14;
    /** What the entry itself takes, in bytes. */
    private static final long ENTRY_BYTES = 200;

    private static final Object ONE_LARGE = new Object();
    private static final Cache<String, Area> AREAS = Caffeine.newBuilder()
            .maximumWeight(KEPT_BYTES)
            .weigher((String wkt, Area area) -> (int) (area.bytes() + wkt.length() + ENTRY_BYTES))
            .expireAfterAccess(KEPT)
            .executor(Runnable::run)
            .build();

    private WrittenPolygons() {}

    /**
     * The polygon of a well-known text.
     *
     * @throws IllegalArgumentException when it is no valid polygon; the message says where
     */
    static Area of(String wkt) {
        return AREAS.get(wkt, WrittenPolygons::made);
    }

    private static Area made(String wkt) {
        if (wkt.length() < LARGE_CHARACTERS) {
            return Area.of(new Polygon(wkt));
        }
        synchronized (ONE_LARGE) {
            return Area.of(new Polygon(wkt));
        }
    }
}
