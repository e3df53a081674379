package io.waterwheel.embedded.operate;

import io.waterwheel.topology.worker.DeactivatedSpout.Source;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * Up to where dispatchers take what spouts had read when they came to stand. Often that is all; but a dispatcher whose
 * memory is full drops what comes and counts on the spout to read it again, which one that stands does not. So what was
 * handed on says only where to stop waiting; what was taken says what will reach an indexer. One use, one thread.
 */
final class DrainProgress {
    /** Dispatchers report every second: one that has said the same this long has nothing more on its way to it. */
    static final long STILL_NANOS = TimeUnit.SECONDS.toNanos(3);

    private static final class Taken {
        final long handedOn;
        long position = -1;
        long sinceNanos;
        boolean settled;

        Taken(long handedOn) {
            this.handedOn = handedOn;
        }
    }

    private final Map<Source, Taken> sources = new HashMap<>();

    /** @param handedOn by partition, how far the spout that stands has read */
    DrainProgress(Map<Source, Long> handedOn) {
        handedOn.forEach((source, position) -> sources.put(source, new Taken(position)));
    }

    /** What a dispatcher said last. Of partitions that no spout read, nothing is kept. */
    void taken(Source source, long position, long nowNanos) {
        Taken taken = sources.get(source);
        if (taken == null) {
            return;
        }
        if (position != taken.position) {
            taken.sinceNanos = nowNanos;
            taken.position = position;
        }
        taken.settled = position >= taken.handedOn || nowNanos - taken.sinceNanos >= STILL_NANOS;
    }

    /** Whether a partition of this stream may still move, or its dispatcher has not said anything. */
    boolean waitsFor(int streamId) {
        return sources.entrySet().stream()
                .anyMatch(entry -> entry.getKey().streamId() == streamId && !entry.getValue().settled);
    }

    /** By partition of a stream, the position below which everything reaches the indexers, and nothing above it. */
    Map<Integer, Long> positions(int streamId) {
        Map<Integer, Long> positions = new HashMap<>();
        sources.forEach((source, taken) -> {
            if (source.streamId() == streamId) {
                positions.put(source.partition(), taken.position);
            }
        });
        return positions;
    }

    /** What it waits for, for people. */
    @Override
    public String toString() {
        Map<String, String> waits = new TreeMap<>();
        sources.forEach((source, taken) -> {
            if (!taken.settled) {
                waits.put(
                        "stream id " + source.streamId() + " partition " + source.partition(),
                        taken.position + " of " + taken.handedOn);
            }
        });
        return waits.toString();
    }
}
