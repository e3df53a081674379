package io.waterwheel.key;

import io.waterwheel.geo.Box;
import io.waterwheel.tuple.LittleEndian;

/**
 * Z-order codes [Morton 1966] of positions in one domain. Each dimension is cut into 2^31 cells of equal width,
 * numbered from the domain's lower bound; the last cell includes the upper bound. The code interleaves both numbers,
 * longitude in the odd (higher) bits: 0 to 2^62 - 1, so that a code is never negative.
 *
 * <p>Cell numbers never fall when the coordinate rises, so a position within a box lies within the box's cells.
 * Immutable; any thread.
 */
public final class ZOrder {
    /** Bits a dimension. */
    public static final int BITS = 31;
    /** The highest cell number of a dimension. */
    public static final int MAX_CELL = Integer.MAX_VALUE;
    /** The highest code. */
    public static final long MAX_CODE = (1L << (2 * BITS)) - 1;

    private static final double CELLS = 1L << BITS;
    /** More cells than a cell number's rounding is off by. */
    private static final double SLACK_CELLS = 0.01;

    private final Box domain;
    private final double cellsPerLongitude;
    private final double cellsPerLatitude;

    /**
     * @throws IllegalArgumentException when the domain goes over the antimeridian, or is so wide that its width is no
     *     finite number
     */
    public ZOrder(Box domain) {
        this.domain = domain;
        this.cellsPerLongitude = CELLS / width(domain.west(), domain.east());
        this.cellsPerLatitude = CELLS / width(domain.south(), domain.north());
    }

    private static double width(double min, double max) {
        if (!(max > min && max - min < Double.POSITIVE_INFINITY)) {
            throw new IllegalArgumentException("z-order domain " + min + " to " + max
                    + ": expected the second above the first, and a width that is a finite number");
        }
        return max - min;
    }

    public Box domain() {
        return domain;
    }

    /** The cell of a longitude that lies in the domain. */
    int longitudeCell(double longitude) {
        // The cast saturates: the upper bound, whose product is 2^31, falls into the last cell.
        return (int) ((longitude - domain.west()) * cellsPerLongitude);
    }

    /** The cell of a latitude that lies in the domain. */
    int latitudeCell(double latitude) {
        return (int) ((latitude - domain.south()) * cellsPerLatitude);
    }

    /**
     * A rectangle that holds every position whose cells are x to {@code x + 2^shift - 1} and y to {@code y + 2^shift -
     * 1}; a little larger than these, for the rounding of cell numbers.
     */
    Box bounds(int x, int y, int shift) {
        double side = (double) (1L << shift);
        double slackX = slack(domain.west(), domain.east());
        double slackY = slack(domain.south(), domain.north());
        return new Box(
                domain.west() + (x - SLACK_CELLS) / cellsPerLongitude - slackX,
                domain.south() + (y - SLACK_CELLS) / cellsPerLatitude - slackY,
                domain.west() + (x + side + SLACK_CELLS) / cellsPerLongitude + slackX,
                domain.south() + (y + side + SLACK_CELLS) / cellsPerLatitude + slackY);
    }

    /** More than the rounding of a bound this far from zero. */
    private static double slack(double min, double max) {
        return 4 * Math.ulp(Math.max(Math.abs(min), Math.abs(max)));
    }

    /** The code of a position that lies in the domain; of any other position, an unspecified code. */
    public long code(double longitude, double latitude) {
        return interleave(longitudeCell(longitude), latitudeCell(latitude));
    }

    /**
     * The codes of positions in the domain, as {@link #code} has them.
     *
     * @param longitudes as doubles, little-endian, one after the other
     */
    long[] codes(byte[] longitudes, byte[] latitudes, int count) {
        long[] codes = new long[count];
        for (int i = 0; i < count; i++) {
            codes[i] = (long) longitudeCell(LittleEndian.getDouble(longitudes, i * 8)) << 32
                    | latitudeCell(LittleEndian.getDouble(latitudes, i * 8));
        }
        // Over longs alone, so that the compiler makes it a loop of vectors.
        for (int i = 0; i < count; i++) {
            codes[i] = spread(codes[i] >>> 32) << 1 | spread(codes[i] & 0xFFFF_FFFFL);
        }
        return codes;
    }

    /** The code of two cell numbers, neither negative. */
    static long interleave(int longitudeCell, int latitudeCell) {
        return (spread(longitudeCell) << 1) | spread(latitudeCell);
    }

    private static long spread(long cell) {
        long x = (cell | (cell << 16)) & 0x0000FFFF0000FFFFL;
        x = (x | (x << 8)) & 0x00FF00FF00FF00FFL;
        x = (x | (x << 4)) & 0x0F0F0F0F0F0F0F0FL;
        x = (x | (x << 2)) & 0x3333333333333333L;
        return (x | (x << 1)) & 0x5555555555555555L;
    }
}
