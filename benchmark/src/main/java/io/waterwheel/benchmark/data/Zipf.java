package io.waterwheel.benchmark.data;

import java.util.Arrays;
import java.util.SplittableRandom;

/** Draws ranks from 0 with probability proportional to {@code 1 / (rank + 1)^exponent}. Immutable; any thread. */
public final class Zipf {
    /** Probability that a draw is at most this rank. */
    private final double[] cumulative;

    public Zipf(int ranks, double exponent) {
        cumulative = new double[ranks];
        double sum = 0;
        for (int rank = 0; rank < ranks; rank++) {
            sum += Math.pow(rank + 1.0, -exponent);
            cumulative[rank] = sum;
        }
        for (int rank = 0; rank < ranks; rank++) {
            cumulative[rank] /= sum;
        }
    }

    public int draw(SplittableRandom random) {
        int found = Arrays.binarySearch(cumulative, random.nextDouble());
        return Math.min(found < 0 ? -found - 1 : found, cumulative.length - 1);
    }
}
