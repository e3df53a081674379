package io.waterwheel.key;

import io.waterwheel.geo.Box;
import io.waterwheel.tuple.KeyInterval;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;

/**
 * Covers any area with key intervals: a square of cells whose side is a power of two has consecutive codes, so the
 * domain is quartered where the area's border runs, the largest squares first, until the work or the limit is spent.
 */
final class QuadIntervals {
    /** Squares looked at for each interval wanted: the cover gets little closer with more. */
    private static final int SQUARES_PER_INTERVAL = 16;

    /** Side {@code 2^shift} cells; x and y are its lowest cells. */
    private record Square(int x, int y, int shift) {
        KeyInterval codes() {
            long first = ZOrder.interleave(x, y);
            return new KeyInterval(first, first + (1L << (2 * shift)) - 1);
        }
    }

    /** How a rectangle of positions lies to an area. */
    enum Relation {
        /** No position of it lies in the area. */
        APART,
        /** Perhaps some do. */
        PERHAPS,
        /** All do. */
        WITHIN
    }

    /** An area as far as covering it goes. */
    @FunctionalInterface
    interface Relations {
        /** How the rectangle lies to the area; its bounds belong to it. In doubt {@link Relation#PERHAPS}. */
        Relation of(double west, double south, double east, double north);
    }

    private QuadIntervals() {}

    /** See {@link Area#intervals}. */
    static List<KeyInterval> of(Relations area, ZOrder zOrder, int limit) {
        if (limit < 1) {
            throw new IllegalArgumentException("key intervals: expected a limit of at least 1, got " + limit);
        }
        PriorityQueue<Square> border = new PriorityQueue<>((a, b) -> {
            int bySize = Integer.compare(b.shift(), a.shift());
            // The same squares in the same order everywhere.
            return bySize != 0
                    ? bySize
                    : Long.compare(a.codes().low(), b.codes().low());
        });
        List<KeyInterval> found = new ArrayList<>();
        look(new Square(0, 0, ZOrder.BITS), area, zOrder, border, found);
        int left = SQUARES_PER_INTERVAL * limit;
        while (left > 0 && !border.isEmpty() && border.element().shift() > 0) {
            Square square = border.remove();
            int half = square.shift() - 1;
            int right = square.x() | 1 << half;
            int upper = square.y() | 1 << half;
            look(new Square(square.x(), square.y(), half), area, zOrder, border, found);
            look(new Square(square.x(), upper, half), area, zOrder, border, found);
            look(new Square(right, square.y(), half), area, zOrder, border, found);
            look(new Square(right, upper, half), area, zOrder, border, found);
            left -= 4;
        }
        border.forEach(square -> found.add(square.codes()));
        return KeyIntervals.fewest(found, limit);
    }

    private static void look(
            Square square, Relations area, ZOrder zOrder, PriorityQueue<Square> border, List<KeyInterval> found) {
        Box bounds = zOrder.bounds(square.x(), square.y(), square.shift());
        Relation relation = area.of(bounds.west(), bounds.south(), bounds.east(), bounds.north());
        if (relation == Relation.WITHIN) {
            found.add(square.codes());
        } else if (relation == Relation.PERHAPS) {
            border.add(square);
        }
    }
}
