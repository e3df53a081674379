package io.waterwheel.catalog.region;

import static io.waterwheel.catalog.region.RegionNode.*;

import java.util.Arrays;

/**
 * The choices of the R*-tree: where an entry goes, how a full node is divided, which entries try again elsewhere. They
 * decide how fast a search is, never what it finds; so they may compute in doubles, in which no width or area of 64-bit
 * bounds overflows.
 */
final class RegionHeuristics {
    /* After [Beckmann 1990]. Keys and times have different units, so where sides are added up each is taken as a part
     * of the node's own side. */

    private RegionHeuristics() {}

    /** Width of a side, at least 1: a region of one key or one moment has an area too. */
    private static double side(long low, long high) {
        return (double) high - (double) low + 1;
    }

    private static double area(long[] bounds, int at) {
        return side(bounds[at + LOW_KEY], bounds[at + HIGH_KEY]) * side(bounds[at + FROM_TIME], bounds[at + TO_TIME]);
    }

    private static double unionArea(long[] a, int at, long[] b, int bt) {
        return side(Math.min(a[at + LOW_KEY], b[bt + LOW_KEY]), Math.max(a[at + HIGH_KEY], b[bt + HIGH_KEY]))
                * side(Math.min(a[at + FROM_TIME], b[bt + FROM_TIME]), Math.max(a[at + TO_TIME], b[bt + TO_TIME]));
    }

    private static double overlap(long lowKey, long highKey, long fromTime, long toTime, long[] b, int bt) {
        long low = Math.max(lowKey, b[bt + LOW_KEY]);
        long high = Math.min(highKey, b[bt + HIGH_KEY]);
        long from = Math.max(fromTime, b[bt + FROM_TIME]);
        long to = Math.min(toTime, b[bt + TO_TIME]);
        return low > high || from > to ? 0 : side(low, high) * side(from, to);
    }

    /** The child that an entry of this area should go to. */
    static int child(RegionNode node, long[] area) {
        int best = 0;
        double bestOverlap = Double.MAX_VALUE;
        double bestGrowth = Double.MAX_VALUE;
        double bestArea = Double.MAX_VALUE;
        for (int item = 0; item < node.count(); item++) {
            double now = area(node.bounds(), item * SIDES);
            double growth = unionArea(node.bounds(), item * SIDES, area, 0) - now;
            // What overlaps is read by many searches: above the leaves it hardly matters, and costs a square.
            double more = node.level() == 1 && growth <= bestGrowth * 4 ? moreOverlap(node, item, area) : 0;
            if (node.level() == 1 && growth > bestGrowth * 4) {
                continue;
            }
            if (more < bestOverlap
                    || (more == bestOverlap && (growth < bestGrowth || (growth == bestGrowth && now < bestArea)))) {
                best = item;
                bestOverlap = more;
                bestGrowth = growth;
                bestArea = now;
            }
        }
        return best;
    }

    private static double moreOverlap(RegionNode node, int item, long[] area) {
        long[] bounds = node.bounds();
        int at = item * SIDES;
        if (node.encloses(item, area)) {
            return 0;
        }
        long low = Math.min(bounds[at + LOW_KEY], area[LOW_KEY]);
        long high = Math.max(bounds[at + HIGH_KEY], area[HIGH_KEY]);
        long from = Math.min(bounds[at + FROM_TIME], area[FROM_TIME]);
        long to = Math.max(bounds[at + TO_TIME], area[TO_TIME]);
        double more = 0;
        for (int other = 0; other < node.count(); other++) {
            if (other != item) {
                more += overlap(low, high, from, to, bounds, other * SIDES)
                        - overlap(
                                bounds[at + LOW_KEY],
                                bounds[at + HIGH_KEY],
                                bounds[at + FROM_TIME],
                                bounds[at + TO_TIME],
                                bounds,
                                other * SIDES);
            }
        }
        return more;
    }

