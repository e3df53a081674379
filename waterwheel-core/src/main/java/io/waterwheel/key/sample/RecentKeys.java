package io.waterwheel.key.sample;

import io.waterwheel.tuple.ScaleVersion;
import java.util.Arrays;
import java.util.random.RandomGenerator;

/**
 * Some of a stream's newest keys, from samples that come again and again: all keys of a sample until {@value #KEYS} are
 * held, then {@value #OF_SAMPLE} of each, so that those held are of the last 256 samples or more. Holds at most 32 KiB.
 * Thread-safe; a call that adds is some dozen instructions.
 */
public final class RecentKeys {
    static final int KEYS = 4096;
    static final int OF_SAMPLE = 16;
    private static final int FIRST = 64;

    private final RandomGenerator random;
    private long[] keys = new long[FIRST];
    private long count;
    /** The version of the scales that they were made by. */
    private int scales = 1;

    /** None yet. */
    public RecentKeys(RandomGenerator random) {
        this.random = random;
    }

    /**
     * Takes some keys of a sample, evenly spaced from a start by chance; all where they are few. Once a key by later
     * scales has come, those by earlier ones are let go, and taken no more.
     */
    public synchronized void add(long[] all) {
        long[] sample = ofNewest(all);
        if (sample.length == 0) {
            return;
        }
        int taken = Math.min(count < KEYS ? KEYS : OF_SAMPLE, sample.length);
        double step = (double) sample.length / taken;
        double at = random.nextDouble() * step;
        for (int i = 0; i < taken; i++) {
            if (count == keys.length && keys.length < KEYS) {
                keys = Arrays.copyOf(keys, keys.length * 2);
            }
            keys[(int) (count++ % keys.length)] = sample[Math.min(sample.length - 1, (int) (at + i * step))];
        }
    }

    private long[] ofNewest(long[] all) {
        int newest = Arrays.stream(all).mapToInt(ScaleVersion::of).max().orElse(1);
        if (newest > scales) {
            scales = newest;
            count = 0;
        }
        return Arrays.stream(all).filter(key -> ScaleVersion.of(key) == scales).toArray();
    }

    /** Those that are held, in no order. */
    public synchronized long[] keys() {
        return Arrays.copyOf(keys, (int) Math.min(count, keys.length));
    }
}
