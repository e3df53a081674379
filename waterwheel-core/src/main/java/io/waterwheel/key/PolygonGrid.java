package io.waterwheel.key;

import io.waterwheel.key.QuadIntervals.Relation;
import java.util.Arrays;
import java.util.BitSet;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.locationtech.jts.algorithm.CGAlgorithmsDD;
import org.locationtech.jts.geom.Coordinate;
import org.locationtech.jts.geom.CoordinateSequence;
import org.locationtech.jts.geom.Geometry;
import org.locationtech.jts.geom.Polygon;

/**
 * A polygon's edges by the cells of a uniform grid over its box, so that a position is compared with those nearby only.
 * Exact: every decision is one of JTS's orientation test. Immutable; any thread.
 */
final class PolygonGrid {
    /* Whether a position lies inside is known for one corner of each cell, the lower right one; from the position a path
     * leads there, level to the cell's right border and along that to the corner, and each edge that it crosses is among
     * those of the cell. So that a path meets neither a vertex nor runs along an edge, the corner and the bend lie a
     * little to the right of the border and a little above its lower end, or above the position, the first of the two
     * being infinitely smaller than the second: where a point lies on an edge's line, that decides on which side it is.
     * On which side the bend is, is asked once of an edge for both legs, so roundings could not make them differ. */

    /** Cells for each edge, and at most. */
    private static final int CELLS_PER_EDGE = 4;

    private static final int MOST_CELLS = 1 << 18;
    private static final int FEWEST_CELLS = 64;
    /** Most entries of all cells: with larger cells an edge is in fewer. */
    private static final long MOST_ENTRIES = 1 << 21;
    /** Largest coordinate: how far a rounding may lead would not be known beyond. */
    static final double MOST_COORDINATE = 1e6;
    /**
     * An edge is in each cell that comes so near to it: more than all roundings together, see {@link #MOST_COORDINATE}.
     */
    private static final double MARGIN = 1e-8;

    /* About what a step takes, in nanoseconds. */
    private static final long CELL_COST = 5;
    private static final long TURN_COST = 50;

    /** Four numbers an edge, from and to, as the rings go. */
    private final double[] edges;

    private final double west;
    private final double south;
    private final double cellWidth;
    private final double cellHeight;
    private final int columns;
    private final int rows;
    /** Where the entries of each cell begin, row by row; those of the next follow. */
    private final int[] starts;

    private final int[] entries;
    /** Whether the corner of a cell is inside. */
    private final BitSet corners;

    private final int longest;

    private PolygonGrid(double[] edges, double[] box, int columns, int rows, long most, Allowance allowance) {
        LongConsumer spend = allowance::work;
        this.edges = edges;
        this.west = box[0];
        this.south = box[1];
        this.columns = columns;
        this.rows = rows;
        this.cellWidth = (box[2] - west) / columns;
        this.cellHeight = (box[3] - south) / rows;
        // Here, and for each cell a count and a bit below.
        allowance.memory(9L * columns * rows);
        this.starts = new int[columns * rows + 1];
        long sum = 0;
        for (int edge = 0; edge < edges.length; edge += 4) {
            sum += visit(edge, null, null, spend);
            if (sum > most) {
                this.entries = new int[0];
                this.corners = new BitSet();
                this.longest = -1;
                return;
            }
        }
        allowance.memory(4 * sum);
        int[] next = new int[columns * rows + 1];
        for (int edge = 0; edge < edges.length; edge += 4) {
            visit(edge, next, null, spend);
        }
        int fullest = 0;
        for (int cell = 0; cell < columns * rows; cell++) {
            starts[cell + 1] = starts[cell] + next[cell];
            fullest = Math.max(fullest, next[cell]);
            next[cell] = starts[cell];
        }
        this.longest = fullest;
        this.entries = new int[(int) sum];
        for (int edge = 0; edge < edges.length; edge += 4) {
            visit(edge, next, entries, spend);
        }
        this.corners = corners(spend);
    }