    /** Items in descending distance of their centres from the node's. */
    static int[] farthestFirst(RegionNode node) {
        long[] span = node.span();
        double keySide = side(span[LOW_KEY], span[HIGH_KEY]);
        double timeSide = side(span[FROM_TIME], span[TO_TIME]);
        double[] distance = new double[node.count()];
        for (int item = 0; item < node.count(); item++) {
            int at = item * SIDES;
            double key = (centre(node.bounds(), at + LOW_KEY) - centre(span, LOW_KEY)) / keySide;
            double time = (centre(node.bounds(), at + FROM_TIME) - centre(span, FROM_TIME)) / timeSide;
            distance[item] = -(key * key + time * time);
        }
        return sorted(distance);
    }

    private static double centre(long[] bounds, int low) {
        return (double) bounds[low] / 2 + (double) bounds[low + 1] / 2;
    }

    /** Indexes in ascending order of their values; equal ones keep their order. */
    private static int[] sorted(double[] values) {
        int[] order = new int[values.length];
        for (int i = 0; i < values.length; i++) {
            int at = i;
            while (at > 0 && values[order[at - 1]] > values[i]) {
                order[at] = order[at - 1];
                at--;
            }
            order[at] = i;
        }
        return order;
    }

    /** Divides a node that is too full in two. */
    static RegionNode[] split(RegionNode node) {
        long[] span = node.span();
        double keySide = side(span[LOW_KEY], span[HIGH_KEY]);
        double timeSide = side(span[FROM_TIME], span[TO_TIME]);
        int[][] orders = new int[SIDES][];
        double[] margins = new double[2];
        double[][] overlaps = new double[SIDES][];
        double[][] areas = new double[SIDES][];
        int ways = node.count() - 2 * MIN + 1;
        for (int by = 0; by < SIDES; by++) {
            double[] values = new double[node.count()];
            for (int item = 0; item < node.count(); item++) {
                values[item] = node.bounds()[item * SIDES + by];
            }
            int[] order = sorted(values);
            orders[by] = order;
            overlaps[by] = new double[ways];
            areas[by] = new double[ways];
            long[][] left = spans(node, order, false);
            long[][] right = spans(node, order, true);
            for (int way = 0; way < ways; way++) {
                long[] a = left[MIN + way - 1];
                long[] b = right[MIN + way];
                margins[by / 2] += side(a[LOW_KEY], a[HIGH_KEY]) / keySide
                        + side(a[FROM_TIME], a[TO_TIME]) / timeSide
                        + side(b[LOW_KEY], b[HIGH_KEY]) / keySide
                        + side(b[FROM_TIME], b[TO_TIME]) / timeSide;
                overlaps[by][way] = overlap(a[LOW_KEY], a[HIGH_KEY], a[FROM_TIME], a[TO_TIME], b, 0);
                areas[by][way] = area(a, 0) + area(b, 0);
            }
        }
        int axis = margins[0] < margins[1] ? 0 : 2;
        int bestBy = axis;
        int bestWay = 0;
        for (int by = axis; by < axis + 2; by++) {
            for (int way = 0; way < ways; way++) {
                double better = overlaps[by][way] - overlaps[bestBy][bestWay];
                if (better < 0 || (better == 0 && areas[by][way] < areas[bestBy][bestWay])) {
                    bestBy = by;
                    bestWay = way;
                }
            }
        }
        int[] order = orders[bestBy];
        int cut = MIN + bestWay;
        return new RegionNode[] {node.select(order, 0, cut), node.select(order, cut, order.length)};
    }

    /** The rectangles around the items of the order up to each place, or from each place on. */
    private static long[][] spans(RegionNode node, int[] order, boolean fromEnd) {
        int count = order.length;
        long[][] spans = new long[count][];
        for (int i = 0; i < count; i++) {
            int place = fromEnd ? count - 1 - i : i;
            int at = order[place] * SIDES;
            if (i == 0) {
                spans[place] = Arrays.copyOfRange(node.bounds(), at, at + SIDES);
            } else {
                long[] span = spans[fromEnd ? place + 1 : place - 1].clone();
                grow(span, node.bounds(), at);
                spans[place] = span;
            }
        }
        return spans;
    }
}
