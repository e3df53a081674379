package io.waterwheel.key;

import java.util.Arrays;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.locationtech.jts.algorithm.RobustLineIntersector;
import org.locationtech.jts.geom.Coordinate;
import org.locationtech.jts.geom.CoordinateSequence;
import org.locationtech.jts.geom.Geometry;
import org.locationtech.jts.geom.LinearRing;
import org.locationtech.jts.geom.Polygon;

/**
 * Whether polygons are valid by the rules of OGC Simple Features: rings do not cross or touch themselves, touch each
 * other in single points only, holes lie in their shells, shells in no other polygon, and the interior of each polygon
 * is one piece. Takes O(n log n) for n corners, however they lie. Every decision is one of JTS's orientation test.
 */
final class PolygonCheck {
    /* One sweep over the corners from left to right, those above each other upwards, with the edges that the sweep line
     * meets in their order (Shamos and Hoey). Up to the first crossing that order is right, and the two edges that
     * cross there are neighbours before it. At each corner: the edges that end there or pass through are taken out, those
     * that go on from there are put in. More than one passage through a point is a touch: the passages must be of
     * different rings, and those of one must lie on one side of any other. The edge below a ring's first corner says
     * which ring it lies in. Rings that touch make a graph of each polygon: a circle in it cuts the interior in two. */

    private static final int NONE = -1;
    /** About what an orientation test takes, in nanoseconds. */
    private static final long TURN_COST = 50;

    private static final long BYTES_PER_CORNER = 100;

    /**
     * What is wrong first, and about where.
     *
     * @param what in JTS's words
     */
    record Fault(String what, double x, double y) {}

    private final LongConsumer spend;

    /* Corners: the edge of the same number goes from it to the next of its ring. */
    private final double[] x;
    private final double[] y;
    private final int[] next;
    private final int[] previous;
    private final int[] ring;
    /** The corners of an edge where the sweep meets it first and last. */
    private final int[] from;

    private final int[] to;

    /* Rings: shell and holes of a polygon behind each other. */
    private final int[] polygon;
    private final int[] first;
    private final boolean[] shell;
    private final boolean[] entered;
    private final boolean[] counterclockwise;
    private final int[] parent;
    private final int[] touching;
    /** At which event a ring was met last. */
    private final int[] metAt;
    /** At which event a polygon was met last, and by which ring. */
    private final int[] polygonMetAt;

    private final int[] polygonMetBy;

    /* The edges that the sweep line meets, the lowest first: a treap. */
    private final int[] lower;
    private final int[] upper;
    private final int[] priority;
    private int root = NONE;
    private int splitLow;
    private int splitHigh;

    /* The event: its point, and the edges that come to it and go on from it, in upward order. */
    private double atX;
    private double atY;
    private final int[] ends;
    private int endCount;
    private final int[] starts;
    private int startCount;
    private final int[] merging;
    private final int[] stack;

    private PolygonCheck(int corners, int rings, int polygons, LongConsumer spend) {
        this.spend = spend;
        x = new double[corners];
        y = new double[corners];
        next = new int[corners];
        previous = new int[corners];
        ring = new int[corners];
        from = new int[corners];
        to = new int[corners];
        lower = new int[corners];
        upper = new int[corners];
        priority = new int[corners];
        ends = new int[corners];
        starts = new int[corners + 1];
        merging = new int[corners + 1];
        stack = new int[2 * corners];
        polygon = new int[rings];
        first = new int[rings];
        shell = new boolean[rings];
        entered = new boolean[rings];
        counterclockwise = new boolean[rings];
        parent = new int[rings];
        touching = new int[rings];
        metAt = new int[rings];
        polygonMetAt = new int[polygons];
        polygonMetBy = new int[polygons];
    }

