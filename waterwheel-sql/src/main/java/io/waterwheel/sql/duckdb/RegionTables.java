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

    /** Shapes need more than they may take together. */
    static final class TooLarge extends RuntimeException {
        private static final long serialVersionUID = 1;

        TooLarge(String message) {
            super(message);
        }
    }

    /** One region, by its number. */
    private record Numbered(long number, ShapeTexts.Region region) {}

    /** Regions that positions are looked up in. Filled by one thread, then asked by any. */
    static final class Table {
        private final RegionTables owner;
        private final STRtree tree = new STRtree();
        private long held;

        private Table(RegionTables owner) {
            this.owner = owner;
        }

        /**
         * Adds a region.
         *
         * @throws IllegalArgumentException when the text is no shape
         * @throws TooLarge when all regions take too much
         */
        void add(long number, String text) {
            ShapeTexts.Region region = ShapeTexts.made(text);
            List<Box> bounds = region.bounds();
            long taken = region.bytes() + bounds.size() * ENTRY_BYTES;
            held += taken;
            if (owner.bytes.addAndGet(taken) > owner.mostBytes) {
                throw new TooLarge("the shapes of a join take more than " + owner.mostBytes + " bytes");
            }
            Numbered numbered = new Numbered(number, region);
            for (Box box : bounds) {
                tree.insert(new Envelope(box.west(), box.east(), box.south(), box.north()), numbered);
            }
        }

        /** No more regions come. */
        void build() {
            tree.build();
        }

        private List<Long> numbers(double longitude, double latitude) {
            List<Long> found = new ArrayList<>(2);
            if (!Double.isNaN(longitude) && !Double.isNaN(latitude)) {
                tree.query(new Envelope(longitude, longitude, latitude, latitude), item -> {
                    Numbered numbered = (Numbered) item;
                    // Two of its boxes may overlap.
                    if (numbered.region().contains(longitude, latitude) && !found.contains(numbered.number())) {
                        found.add(numbered.number());
                    }
                });
            }
            return found;
        }

        boolean holds(double longitude, double latitude) {
            return !numbers(longitude, latitude).isEmpty();
        }

        /** The numbers of the regions that a position lies in, with commas between. */
        String found(double longitude, double latitude) {
            List<Long> found = numbers(longitude, latitude);
            StringBuilder text = new StringBuilder();
            for (Long number : found) {
                text.append(text.isEmpty() ? "" : ",").append(number);
            }
            return text.toString();
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