    /**
     * A grid over the polygons.
     *
     * @param polygons valid, of coordinates up to {@link #MOST_COORDINATE}
     */
    static PolygonGrid of(Geometry polygons, Allowance allowance) {
        allowance.memory(32L * polygons.getNumPoints());
        double[] edges = edges(polygons);
        double[] box = {
            Double.POSITIVE_INFINITY, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, Double.NEGATIVE_INFINITY
        };
        double across = 0;
        double up = 0;
        for (int e = 0; e < edges.length; e += 2) {
            box[0] = Math.min(box[0], edges[e]);
            box[1] = Math.min(box[1], edges[e + 1]);
            box[2] = Math.max(box[2], edges[e]);
            box[3] = Math.max(box[3], edges[e + 1]);
        }
        // The corners of the lowest row lie below the polygons: outside.
        box[1] -= 2 * MARGIN;
        box[2] += MARGIN;
        box[3] += MARGIN;
        for (int e = 0; e < edges.length; e += 4) {
            across += Math.abs(edges[e + 2] - edges[e]) / (box[2] - box[0]);
            up += Math.abs(edges[e + 3] - edges[e + 1]) / (box[3] - box[1]);
        }
        // An edge is in as many cells as it crosses borders, and one: where edges run upwards, narrow cells are best.
        double cells = Math.min(
                (double) MOST_CELLS, Math.max((double) FEWEST_CELLS, (double) CELLS_PER_EDGE * (edges.length >> 2)));
        while (true) {
            double wish = Math.sqrt(cells * Math.max(up, 1e-9) / Math.max(across, 1e-9));
            int columns = (int) Math.max(1, Math.min(cells, wish));
            int rows = (int) Math.max(1, cells / columns);
            PolygonGrid grid = new PolygonGrid(edges, box, columns, rows, MOST_ENTRIES + edges.length, allowance);
            if (grid.longest >= 0) {
                return grid;
            }
            cells = Math.max(1, cells / 4);
        }
    }

    private static double[] edges(Geometry polygons) {
        double[] edges = new double[4 * polygons.getNumPoints()];
        int count = 0;
        for (int g = 0; g < polygons.getNumGeometries(); g++) {
            Polygon polygon = (Polygon) polygons.getGeometryN(g);
            for (int ring = -1; ring < polygon.getNumInteriorRing(); ring++) {
                CoordinateSequence corners =
                        (ring < 0 ? polygon.getExteriorRing() : polygon.getInteriorRingN(ring)).getCoordinateSequence();
                for (int c = 0; c + 1 < corners.size(); c++) {
                    Coordinate from = corners.getCoordinate(c);
                    Coordinate to = corners.getCoordinate(c + 1);
                    if (from.x != to.x || from.y != to.y) {
                        edges[count++] = from.x;
                        edges[count++] = from.y;
                        edges[count++] = to.x;
                        edges[count++] = to.y;
                    }
                }
            }
        }
        return Arrays.copyOf(edges, count);
    }

    private int column(double x) {
        return (int) Math.max(0, Math.min(columns - 1.0, Math.floor((x - west) / cellWidth)));
    }

    private int row(double y) {
        return (int) Math.max(0, Math.min(rows - 1.0, Math.floor((y - south) / cellHeight)));
    }

    /**
     * The cells that an edge touches, and perhaps some beside them; returns how many they are.
     *
     * @param counts of cells, counted up; or null
     * @param into takes the edge at the count of each cell, or null
     */
    private long visit(int edge, int @Nullable [] counts, int @Nullable [] into, LongConsumer spend) {
        double x1 = edges[edge];
        double y1 = edges[edge + 1];
        double dx = edges[edge + 2] - x1;
        double dy = edges[edge + 3] - y1;
        int first = row(Math.min(y1, y1 + dy) - MARGIN);
        int last = row(Math.max(y1, y1 + dy) + MARGIN);
        long cells = 0;
        for (int row = first; row <= last; row++) {
            double from = x1;
            double to = x1 + dx;
            if (dy != 0 && first < last) {
                from = x1 + dx * within((south + row * cellHeight - MARGIN - y1) / dy);
                to = x1 + dx * within((south + (row + 1) * cellHeight + MARGIN - y1) / dy);
            }
            int left = column(Math.min(from, to) - MARGIN);
            int right = column(Math.max(from, to) + MARGIN);
            cells += right - left + 1L;
            spend.accept(CELL_COST * (right - left + 2L));
            for (int cell = row * columns + left; counts != null && cell <= row * columns + right; cell++) {
                if (into != null) {
                    into[counts[cell]] = edge;
                }
                counts[cell]++;
            }
        }
        return cells;
    }

    private static double within(double share) {
        return Math.max(0, Math.min(1, share));
    }

    private double border(int column) {
        return west + (column + 1) * cellWidth;
    }

    private double lower(int row) {
        return south + row * cellHeight;
    }

    private BitSet corners(LongConsumer spend) {
        BitSet inside = new BitSet(columns * rows);
        for (int column = 0; column < columns; column++) {
            double x = border(column);
            boolean now = false;
            for (int row = 0; row < rows; row++) {
                int cell = row * columns + column;
                inside.set(cell, now);
                spend.accept(CELL_COST + TURN_COST * (starts[cell + 1] - starts[cell]));
                for (int i = starts[cell]; i < starts[cell + 1]; i++) {
                    int edge = entries[i];
                    now ^= spans(edges[edge], edges[edge + 2], x)
                            && side(edge, x, lower(row)) != side(edge, x, lower(row + 1));
                }
            }
        }
        return inside;
    }

