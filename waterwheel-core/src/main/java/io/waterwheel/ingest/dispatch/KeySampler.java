package io.waterwheel.ingest.dispatch;

import io.waterwheel.ingest.block.BlockBody;
import io.waterwheel.protocol.Control;
import io.waterwheel.tuple.TupleBlock;
import java.util.Arrays;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Which keys a partition brings, a second at a time: an even sample of the second's tuples, then of their sorted keys
 * every n-th. What comes out are real keys of the stream, so a range a billionth of the domain wide is divided as
 * finely as any other, and a key that is hot is there as often as it weighs ([Wang 2018], section III-D, counts in
 * buckets of equal width instead).
 *
 * <p>Error: a rank is off by at most {@code tuples / 512} of the thinning, and by chance as in a sample of
 * {@value #BUFFER} or, after a thinning of a full buffer, half of it: 0.8 % of the tuples (one standard deviation), at
 * worst. Cost: a step per sampled tuple, a sort of the buffer a second. Owner: the dispatcher's thread.
 */
final class KeySampler {
    /** Keys in a sample that goes out. */
    static final int KEYS = Control.KeySample.MAX_KEYS;

    private static final int BUFFER = 8192;
    private static final long SLICE_NANOS = 1_000_000_000;

    private final long[] buffer = new long[BUFFER];
    private final RandomGenerator random;
    private int size;
    /** Of the tuples, one in this many is taken, on average. */
    private int stride = 1;
    /** Tuples to pass over before the next that is taken. */
    private int skip;

    private long tuples;
    private long sliceEndNanos;

    KeySampler(RandomGenerator random, long nowNanos) {
        this.random = random;
        this.sliceEndNanos = nowNanos + SLICE_NANOS;
    }

    /** Tuples that go to the indexers, in the order of the log; only those that are read for the first time. */
    void add(Segment segment) {
        for (BlockBody body : segment.bodies) {
            if (body != null) {
                add(body.tuples());
            }
        }
    }

    private void add(TupleBlock rows) {
        int count = rows.size();
        tuples += count;
        long[] keys = rows.keys();
        int row = skip;
        while (row < count) {
            if (size == BUFFER) {
                thin();
            }
            buffer[size++] = keys[row];
            row += gap();
        }
        skip = row - count;
    }

    /**
     * On average the stride, by chance: tuples that come in turn, vehicle after vehicle, would else be taken by the
     * same turn.
     */
    private int gap() {
        return stride == 1 ? 1 : 1 + random.nextInt(2 * stride - 1);
    }

    /** The buffer is full: one of each two keys stays, and of what comes half as much is taken. */
    private void thin() {
        size = 0;
        for (int i = 0; i < BUFFER; i += 2) {
            buffer[size++] = buffer[i + random.nextInt(2)];
        }
        stride *= 2;
    }

    /** The last second's sample once it is over, and there was anything; else null. Call several times a second. */
    Control.@Nullable KeySample next(int streamId, int partition, long nowNanos) {
        if (nowNanos - sliceEndNanos < 0) {
            return null;
        }
        sliceEndNanos = nowNanos + SLICE_NANOS;
        Control.KeySample sample = size == 0 ? null : new Control.KeySample(streamId, partition, thinned(), tuples);
        // The next second is likely to be as this one: taken evenly from its start, and the buffer never quite full.
        while (stride > 1 && tuples / stride < BUFFER / 4) {
            stride /= 2;
        }
        size = 0;
        tuples = 0;
        skip = gap() - 1;
        return sample;
    }

    private long[] thinned() {
        Arrays.sort(buffer, 0, size);
        if (size <= KEYS) {
            return Arrays.copyOf(buffer, size);
        }
        long[] keys = new long[KEYS];
        for (int i = 0; i < KEYS; i++) {
            // The middle of each of 512 equal parts.
            keys[i] = buffer[(int) ((2L * i + 1) * size / (2 * KEYS))];
        }
        return keys;
    }
}