    /**
     * Looks for a fault.
     *
     * @param polygons a polygon or multipolygon of finite coordinates
     * @return null when they are valid
     */
    static @Nullable Fault of(Geometry polygons, Allowance allowance) {
        allowance.memory(BYTES_PER_CORNER * polygons.getNumPoints());
        int rings = 0;
        for (int g = 0; g < polygons.getNumGeometries(); g++) {
            rings += 1 + ((Polygon) polygons.getGeometryN(g)).getNumInteriorRing();
        }
        PolygonCheck check = new PolygonCheck(
                polygons.getNumPoints(), rings, Math.max(1, polygons.getNumGeometries()), allowance::work);
        int corners = 0;
        int count = 0;
        for (int g = 0; g < polygons.getNumGeometries(); g++) {
            Polygon one = (Polygon) polygons.getGeometryN(g);
            for (int hole = -1; hole < one.getNumInteriorRing(); hole++) {
                LinearRing line = hole < 0 ? one.getExteriorRing() : one.getInteriorRingN(hole);
                if (line.isEmpty()) {
                    continue;
                }
                int end = check.add(line.getCoordinateSequence(), corners, count);
                if (end - corners < 3) {
                    Coordinate where = line.getCoordinateN(0);
                    return new Fault("Too few distinct points in geometry component", where.x, where.y);
                }
                check.polygon[count] = g;
                check.first[count] = corners;
                check.shell[count] = hole < 0;
                corners = end;
                count++;
            }
        }
        Fault fault = check.sweep(corners, count);
        return fault != null ? fault : check.nesting(count);
    }

    /** Takes a ring, without corners that repeat the one before; returns where the next begins. */
    private int add(CoordinateSequence corners, int begin, int number) {
        int end = begin;
        for (int c = 0; c + 1 < corners.size(); c++) {
            // A zero has one sign.
            double cornerX = corners.getX(c) + 0.0;
            double cornerY = corners.getY(c) + 0.0;
            if (end == begin || x[end - 1] != cornerX || y[end - 1] != cornerY) {
                x[end] = cornerX;
                y[end] = cornerY;
                end++;
            }
        }
        while (end - begin > 1 && x[end - 1] == x[begin] && y[end - 1] == y[begin]) {
            end--;
        }
        for (int c = begin; c < end; c++) {
            next[c] = c + 1 < end ? c + 1 : begin;
            previous[c] = c > begin ? c - 1 : end - 1;
            ring[c] = number;
        }
        return end;
    }

    private int compare(int one, int other) {
        int byX = Double.compare(x[one], x[other]);
        return byX != 0 ? byX : Double.compare(y[one], y[other]);
    }

    private @Nullable Fault sweep(int corners, int rings) {
        Integer[] order = new Integer[corners];
        ThreadLocalRandom random = ThreadLocalRandom.current();
        for (int c = 0; c < corners; c++) {
            order[c] = c;
            boolean rightwards = compare(c, next[c]) < 0;
            from[c] = rightwards ? c : next[c];
            to[c] = rightwards ? next[c] : c;
            // Drawn, so that no polygon can be made to have a deep tree; nothing that is found depends on it.
            priority[c] = random.nextInt();
        }
        for (int r = 0; r < rings; r++) {
            parent[r] = NONE;
            touching[r] = r;
            metAt[r] = NONE;
        }
        Arrays.fill(polygonMetAt, NONE);
        Arrays.sort(order, (one, other) -> {
            spend.accept(TURN_COST / 5);
            return compare(one, other);
        });
        int begin = 0;
        while (begin < corners) {
            int end = begin + 1;
            while (end < corners && compare(order[begin], order[end]) == 0) {
                end++;
            }
            Fault fault = event(order, begin, end);
            if (fault != null) {
                return fault;
            }
            begin = end;
        }
        return null;
    }

