package io.waterwheel.ingest.balance;

import io.waterwheel.protocol.Control;
import java.util.Arrays;
import java.util.Collection;
import java.util.function.LongPredicate;

/**
 * How the tuples of the last seconds lie over the keys: the samples of all partitions in one. Distinct keys, ascending,
 * each with the number of tuples that it stands for. Immutable.
 */
public final class KeyLoad {
    private final long[] keys;
    private final double[] weights;
    private final double total;

    private KeyLoad(long[] keys, double[] weights) {
        this.keys = keys;
        this.weights = weights;
        this.total = Arrays.stream(weights).sum();
    }

    public static KeyLoad of(Collection<Control.KeySample> samples) {
        return of(samples, key -> true);
    }

    /**
     * The same of some keys.
     *
     * @param counts whether a key counts: one that was made by earlier scales comes no more
     */
    static KeyLoad of(Collection<Control.KeySample> samples, LongPredicate counts) {
        int count = samples.stream().mapToInt(sample -> sample.keys().length).sum();
        long[] all = new long[count];
        int size = 0;
        for (Control.KeySample sample : samples) {
            for (long key : sample.keys()) {
                if (counts.test(key)) {
                    all[size++] = key;
                }
            }
        }
        Arrays.sort(all, 0, size);
        int distinct = 0;
        for (int i = 0; i < size; i++) {
            if (i == 0 || all[i] != all[i - 1]) {
                all[distinct++] = all[i];
            }
        }
        long[] keys = Arrays.copyOf(all, distinct);
        double[] weights = new double[distinct];
        for (Control.KeySample sample : samples) {
            double each = (double) sample.tuples() / sample.keys().length;
            for (long key : sample.keys()) {
                int at = Arrays.binarySearch(keys, key);
                if (at >= 0) {
                    weights[at] += each;
                }
            }
        }
        return new KeyLoad(keys, weights);
    }

    /** Tuples that it stands for. */
    public double total() {
        return total;
    }

    /** Tuples that each of a table's indexers would get, by slot. */
    public double[] shares(long[] boundaries) {
        double[] shares = new double[boundaries.length + 1];
        int slot = 0;
        for (int i = 0; i < keys.length; i++) {
            while (slot < boundaries.length && keys[i] >= boundaries[slot]) {
                slot++;
            }
            shares[slot] += weights[i];
        }
        return shares;
    }

    /** How far the slot furthest from the mean is from it, as a part of the mean; 0 without tuples. */
    double deviation(long[] boundaries) {
        double mean = total / (boundaries.length + 1);
        double furthest = 0;
        for (double share : shares(boundaries)) {
            furthest = Math.max(furthest, Math.abs(share - mean));
        }
        return total == 0 ? 0 : furthest / mean;
    }

    /** The load of the fullest slot, as a multiple of the mean; 1 without tuples. */
    double fullest(long[] boundaries) {
        double most = 0;
        for (double share : shares(boundaries)) {
            most = Math.max(most, share);
        }
        return total == 0 ? 1 : most * (boundaries.length + 1) / total;
    }

    /**
     * Boundaries that divide the tuples as evenly as whole keys allow: each slot in turn takes keys up to the even
     * share of what is left, so that a key heavier than a share costs the others nothing.
     *
     * @param slots more than the keys there are get the neighbourhoods of the last, empty as far as is known
     */
    public long[] divide(int slots) {
        long[] boundaries = new long[slots - 1];
        double left = total;
        int next = 0;
        for (int slot = 0; slot < slots - 1; slot++) {
            double share = left / (slots - slot);
            double taken = 0;
            // The nearest to the share from above or below; at least a key, while there are any.
            while (next < keys.length && (taken == 0 || taken + weights[next] / 2 <= share)) {
                taken += weights[next++];
            }
            left -= taken;
            long least = slot == 0 ? Long.MIN_VALUE + 1 : boundaries[slot - 1] + 1;
            long boundary = next < keys.length ? keys[next] : least;
            // Room for those that follow.
            boundaries[slot] = Math.min(Math.max(boundary, least), Long.MAX_VALUE - (slots - 2 - slot));
        }
        return boundaries;
    }
}
