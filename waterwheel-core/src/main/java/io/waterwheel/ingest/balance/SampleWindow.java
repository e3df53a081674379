package io.waterwheel.ingest.balance;

import io.waterwheel.protocol.Control;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * The key samples of one stream's last seconds, by partition. Where many partitions tell, each sample is thinned when
 * it comes, so that all of a second hold about {@value #KEYS_A_SECOND} keys, a quarter of a megabyte, however many
 * partitions there are; never fewer than {@value #LEAST_KEYS} each. Thread-safe: what holds the lock copies one sample,
 * or references to all.
 */
public final class SampleWindow {
    /** All partitions together: off by chance as a sample of that size, 0.3 % of the tuples at a rank in the middle. */
    public static final int KEYS_A_SECOND = 1 << 15;

    static final int LEAST_KEYS = 4;

    private record Timed(long nanos, Control.KeySample sample) {}

    private final long nanos;
    private final SplittableRandom random = new SplittableRandom(1);
    /** Oldest first: one a second. */
    private final Map<Integer, ArrayDeque<Timed>> samples = new HashMap<>();

    /** @param nanos how long a sample is kept */
    public SampleWindow(long nanos) {
        this.nanos = nanos;
    }

    /** The keys that came in a partition's last second. */
    public synchronized void add(Control.KeySample sample, long now) {
        ArrayDeque<Timed> recent = samples.computeIfAbsent(sample.partition(), partition -> new ArrayDeque<>());
        recent.addLast(new Timed(now, thinned(sample, Math.max(LEAST_KEYS, KEYS_A_SECOND / samples.size()))));
        // One that is told twice, by a dispatcher and the one before it, must not pile up.
        while (recent.size() > nanos / 1_000_000_000 + 1) {
            recent.removeFirst();
        }
    }

    /** The samples of the last nanoseconds, as many as are given. */
    public synchronized List<Control.KeySample> recent(long lastNanos, long now) {
        List<Control.KeySample> window = new ArrayList<>();
        for (ArrayDeque<Timed> partition : samples.values()) {
            while (!partition.isEmpty() && now - partition.getFirst().nanos() > nanos) {
                partition.removeFirst();
            }
            for (Timed timed : partition) {
                if (now - timed.nanos() <= lastNanos) {
                    window.add(timed.sample());
                }
            }
        }
        return window;
    }

    /** Of equal parts a key each, by chance: always the middle ones would be the same ranks in every partition. */
    private Control.KeySample thinned(Control.KeySample sample, int most) {
        long[] all = sample.keys();
        if (all.length <= most) {
            return sample;
        }
        long[] keys = new long[most];
        for (int i = 0; i < most; i++) {
            int from = (int) ((long) i * all.length / most);
            int to = (int) ((i + 1L) * all.length / most);
            keys[i] = all[random.nextInt(from, to)];
        }
        return new Control.KeySample(sample.streamId(), sample.partition(), keys, sample.tuples());
    }
}