    /** The sweep comes to a point where corners lie. */
    private @Nullable Fault event(Integer[] order, int begin, int end) {
        atX = x[order[begin]];
        atY = y[order[begin]];
        startCount = 0;
        int ending = 0;
        for (int i = begin; i < end; i++) {
            int corner = order[i];
            for (int edge : new int[] {corner, previous[corner]}) {
                if (from[edge] == corner) {
                    starts[startCount++] = edge;
                } else {
                    ending++;
                }
            }
        }
        split(root, false);
        int below = splitLow;
        split(splitHigh, true);
        int above = splitHigh;
        endCount = 0;
        collect(splitLow);
        int passing = NONE;
        for (int i = 0; i < endCount; i++) {
            if (isHere(to[ends[i]])) {
                ending--;
            } else if (passing == NONE) {
                passing = ends[i];
                starts[startCount++] = passing;
            } else {
                return crossing();
            }
        }
        // An edge that ends here and was not found: what is about it is in no order.
        if (ending != 0 || !sortStarts()) {
            return crossing();
        }
        int beneath = last(below);
        if (end - begin > 1 || passing != NONE) {
            Fault fault = touch(begin, passing);
            if (fault != null) {
                return fault;
            }
        }
        enter(beneath, passing);
        int over = first(above);
        Fault crossed = startCount == 0 ? cross(beneath, over) : cross(beneath, starts[0]);
        if (crossed == null && startCount > 0) {
            crossed = cross(starts[startCount - 1], over);
        }
        for (int i = 0; i < startCount; i++) {
            lower[starts[i]] = NONE;
            upper[starts[i]] = NONE;
            below = merge(below, starts[i]);
        }
        root = merge(below, above);
        return crossed;
    }

    private boolean isHere(int corner) {
        return x[corner] == atX && y[corner] == atY;
    }

    private Fault crossing() {
        return new Fault("Self-intersection", atX, atY);
    }

    /** On which side of an edge the event's point lies: positive above. */
    private int side(int edge) {
        return turn(from[edge], to[edge], atX, atY);
    }

    private int turn(int one, int other, double pointX, double pointY) {
        spend.accept(TURN_COST);
        return PolygonGrid.turn(x[one], y[one], x[other], y[other], pointX, pointY);
    }

    /** Sorts what goes on from here upwards; false when two go the same way. */
    private boolean sortStarts() {
        for (int width = 1; width < startCount; width *= 2) {
            for (int begin = 0; begin + width < startCount; begin += 2 * width) {
                int middle = begin + width;
                int end = Math.min(startCount, middle + width);
                System.arraycopy(starts, begin, merging, begin, end - begin);
                int left = begin;
                int right = middle;
                for (int at = begin; at < end; at++) {
                    boolean takeLeft =
                            right == end || (left < middle && turnBetween(merging[left], merging[right]) >= 0);
                    starts[at] = takeLeft ? merging[left++] : merging[right++];
                }
            }
        }
        for (int i = 1; i < startCount; i++) {
            if (turnBetween(starts[i - 1], starts[i]) <= 0) {
                return false;
            }
        }
        return true;
    }

    /** Positive when the second of two edges that go on from here goes above the first. */
    private int turnBetween(int one, int other) {
        spend.accept(TURN_COST);
        return PolygonGrid.turn(atX, atY, x[to[one]], y[to[one]], x[to[other]], y[to[other]]);
    }

    /** More than one passage through a point: corners of it, or an edge on which corners lie. */
    private @Nullable Fault touch(int event, int passing) {
        // Around the point: what goes on from it upwards, then what comes to it downwards.
        int depth = 0;
        for (int i = 0; i < startCount + endCount; i++) {
            int edge = i < startCount ? starts[i] : ends[endCount - 1 - (i - startCount)];
            int passage = edge == passing ? x.length + edge : i < startCount ? from[edge] : to[edge];
            if (depth > 0 && stack[depth - 1] == passage) {
                depth--;
                Fault fault = meet(event, ring[edge]);
                if (fault != null) {
                    return fault;
                }
            } else {
                stack[depth++] = passage;
            }
        }
        return depth == 0 ? null : crossing();
    }

