package io.waterwheel.sql.duckdb;

import io.waterwheel.geo.Box;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.locationtech.jts.geom.Envelope;
import org.locationtech.jts.index.strtree.STRtree;

/**
 * The regions of the statements that are being answered: of each table of regions an R-tree over their bounds, which
 * finds those that a position may lie in, and the exact test. All together have a bound in bytes. Thread-safe.
 */
final class RegionTables {
    /** Of the process's heap of 384 MB. */
    static final long MOST_BYTES = 128 << 20;
    /** Of one statement. */
    static final int MOST_TABLES = 1024;
    /** Of a region in the tree. */
    private static final long ENTRY_BYTES = 300;

    private final Map<Long, Table> tables = new ConcurrentHashMap<>();
    private final AtomicLong bytes = new AtomicLong();
    private final AtomicLong nextId = new AtomicLong();
    private final long mostBytes;

    RegionTables(long mostBytes) {
        this.mostBytes = mostBytes;
    }

    /** A text is no shape. */
    static final class NoShape extends RuntimeException {
        private static final long serialVersionUID = 1;

        NoShape(String message, Throwable cause) {
            super(message, cause);
        }
    }

    /** Shapes need more than they may take together. */
    static final class TooLarge extends RuntimeException {
        private static final long serialVersionUID = 1;

        TooLarge(String message) {
            super(message);
        }
    }

    /** One of the boxes that hold a region, which has a number. */
    private record Bound(long number, ShapeTexts.Region region, List<Box> all, int place) {
        /** Whether no box before it holds the position: boxes may overlap. */
        boolean isFirst(double longitude, double latitude) {
            for (int before = 0; before < place; before++) {
                if (all.get(before).contains(longitude, latitude)) {
                    return false;
                }
            }
            return true;
        }
    }

    /** Regions that positions are looked up in. Filled by one thread, then asked by any. */
    static final class Table {
        private final RegionTables owner;
        private final STRtree tree = new STRtree();
        private long held;
        private volatile boolean ended;

        private Table(RegionTables owner) {
            this.owner = owner;
        }

        /**
         * Adds a region.
         *
         * @throws NoShape when the text is none
         * @throws TooLarge when all regions take too much
         */
        void add(long number, String text) {
            if (ended) {
                throw new IllegalStateException("nothing more is wanted of these regions");
            }
            ShapeTexts.Region region;
            try {
                region = ShapeTexts.made(text);
            } catch (IllegalArgumentException e) {
                String begin = text.length() <= 40 ? text : text.substring(0, 40) + "...";
                throw new NoShape(e.getMessage() + "; in the shape '" + begin + "'", e);
            }
            List<Box> bounds = region.bounds();
            long taken = region.bytes() + bounds.size() * ENTRY_BYTES;
            held += taken;
            if (owner.bytes.addAndGet(taken) > owner.mostBytes) {
                throw new TooLarge("the shapes of all joins take more than " + owner.mostBytes
                        + " bytes; join with fewer at a time");
            }
            for (int place = 0; place < bounds.size(); place++) {
                Box box = bounds.get(place);
                tree.insert(
                        new Envelope(box.west(), box.east(), box.south(), box.north()),
                        new Bound(number, region, bounds, place));
            }
        }

        /** No more regions come. */
        void build() {
            tree.build();
        }

        /** The numbers of the regions that a position lies in. */
        List<Long> found(double longitude, double latitude) {
            if (ended) {
                throw new IllegalStateException("nothing more is wanted of these regions");
            }
            List<Long> found = new ArrayList<>(2);
            if (!Double.isNaN(longitude) && !Double.isNaN(latitude)) {
                tree.query(new Envelope(longitude, longitude, latitude, latitude), item -> {
                    Bound bound = (Bound) item;
                    if (bound.isFirst(longitude, latitude) && bound.region().contains(longitude, latitude)) {
                        found.add(bound.number());
                    }
                });
            }
            return found;
        }

        boolean holds(double longitude, double latitude) {
            return !found(longitude, latitude).isEmpty();
        }

        /** Threads that look positions up, or add regions, end soon. */
        void end() {
            ended = true;
        }
    }

    /** As many ids as a statement may have tables, the first of them. */
    long ids() {
        return nextId.getAndAdd(MOST_TABLES);
    }

    /** An empty table, which counts from its first region on. */
    Table open(long id) {
        Table table = new Table(this);
        tables.put(id, table);
        return table;
    }

    /** The table of an id that was opened. */
    Table get(long id) {
        Table table = tables.get(id);
        if (table == null) {
            throw new IllegalStateException("there are no regions " + id);
        }
        return table;
    }

    void close(long id) {
        Table table = tables.remove(id);
        if (table != null) {
            bytes.addAndGet(-table.held);
        }
    }
}
