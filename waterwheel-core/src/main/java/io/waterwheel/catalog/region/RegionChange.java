package io.waterwheel.catalog.region;

import static io.waterwheel.catalog.region.RegionNode.*;

import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * One insertion or deletion: makes a new root that shares all nodes off its paths with the old one. Entries that leave
 * a node on the way wait here until they have a new place. One thread, one change.
 */
final class RegionChange {
    /** Share of a full node's entries that try again elsewhere: three of ten, the best by [Beckmann 1990]. */
    private static final int AGAIN = MAX * 3 / 10;

    /** Something that needs a place in a node of a level. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Homeless(long[] area, Object item, int level) {}

    /** What became of a node: itself changed, and a second one when it had to be divided. */
    private record Grown(RegionNode node, @Nullable RegionNode sibling) {}

    private final ArrayDeque<Homeless> homeless = new ArrayDeque<>();
    /** By level, whether entries of a full node have tried again: the next time a node is divided. */
    private final boolean[] triedAgain = new boolean[Long.SIZE];

    private RegionNode root;

    private RegionChange(RegionNode root) {
        this.root = root;
    }

    /** The root after a value was added. */
    static RegionNode insert(RegionNode root, long[] area, Object value) {
        RegionChange change = new RegionChange(root);
        change.homeless.add(new Homeless(area, value, 0));
        change.settle();
        return change.root;
    }

    /** The root after one entry of this area and value was removed, or null when there is none. */
    static @Nullable RegionNode delete(RegionNode root, long[] area, Object value) {
        RegionChange change = new RegionChange(root);
        RegionNode left = change.remove(root, area, value);
        if (left == null) {
            return null;
        }
        change.root = left;
        while (change.root.level() > 0 && change.root.count() == 1) {
            change.root = change.root.child(0);
        }
        if (change.root.level() > 0 && change.root.count() == 0) {
            change.root = EMPTY;
        }
        change.settle();
        return change.root;
    }

    private void settle() {
        Homeless next;
        while ((next = homeless.poll()) != null) {
            if (next.level() > root.level()) {
                // The tree has become lower than the node that its entries come from: they go on their own.
                RegionNode node = (RegionNode) next.item();
                for (int item = 0; item < node.count(); item++) {
                    homeless.add(new Homeless(node.boundsOf(item), node.items()[item], node.level()));
                }
                continue;
            }
            Grown grown = put(root, next, true);
            root = grown.node();
            if (grown.sibling() != null) {
                RegionNode above = new RegionNode(root.level() + 1, new long[0], new Object[0]);
                root = above.plus(grown.node().span(), grown.node())
                        .plus(grown.sibling().span(), grown.sibling());
            }
        }
    }

    private Grown put(RegionNode node, Homeless what, boolean isRoot) {
        RegionNode grown;
        if (node.level() == what.level()) {
            grown = node.plus(what.area(), what.item());
        } else {
            int child = RegionHeuristics.child(node, what.area());
            Grown below = put(node.child(child), what, false);
            grown = node.replace(child, below.node().span(), below.node());
            if (below.sibling() != null) {
                grown = grown.plus(below.sibling().span(), below.sibling());
            }
        }
        if (grown.count() <= MAX) {
            return new Grown(grown, null);
        }
        if (!isRoot && !triedAgain[grown.level()]) {
            triedAgain[grown.level()] = true;
            int[] order = RegionHeuristics.farthestFirst(grown);
            for (int i = AGAIN - 1; i >= 0; i--) {
                homeless.add(new Homeless(grown.boundsOf(order[i]), grown.items()[order[i]], grown.level()));
            }
            return new Grown(grown.select(order, AGAIN, order.length), null);
        }
        RegionNode[] halves = RegionHeuristics.split(grown);
        return new Grown(halves[0], halves[1]);
    }

    /** The node without the entry, or null when it is not in it. */
    private @Nullable RegionNode remove(RegionNode node, long[] area, Object value) {
        for (int item = 0; item < node.count(); item++) {
            if (node.level() == 0) {
                if (node.equals(item, area) && node.items()[item].equals(value)) {
                    return node.without(item);
                }
            } else if (node.encloses(item, area)) {
                RegionNode below = remove(node.child(item), area, value);
                if (below != null) {
                    if (below.count() >= MIN) {
                        return node.replace(item, below.span(), below);
                    }
                    for (int orphan = 0; orphan < below.count(); orphan++) {
                        homeless.add(new Homeless(below.boundsOf(orphan), below.items()[orphan], below.level()));
                    }
                    return node.without(item);
                }
            }
        }
        return null;
    }
}
