package io.waterwheel.ingest.source;

import java.util.Map;
import java.util.TreeMap;

/** A set of offsets, kept as ranges [from, to) that do not touch. Not thread-safe. */
public final class OffsetRanges {
    /** From, to. */
    private final TreeMap<Long, Long> ranges = new TreeMap<>();

    /** Adds a range; without effect when it is empty. */
    public void add(long from, long to) {
        if (from >= to) {
            return;
        }
        long low = from;
        long high = to;
        Map.Entry<Long, Long> below = ranges.floorEntry(from);
        if (below != null && below.getValue() >= from) {
            low = below.getKey();
            high = Math.max(high, below.getValue());
        }
        Map.Entry<Long, Long> next = ranges.ceilingEntry(low);
        while (next != null && next.getKey() <= high) {
            high = Math.max(high, next.getValue());
            ranges.remove(next.getKey());
            next = ranges.ceilingEntry(low);
        }
        ranges.put(low, high);
    }

    public boolean contains(long offset) {
        Map.Entry<Long, Long> below = ranges.floorEntry(offset);
        return below != null && offset < below.getValue();
    }

    /** Number of ranges. */
    public int size() {
        return ranges.size();
    }

    @Override
    public String toString() {
        return ranges.toString();
    }
}
