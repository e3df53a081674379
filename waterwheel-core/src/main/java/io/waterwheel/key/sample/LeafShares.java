package io.waterwheel.key.sample;

import io.waterwheel.tuple.KeyDimensions;
import io.waterwheel.tuple.QuestionShape;
import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * Estimates what share of a chunk's leaves questions of some shapes read under any schedule, from a sample of keys:
 * they are sorted by the schedule, divided into as many leaves as a chunk has, and each question is laid around the
 * cells of rows of the sample, always the same ones. A leaf is read when the question meets its cells, from the least
 * to the greatest, in every dimension. One thread.
 */
final class LeafShares {
    /** Questions laid in all; of each shape at least {@link #LEAST_PLACES}, at most {@link #MOST_PLACES}. */
    private static final int PLACES = 4096;

    private static final int LEAST_PLACES = 4;
    private static final int MOST_PLACES = 64;
    /** The lowest bits of a number that is sorted are those of the row. */
    private static final int ROW_BITS = 16;

    /** By dimension, by row, the number of its cell. */
    private final int[][] cells;

    private final int[] bits;
    private final int rows;
    private final int[] counts;
    /** By shape, by place, by dimension the first and the last cell. */
    private final int[][][] places;

    /**
     * A sample and questions.
     *
     * @param keys at most 65,536
     * @param counts by dimension how many cells it has
     */
    LeafShares(KeyDimensions dimensions, int[] counts, long[] keys, QuestionShape[] shapes, SplittableRandom random) {
        this.rows = keys.length;
        this.counts = counts.clone();
        this.bits = new int[dimensions.count()];
        this.cells = new int[dimensions.count()][rows];
        for (int d = 0; d < bits.length; d++) {
            bits[d] = Long.bitCount(dimensions.mask(d));
            for (int row = 0; row < rows; row++) {
                cells[d][row] = dimensions.number(d, keys[row]);
            }
        }
        int each = Math.min(MOST_PLACES, Math.max(LEAST_PLACES, PLACES / Math.max(1, shapes.length)));
        this.places = new int[shapes.length][each][];
        for (int shape = 0; shape < shapes.length; shape++) {
            for (int place = 0; place < each; place++) {
                places[shape][place] = place(shapes[shape], random.nextInt(rows), random);
            }
        }
    }

    private int[] place(QuestionShape shape, int row, SplittableRandom random) {
        int[] place = new int[2 * bits.length];
        for (int d = 0; d < bits.length; d++) {
            int width = (int) Math.max(1, Math.round(shape.share(d) * counts[d]));
            int first = cells[d][row] - random.nextInt(width);
            first = Math.max(0, Math.min(first, counts[d] - width));
            place[2 * d] = first;
            place[2 * d + 1] = first + width - 1;
        }
        return place;
    }

    /**
     * By shape the share of leaves that its questions read in the mean.
     *
     * @param order the dimension of each bit, from the highest on; each as often as it has bits
     */
    double[] of(int[] order) {
        int leaves = Math.min(ScheduleAdvisor.LEAVES, rows);
        int[][] least = new int[leaves][bits.length];
        int[][] greatest = new int[leaves][bits.length];
        bounds(sorted(order), least, greatest);
        double[] shares = new double[places.length];
        for (int shape = 0; shape < places.length; shape++) {
            int read = 0;
            for (int[] place : places[shape]) {
                for (int leaf = 0; leaf < leaves; leaf++) {
                    read += meets(place, least[leaf], greatest[leaf]) ? 1 : 0;
                }
            }
            shares[shape] = read / ((double) leaves * places[shape].length);
        }
        return shares;
    }

    private boolean meets(int[] place, int[] least, int[] greatest) {
        for (int d = 0; d < bits.length; d++) {
            if (greatest[d] < place[2 * d] || least[d] > place[2 * d + 1]) {
                return false;
            }
        }
        return true;
    }

    private void bounds(long[] sorted, int[][] least, int[][] greatest) {
        int leaves = least.length;
        for (int leaf = 0; leaf < leaves; leaf++) {
            Arrays.fill(least[leaf], Integer.MAX_VALUE);
            int to = (int) ((leaf + 1L) * rows / leaves);
            for (int at = (int) ((long) leaf * rows / leaves); at < to; at++) {
                int row = (int) sorted[at] & (1 << ROW_BITS) - 1;
                for (int d = 0; d < bits.length; d++) {
                    least[leaf][d] = Math.min(least[leaf][d], cells[d][row]);
                    greatest[leaf][d] = Math.max(greatest[leaf][d], cells[d][row]);
                }
            }
        }
    }

    /** Rows by their keys; of these the highest 47 bits, which tell apart far more rows than there are. */
    private long[] sorted(int[] order) {
        long[] sorted = new long[rows];
        int[] left = bits.clone();
        int used = Math.min(order.length, Long.SIZE - 1 - ROW_BITS);
        for (int at = 0; at < used; at++) {
            int d = order[at];
            int bit = --left[d];
            int[] of = cells[d];
            for (int row = 0; row < rows; row++) {
                sorted[row] = sorted[row] << 1 | (of[row] >>> bit & 1);
            }
        }
        for (int row = 0; row < rows; row++) {
            sorted[row] = sorted[row] << ROW_BITS | row;
        }
        Arrays.sort(sorted);
        return sorted;
    }
}
