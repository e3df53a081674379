package io.waterwheel.catalog.region;

import static io.waterwheel.catalog.region.RegionNode.*;

import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.Region;
import io.waterwheel.tuple.TimeInterval;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * An R*-tree over regions, exact on 64-bit keys and times. Immutable: {@link #with} and {@link #without} return a new
 * index that shares all nodes but those on the paths they changed, so every index is a snapshot that keeps answering.
 *
 * <p>Adding or removing an entry costs O(log n) nodes of 32 entries; loading n entries at once two sorts; a search
 * visits the nodes that overlap.
 *
 * @param <T> what a region stands for; {@code equals} tells entries of one region apart
 */
public final class RegionIndex<T> {
    /* Bulk loading by sort-tile-recursive (STR) [Leutenegger 1997]. */

    /** One region and what it stands for. */
    public record Entry<T>(Region region, T value) {}

    /** Entries that a loaded node has: room for some more before it must be divided. */
    private static final int LOADED = MAX * 7 / 8;

    /** A load is cheaper than insertions when at least one entry in this number is new. */
    private static final int LOAD_PART = 4;

    private final RegionNode root;
    private final int size;

    private RegionIndex(RegionNode root, int size) {
        this.root = root;
        this.size = size;
    }

    public static <T> RegionIndex<T> empty() {
        return new RegionIndex<>(EMPTY, 0);
    }

    /** An index of these entries, loaded at once. */
    public static <T> RegionIndex<T> of(List<Entry<T>> entries) {
        if (entries.isEmpty()) {
            return empty();
        }
        Object[] items = new Object[entries.size()];
        long[][] areas = new long[items.length][];
        for (int i = 0; i < items.length; i++) {
            items[i] = entries.get(i).value();
            areas[i] = bounds(entries.get(i).region());
        }
        int level = 0;
        RegionNode[] nodes = pack(level, areas, items);
        while (nodes.length > 1) {
            areas = new long[nodes.length][];
            for (int i = 0; i < nodes.length; i++) {
                areas[i] = nodes[i].span();
            }
            nodes = pack(++level, areas, nodes);
        }
        return new RegionIndex<>(nodes[0], entries.size());
    }

    RegionNode root() {
        return root;
    }

    public int size() {
        return size;
    }

    /** The smallest region that holds all entries; empty when there is none. */
    public Optional<Region> span() {
        if (size == 0) {
            return Optional.empty();
        }
        long[] span = root.span();
        return Optional.of(Region.of(span[LOW_KEY], span[HIGH_KEY], span[FROM_TIME], span[TO_TIME]));
    }

    /** An index with these entries too. */
    public RegionIndex<T> with(List<Entry<T>> more) {
        if (more.size() >= MAX && more.size() >= size / LOAD_PART) {
            List<Entry<T>> all = entries();
            all.addAll(more);
            return of(all);
        }
        RegionNode next = root;
        for (Entry<T> entry : more) {
            next = RegionChange.insert(next, bounds(entry.region()), entry.value());
        }
        return new RegionIndex<>(next, size + more.size());
    }

    /** An index without one entry equal to this; this index itself when there is none. */
    public RegionIndex<T> without(Entry<T> entry) {
        RegionNode next = RegionChange.delete(root, bounds(entry.region()), entry.value());
        return next == null ? this : new RegionIndex<>(next, size - 1);
    }

    /** Calls back for the value of every entry whose region overlaps, in no particular order. */
    public void search(Region region, Consumer<T> hit) {
        search(root, bounds(region), hit);
    }

    private void search(RegionNode node, long[] area, Consumer<T> hit) {
        for (int item = 0; item < node.count(); item++) {
            if (node.overlaps(item, area)) {
                if (node.level() == 0) {
                    hit.accept(value(node, item));
                } else {
                    search(node.child(item), area, hit);
                }
            }
        }
    }

    /**
     * Calls back for the value of every entry whose times overlap, and whose keys overlap one of some intervals: once
     * for each entry, in no particular order. Time: that of a search around all of the intervals, times the logarithm
     * of their number.
     *
     * @param keys ascending and disjoint
     */
    public void search(List<KeyInterval> keys, TimeInterval times, Consumer<T> hit) {
        if (!keys.isEmpty()) {
            search(root, new Wanted(keys, times), 0, keys.size(), hit);
        }
    }

    /** @param from first of the intervals that the node's keys can meet; {@code to} is behind the last */
    private void search(RegionNode node, Wanted wanted, int from, int to, Consumer<T> hit) {
        long[] bounds = node.bounds();
        for (int item = 0; item < node.count(); item++) {
            int at = item * SIDES;
            if (bounds[at + FROM_TIME] > wanted.toTime || bounds[at + TO_TIME] < wanted.fromTime) {
                continue;
            }
            int first = firstFrom(wanted.highs, bounds[at + LOW_KEY], from, to);
            if (first == to || wanted.lows[first] > bounds[at + HIGH_KEY]) {
                continue;
            }
            if (node.level() == 0) {
                hit.accept(value(node, item));
            } else {
                search(node.child(item), wanted, first, to, hit);
            }
        }
    }

    /** The first place in [from, to) whose number is not below the least; {@code to} when there is none. */
    private static int firstFrom(long[] ascending, long least, int from, int to) {
        int low = from;
        int high = to;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (ascending[middle] < least) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** What a search is for. */
    private static final class Wanted {
        final long[] lows;
        final long[] highs;
        final long fromTime;
        final long toTime;

        Wanted(List<KeyInterval> keys, TimeInterval times) {
            this.lows = keys.stream().mapToLong(KeyInterval::low).toArray();
            this.highs = keys.stream().mapToLong(KeyInterval::high).toArray();
            for (int i = 1; i < lows.length; i++) {
                // The search halves them: what lies between others would be missed without a word.
                if (lows[i] <= highs[i - 1]) {
                    throw new IllegalArgumentException("intervals of keys must ascend and not meet, got " + keys);
                }
            }
            this.fromTime = times.from();
            this.toTime = times.to();
        }
    }

    /** All entries, in no particular order. */
    public List<Entry<T>> entries() {
        List<Entry<T>> all = new ArrayList<>(size);
        collect(root, all);
        return all;
    }

    private void collect(RegionNode node, List<Entry<T>> all) {
        for (int item = 0; item < node.count(); item++) {
            if (node.level() == 0) {
                long[] b = node.boundsOf(item);
                Region region = Region.of(b[LOW_KEY], b[HIGH_KEY], b[FROM_TIME], b[TO_TIME]);
                all.add(new Entry<>(region, value(node, item)));
            } else {
                collect(node.child(item), all);
            }
        }
    }

    @SuppressWarnings("unchecked") // what of, with and load put there
    private T value(RegionNode leaf, int item) {
        return (T) leaf.items()[item];
    }

    private static long[] bounds(Region region) {
        return new long[] {
            region.keys().low(),
            region.keys().high(),
            region.times().from(),
            region.times().to()
        };
    }

    /** Packs items into nodes: slices by time first, then by key within a slice, as chunks are narrow in time. */
    private static RegionNode[] pack(int level, long[][] areas, Object[] items) {
        int count = items.length;
        int nodes = (count + LOADED - 1) / LOADED;
        int slices = (int) Math.ceil(Math.sqrt(nodes));
        Placed[] order = new Placed[count];
        for (int i = 0; i < count; i++) {
            order[i] = new Placed(areas[i], items[i]);
        }
        Arrays.sort(order, Comparator.comparingLong(placed -> placed.middle(FROM_TIME)));
        Comparator<Placed> byKey = Comparator.comparingLong(placed -> placed.middle(LOW_KEY));
        for (int slice = 0; slice < slices; slice++) {
            Arrays.sort(order, at(slice, slices, nodes, count), at(slice + 1, slices, nodes, count), byKey);
        }
        RegionNode[] packed = new RegionNode[nodes];
        for (int node = 0; node < nodes; node++) {
            // Evenly, so that no node has too few: nodes only differ by one item.
            int from = (int) ((long) count * node / nodes);
            int to = (int) ((long) count * (node + 1) / nodes);
            long[] bounds = new long[(to - from) * SIDES];
            Object[] inside = new Object[to - from];
            for (int i = from; i < to; i++) {
                System.arraycopy(order[i].area, 0, bounds, (i - from) * SIDES, SIDES);
                inside[i - from] = order[i].item;
            }
            packed[node] = new RegionNode(level, bounds, inside);
        }
        return packed;
    }

    /** Where a slice begins: where its first node does. */
    private static int at(int slice, int slices, int nodes, int count) {
        return (int) ((long) count * ((long) nodes * slice / slices) / nodes);
    }

    private static final class Placed {
        final long[] area;
        final Object item;

        Placed(long[] area, Object item) {
            this.area = area;
            this.item = item;
        }

        /** About the middle of a side; halves first, so that nothing overflows. */
        long middle(int low) {
            return (area[low] >> 1) + (area[low + 1] >> 1);
        }
    }
}
