package io.waterwheel.ingest;

import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;

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

    public void addAll(OffsetRanges other) {
        other.ranges.forEach(this::add);
    }

    public boolean contains(long offset) {
        Map.Entry<Long, Long> below = ranges.floorEntry(offset);
        return below != null && offset < below.getValue();
    }

    /** Where the range begins that holds the offset, or ends at it; the offset itself when there is none. */
    long startOf(long offset) {
        Map.Entry<Long, Long> below = ranges.floorEntry(offset);
        return below != null && offset <= below.getValue() ? below.getKey() : offset;
    }

    /** Number of ranges. */
    public int size() {
        return ranges.size();
    }

    /** Every range, ascending. */
    public void forEach(BiConsumer<Long, Long> range) {
        ranges.forEach(range);
    }

    @Override
    public String toString() {
        return ranges.toString();
    }
}