    /** Whether one of two numbers is above another, and one is not. */
    private static boolean spans(double one, double two, double number) {
        return one > number != two > number;
    }

    /** On which side of an edge's line a point lies that is a little to the right of and above this one. */
    private boolean side(int edge, double x, double y) {
        int turn = turn(edge, x, y);
        if (turn != 0) {
            return turn > 0;
        }
        double dx = edges[edge + 2] - edges[edge];
        return dx != 0 ? dx > 0 : edges[edge + 3] < edges[edge + 1];
    }

    private int turn(int edge, double x, double y) {
        return turn(edges[edge], edges[edge + 1], edges[edge + 2], edges[edge + 3], x, y);
    }

    /** Positive when a point lies left of the line from one to another, negative when right of it, zero when on it. */
    static int turn(double fromX, double fromY, double toX, double toY, double x, double y) {
        return CGAlgorithmsDD.orientationIndex(fromX, fromY, toX, toY, x, y);
    }

    /** Whether the position, which is within the polygons' box, lies in one of them or on its border. */
    boolean holds(double x, double y) {
        int column = column(x);
        int row = row(y);
        int cell = row * columns + column;
        boolean inside = corners.get(cell);
        double border = border(column);
        double lower = lower(row);
        for (int i = starts[cell]; i < starts[cell + 1]; i++) {
            int edge = entries[i];
            double x1 = edges[edge];
            double y1 = edges[edge + 1];
            double x2 = edges[edge + 2];
            double y2 = edges[edge + 3];
            if ((x == x1 && y == y1) || (y == y1 && y == y2 && spans(x1, x2, x))) {
                return true;
            }
            boolean level = spans(y1, y2, y);
            boolean upright = spans(x1, x2, border);
            if (!level && !upright) {
                continue;
            }
            boolean bend = side(edge, border, y);
            if (level) {
                int turn = turn(edge, x, y);
                if (turn == 0) {
                    return true;
                }
                inside ^= turn > 0 != bend;
            }
            if (upright) {
                inside ^= bend != side(edge, border, lower);
            }
        }
        return inside;
    }

    /**
     * How a rectangle lies to the polygons; what only touches a border is {@link Relation#PERHAPS}.
     *
     * @param spend is told of work, in about nanoseconds, and may end it by an exception
     */
    Relation relation(double rectWest, double rectSouth, double rectEast, double rectNorth, LongConsumer spend) {
        int left = column(rectWest - MARGIN);
        int right = column(rectEast + MARGIN);
        int top = row(rectNorth + MARGIN);
        for (int row = row(rectSouth - MARGIN); row <= top; row++) {
            spend.accept(CELL_COST);
            // Cells beside each other have their entries behind each other.
            int end = starts[row * columns + right + 1];
            for (int i = starts[row * columns + left]; i < end; i++) {
                spend.accept(TURN_COST);
                if (meets(entries[i], rectWest, rectSouth, rectEast, rectNorth)) {
                    return Relation.PERHAPS;
                }
            }
        }
        boolean boxed = rectWest >= west
                && rectSouth >= south
                && rectWest <= west + columns * cellWidth
                && rectSouth <= south + rows * cellHeight;
        return boxed && holds(rectWest, rectSouth) ? Relation.WITHIN : Relation.APART;
    }

    /** Whether an edge has a point in the rectangle: unless one of the four sides, or its own line, parts them. */
    private boolean meets(int edge, double rectWest, double rectSouth, double rectEast, double rectNorth) {
        double x1 = edges[edge];
        double y1 = edges[edge + 1];
        double x2 = edges[edge + 2];
        double y2 = edges[edge + 3];
        if (Math.max(x1, x2) < rectWest
                || Math.min(x1, x2) > rectEast
                || Math.max(y1, y2) < rectSouth
                || Math.min(y1, y2) > rectNorth) {
            return false;
        }
        int side = turn(edge, rectWest, rectSouth);
        return side == 0
                || turn(edge, rectWest, rectNorth) != side
                || turn(edge, rectEast, rectSouth) != side
                || turn(edge, rectEast, rectNorth) != side;
    }

    /** What it takes of the heap. */
    long bytes() {
        return 8L * edges.length + 4L * (starts.length + entries.length) + corners.size() / 8 + 200;
    }

    /** Most edges that one position is compared with. */
    int longest() {
        return longest;
    }
}
