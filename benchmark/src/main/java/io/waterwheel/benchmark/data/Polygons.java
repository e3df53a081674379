package io.waterwheel.benchmark.data;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * Polygons made up from a seed, in a square of 40 degrees, about one of them over each place; and which of them hold a
 * position, by crossing their edges. Shares no code with the engine. What lies on a border is not told exactly: random
 * positions do not.
 */
public final class Polygons {
    public static final double WEST = -20;
    public static final double EAST = 20;
    public static final double SOUTH = 0;
    public static final double NORTH = 40;

    /** Cells of a side of the grid. */
    private static final int SIDE = 400;

    private static final int LEAST_CORNERS = 3;

    /** By polygon: longitude and latitude of each corner in turn. */
    private final double[][] corners;
    /** By cell, the polygons whose bounds touch it. */
    private final int[][] cells;

    private Polygons(double[][] corners) {
        this.corners = corners;
        this.cells = cells();
    }

    /**
     * Makes them.
     *
     * @param most corners of one, at least 3
     */
    public static Polygons of(SplittableRandom random, int count, int most) {
        double size = 30 / Math.sqrt(count);
        double[][] corners = new double[count][];
        for (int zone = 0; zone < count; zone++) {
            double x = random.nextDouble(WEST, EAST);
            double y = random.nextDouble(SOUTH, NORTH);
            int number = random.nextInt(LEAST_CORNERS, most + 1);
            corners[zone] = new double[2 * number];
            for (int c = 0; c < number; c++) {
                // Around the centre, at distances that differ: borders do not cross.
                double angle = 2 * Math.PI * c / number;
                double reach = size * random.nextDouble(0.5, 1.5);
                corners[zone][2 * c] = x + reach * Math.cos(angle);
                corners[zone][2 * c + 1] = y + reach * Math.sin(angle);
            }
        }
        return new Polygons(corners);
    }

    private static int cell(double coordinate, double least, double greatest) {
        return Math.max(0, Math.min(SIDE - 1, (int) ((coordinate - least) / (greatest - least) * SIDE)));
    }

    private int[][] cells() {
        List<List<Integer>> found = new ArrayList<>();
        IntStream.range(0, SIDE * SIDE).forEach(cell -> found.add(new ArrayList<>()));
        for (int zone = 0; zone < corners.length; zone++) {
            double[] bounds = bounds(corners[zone]);
            for (int column = cell(bounds[0], WEST, EAST); column <= cell(bounds[2], WEST, EAST); column++) {
                for (int row = cell(bounds[1], SOUTH, NORTH); row <= cell(bounds[3], SOUTH, NORTH); row++) {
                    found.get(row * SIDE + column).add(zone);
                }
            }
        }
        return found.stream()
                .map(zones -> zones.stream().mapToInt(Integer::intValue).toArray())
                .toArray(int[][]::new);
    }

    private static double[] bounds(double[] corners) {
        double[] bounds = {corners[0], corners[1], corners[0], corners[1]};
        for (int c = 0; c < corners.length; c += 2) {
            bounds[0] = Math.min(bounds[0], corners[c]);
            bounds[1] = Math.min(bounds[1], corners[c + 1]);
            bounds[2] = Math.max(bounds[2], corners[c]);
            bounds[3] = Math.max(bounds[3], corners[c + 1]);
        }
        return bounds;
    }

    public int count() {
        return corners.length;
    }

    /** As well-known text. */
    public String text(int zone) {
        StringBuilder text = new StringBuilder("POLYGON ((");
        for (int c = 0; c < corners[zone].length; c += 2) {
            text.append(corners[zone][c])
                    .append(' ')
                    .append(corners[zone][c + 1])
                    .append(", ");
        }
        return text.append(corners[zone][0])
                .append(' ')
                .append(corners[zone][1])
                .append("))")
                .toString();
    }

    /** Of each edge: longitude and latitude of both its ends. */
    public List<double[]> edges(int zone) {
        double[] all = corners[zone];
        List<double[]> edges = new ArrayList<>();
        for (int c = 0; c < all.length; c += 2) {
            int next = (c + 2) % all.length;
            edges.add(new double[] {all[c], all[c + 1], all[next], all[next + 1]});
        }
        return edges;
    }

    /** The polygons that hold a position of the square, in order, by the grid. */
    public int[] holding(double longitude, double latitude) {
        int[] zones = cells[cell(latitude, SOUTH, NORTH) * SIDE + cell(longitude, WEST, EAST)];
        return Arrays.stream(zones)
                .filter(zone -> holds(zone, longitude, latitude))
                .toArray();
    }

    /** The same, by looking at all of them. */
    public int[] holdingOfAll(double longitude, double latitude) {
        return IntStream.range(0, corners.length)
                .filter(zone -> holds(zone, longitude, latitude))
                .toArray();
    }

    private boolean holds(int zone, double longitude, double latitude) {
        double[] all = corners[zone];
        boolean inside = false;
        for (int c = 0, last = all.length - 2; c < all.length; last = c, c += 2) {
            boolean spans = (all[c + 1] > latitude) != (all[last + 1] > latitude);
            if (spans
                    && longitude
                            < (all[last] - all[c]) * (latitude - all[c + 1]) / (all[last + 1] - all[c + 1]) + all[c]) {
                inside = !inside;
            }
        }
        return inside;
    }
}
