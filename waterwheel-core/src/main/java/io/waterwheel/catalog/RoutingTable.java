package io.waterwheel.catalog;

import io.waterwheel.model.KeyInterval;
import java.util.Arrays;
import java.util.List;

/**
 * One routing version: which indexer takes which keys. Never changed, only superseded (protocol rule 1).
 *
 * @param version from 1
 * @param boundaries first key of each indexer but the first, ascending; one fewer than indexers
 * @param indexers logical indexer ids, in key order
 */
@SuppressWarnings("ArrayRecordComponent") // searched on the hot path; equality by content below
public record RoutingTable(int version, long[] boundaries, int[] indexers) {
    public RoutingTable {
        if (version < 1 || indexers.length < 1 || boundaries.length != indexers.length - 1) {
            throw new IllegalArgumentException("routing table " + version + ": " + indexers.length + " indexers, "
                    + boundaries.length + " boundaries");
        }
        if (Arrays.stream(indexers).distinct().count() != indexers.length) {
            throw new IllegalArgumentException(
                    "routing table " + version + ": an indexer is named twice: " + Arrays.toString(indexers));
        }
        for (int i = 1; i < boundaries.length; i++) {
            if (boundaries[i - 1] >= boundaries[i]) {
                throw new IllegalArgumentException("routing table " + version + ": boundaries are not ascending");
            }
        }
    }

    /** Divides the key domain evenly between indexers 0 to count - 1. */
    public static RoutingTable even(int version, KeyInterval domain, int count) {
        // Unsigned width, so that the whole domain of longs works too.
        long step = Long.divideUnsigned(domain.high() - domain.low(), count);
        if (step == 0 && count > 1) {
            throw new IllegalArgumentException("routing table: domain " + domain + " is too small for " + count);
        }
        long[] boundaries = new long[count - 1];
        int[] indexers = new int[count];
        for (int i = 0; i < count; i++) {
            indexers[i] = i;
            if (i > 0) {
                boundaries[i - 1] = domain.low() + step * i;
            }
        }
        return new RoutingTable(version, boundaries, indexers);
    }

    /** Position in {@link #indexers()} of the indexer that takes the key. */
    public int slotOf(long key) {
        int slot = 0;
        for (long boundary : boundaries) {
            if (key < boundary) {
                break;
            }
            slot++;
        }
        return slot;
    }

    /** The keys that the indexer at this slot takes. */
    public KeyInterval interval(int slot) {
        return new KeyInterval(
                slot == 0 ? Long.MIN_VALUE : boundaries[slot - 1],
                slot == boundaries.length ? Long.MAX_VALUE : boundaries[slot] - 1);
    }

    /** The slot of an indexer id, or -1 when this version does not name it. */
    public int slotOfIndexer(int indexer) {
        for (int slot = 0; slot < indexers.length; slot++) {
            if (indexers[slot] == indexer) {
                return slot;
            }
        }
        return -1;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof RoutingTable that
                && version == that.version
                && Arrays.equals(boundaries, that.boundaries)
                && Arrays.equals(indexers, that.indexers);
    }

    @Override
    public int hashCode() {
        return List.of(version, Arrays.hashCode(boundaries), Arrays.hashCode(indexers))
                .hashCode();
    }
}
