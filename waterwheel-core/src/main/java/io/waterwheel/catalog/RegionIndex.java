package io.waterwheel.catalog;

import io.waterwheel.model.Region;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;

/**
 * An R-tree over regions, exact on 64-bit keys and times. Immutable: {@link #with} returns a new index that shares what
 * it can, so a snapshot keeps answering while newer ones are made.
 *
 * <p>Most entries lie in a packed tree, filled by sort-tile-recursive; the newest in a short tail that is scanned, and
 * packed in when it exceeds an eighth of the tree. Adding an entry costs O(log n) comparisons amortised times eight; a
 * search visits the nodes that overlap and the tail.
 *
 * @param <T> what a region stands for
 */
public final class RegionIndex<T> {
    /* Packing: Leutenegger, Lopez, Edgington: STR, a simple and efficient algorithm for R-tree packing, 1997. */

    /** One region and what it stands for. */
    public record Entry<T>(Region region, T value) {}

    private static final int FANOUT = 16;
    private static final int MIN_TAIL = 64;

    private final List<Entry<T>> packed;
    /** Bounds of the nodes, level by level from the leaves up; node n of a level covers children n*16 .. n*16+15. */
    private final Region[][] levels;

    private final List<Entry<T>> tail;

    private RegionIndex(List<Entry<T>> packed, Region[][] levels, List<Entry<T>> tail) {
        this.packed = packed;
        this.levels = levels;
        this.tail = tail;
    }

    public static <T> RegionIndex<T> empty() {
        return new RegionIndex<>(List.of(), new Region[0][], List.of());
    }

    public int size() {
        return packed.size() + tail.size();
    }

    /** An index with these entries too. */
    public RegionIndex<T> with(List<Entry<T>> more) {
        if (more.isEmpty()) {
            return this;
        }
        List<Entry<T>> longer = new ArrayList<>(tail.size() + more.size());
        longer.addAll(tail);
        longer.addAll(more);
        if (longer.size() <= Math.max(MIN_TAIL, packed.size() / 8)) {
            return new RegionIndex<>(packed, levels, longer);
        }
        List<Entry<T>> all = new ArrayList<>(packed.size() + longer.size());
        all.addAll(packed);
        all.addAll(longer);
        return pack(all);
    }

    /** Calls back for every entry whose region overlaps, in no particular order. */
    public void search(Region region, Consumer<T> hit) {
        if (levels.length > 0) {
            int top = levels.length - 1;
            for (int node = 0; node < levels[top].length; node++) {
                search(region, top, node, hit);
            }
        }
        for (Entry<T> entry : tail) {
            if (entry.region().overlaps(region)) {
                hit.accept(entry.value());
            }
        }
    }

    private void search(Region region, int level, int node, Consumer<T> hit) {
        if (!levels[level][node].overlaps(region)) {
            return;
        }
        int from = node * FANOUT;
        if (level == 0) {
            int to = Math.min(from + FANOUT, packed.size());
            for (int i = from; i < to; i++) {
                if (packed.get(i).region().overlaps(region)) {
                    hit.accept(packed.get(i).value());
                }
            }
            return;
        }
        int to = Math.min(from + FANOUT, levels[level - 1].length);
        for (int child = from; child < to; child++) {
            search(region, level - 1, child, hit);
        }
    }

    private static <T> RegionIndex<T> pack(List<Entry<T>> entries) {
        int leaves = (entries.size() + FANOUT - 1) / FANOUT;
        int slices = (int) Math.ceil(Math.sqrt(leaves));
        int sliceSize = slices * FANOUT;
        List<Entry<T>> sorted = new ArrayList<>(entries);
        // Chunks are wide in key and narrow in time: slices by time first, then by key within a slice.
        sorted.sort(Comparator.comparingLong(entry -> entry.region().times().from()));
        for (int from = 0; from < sorted.size(); from += sliceSize) {
            sorted.subList(from, Math.min(from + sliceSize, sorted.size()))
                    .sort(Comparator.comparingLong(
                            entry -> entry.region().keys().low()));
        }
        List<Region[]> levels = new ArrayList<>();
        Region[] below = new Region[leaves];
        for (int node = 0; node < leaves; node++) {
            Region bounds = sorted.get(node * FANOUT).region();
            for (int i = node * FANOUT + 1; i < Math.min((node + 1) * FANOUT, sorted.size()); i++) {
                bounds = bounds.span(sorted.get(i).region());
            }
            below[node] = bounds;
        }
        levels.add(below);
        while (below.length > FANOUT) {
            Region[] above = new Region[(below.length + FANOUT - 1) / FANOUT];
            for (int node = 0; node < above.length; node++) {
                above[node] = Arrays.stream(below, node * FANOUT, Math.min((node + 1) * FANOUT, below.length))
                        .reduce(Region::span)
                        .orElseThrow();
            }
            levels.add(above);
            below = above;
        }
        return new RegionIndex<>(sorted, levels.toArray(Region[][]::new), List.of());
    }
}
