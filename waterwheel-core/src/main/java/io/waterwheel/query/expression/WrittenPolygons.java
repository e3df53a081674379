package io.waterwheel.query.expression;

import io.waterwheel.geo.Polygon;
import io.waterwheel.key.Area;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Polygons that expressions write, made ready for asking. An expression is compiled for each chunk, and a polygon takes
 * up to some 50 ms: those that were asked for last are kept for the process. Their texts are short, so that neither the
 * time nor what those in use take beside {@code query.memory} is much. Thread-safe; no thread waits for another's.
 */
final class WrittenPolygons {
    /** Most that those kept may take. */
    private static final long KEPT_BYTES = 32 << 20;
    /** What the entry itself takes, in bytes. */
    private static final long ENTRY_BYTES = 200;

    /** In the order of their last use. */
    private static final Map<String, Area> KEPT = new LinkedHashMap<>(16, 0.75f, true);

    private static long keptBytes;

    private WrittenPolygons() {}

    /**
     * The polygon of a well-known text.
     *
     * @throws IllegalArgumentException when it is no valid polygon, or too long; the message says where
     */
    static Area of(String wkt) {
        if (wkt.length() > ExpressionTypes.MOST_POLYGON_CHARACTERS) {
            throw new IllegalArgumentException(
                    "polygon: expected at most " + ExpressionTypes.MOST_POLYGON_CHARACTERS + " characters, got "
                            + wkt.length() + "; of the key's position longer ones may be asked, by --polygon");
        }
        Area known = kept(wkt);
        if (known != null) {
            return known;
        }
        Area made = Area.of(new Polygon(wkt));
        keep(wkt, made);
        return made;
    }

    private static synchronized @Nullable Area kept(String wkt) {
        return KEPT.get(wkt);
    }

    private static synchronized void keep(String wkt, Area area) {
        if (KEPT.putIfAbsent(wkt, area) == null) {
            keptBytes += bytes(wkt, area);
        }
        for (Iterator<Map.Entry<String, Area>> eldest = KEPT.entrySet().iterator(); keptBytes > KEPT_BYTES; ) {
            Map.Entry<String, Area> gone = eldest.next();
            keptBytes -= bytes(gone.getKey(), gone.getValue());
            eldest.remove();
        }
    }

    private static long bytes(String wkt, Area area) {
        return area.bytes() + wkt.length() + ENTRY_BYTES;
    }
}