    /** A ring is at the point of an event, where others are. */
    private @Nullable Fault meet(int event, int met) {
        if (metAt[met] == event) {
            return new Fault("Ring Self-intersection", atX, atY);
        }
        metAt[met] = event;
        int of = polygon[met];
        if (polygonMetAt[of] != event) {
            polygonMetAt[of] = event;
            polygonMetBy[of] = met;
            return null;
        }
        int one = group(polygonMetBy[of]);
        int other = group(met);
        if (one == other) {
            return new Fault("Interior is disconnected", atX, atY);
        }
        touching[other] = one;
        return null;
    }

    private int group(int of) {
        int at = of;
        while (touching[at] != at) {
            touching[at] = touching[touching[at]];
            at = touching[at];
        }
        return at;
    }

    /** Rings that begin here: which way they go, and what they lie in. */
    private void enter(int beneath, int passing) {
        for (int i = 0; i < startCount; i++) {
            int edge = starts[i];
            int of = ring[edge];
            if (edge == passing || entered[of]) {
                continue;
            }
            entered[of] = true;
            // The lower of the two: its interior is above.
            counterclockwise[of] = from[edge] == edge;
            int under = i > 0 ? starts[i - 1] : beneath;
            if (under != NONE) {
                boolean within = (from[under] == under) == counterclockwise[ring[under]];
                parent[of] = within ? ring[under] : parent[ring[under]];
            }
        }
    }

    private @Nullable Fault cross(int one, int other) {
        if (one == NONE || other == NONE) {
            return null;
        }
        int a = turn(from[one], to[one], x[from[other]], y[from[other]]);
        int b = turn(from[one], to[one], x[to[other]], y[to[other]]);
        if (a * b >= 0) {
            return null;
        }
        int c = turn(from[other], to[other], x[from[one]], y[from[one]]);
        int d = turn(from[other], to[other], x[to[one]], y[to[one]]);
        if (c * d >= 0) {
            return null;
        }
        RobustLineIntersector point = new RobustLineIntersector();
        point.computeIntersection(at(from[one]), at(to[one]), at(from[other]), at(to[other]));
        Coordinate where = point.getIntersection(0);
        return new Fault("Self-intersection", where.x, where.y);
    }

    private Coordinate at(int corner) {
        return new Coordinate(x[corner], y[corner]);
    }

    private @Nullable Fault nesting(int rings) {
        int outer = NONE;
        for (int r = 0; r < rings; r++) {
            int in = parent[r];
            String what = null;
            if (shell[r]) {
                outer = r;
                what = in != NONE && shell[in] ? "Nested shells" : null;
            } else if (in != outer) {
                what = in != NONE && !shell[in] && polygon[in] == polygon[r]
                        ? "Holes are nested"
                        : "Hole lies outside shell";
            }
            if (what != null) {
                return new Fault(what, x[first[r]], y[first[r]]);
            }
        }
        return null;
    }

    /**
     * Divides a tree at the event's point into {@link #splitLow} and the rest; edges through it are of the low or not.
     */
    private void split(int tree, boolean throughIsLow) {
        if (tree == NONE) {
            splitLow = NONE;
            splitHigh = NONE;
            return;
        }
        int side = side(tree);
        if (side > 0 || (side == 0 && throughIsLow)) {
            split(upper[tree], throughIsLow);
            upper[tree] = splitLow;
            splitLow = tree;
        } else {
            split(lower[tree], throughIsLow);
            lower[tree] = splitHigh;
            splitHigh = tree;
        }
    }

    private int merge(int low, int high) {
        if (low == NONE) {
            return high;
        }
        if (high == NONE) {
            return low;
        }
        if (priority[low] > priority[high]) {
            upper[low] = merge(upper[low], high);
            return low;
        }
        lower[high] = merge(low, lower[high]);
        return high;
    }

    private void collect(int tree) {
        if (tree != NONE) {
            collect(lower[tree]);
            ends[endCount++] = tree;
            collect(upper[tree]);
        }
    }

    private int last(int tree) {
        int at = tree;
        while (at != NONE && upper[at] != NONE) {
            at = upper[at];
        }
        return at;
    }

    private int first(int tree) {
        int at = tree;
        while (at != NONE && lower[at] != NONE) {
            at = lower[at];
        }
        return at;
    }
}
