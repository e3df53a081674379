package io.waterwheel.catalog.state;

import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.ScaleVersion;
import java.util.Arrays;
import java.util.List;

/**
 * One routing version: which indexer takes which keys. Never changed, only superseded (protocol rule 1).
 *
 * @param version from 1
 * @param boundaries first key of each indexer but the first, ascending; one fewer than indexers
 * @param indexers logical indexer ids, in key order
 * @param scales the version of the scales that keys are made by where it holds; 1 where keys have no dimensions
 */
@SuppressWarnings("ArrayRecordComponent") // searched on the hot path; equality by content below
public record RoutingTable(int version, long[] boundaries, int[] indexers, int scales) {
    /** By the first scales. */
    public RoutingTable(int version, long[] boundaries, int[] indexers) {
        this(version, boundaries, indexers, 1);
    }

    public RoutingTable {
        if (scales < 1 || scales > ScaleVersion.MOST) {
            throw new IllegalArgumentException("routing table " + version + ": version " + scales + " of the scales");
        }
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

    /**
     * Divides the key domain evenly between indexers 0 to count - 1. A domain of fewer keys than indexers (a boolean
     * has two) gives one key to each of the first indexers, as far as they go; the others take keys that never come.
     */
    public static RoutingTable even(int version, KeyInterval domain, int count) {
        // Unsigned, so that the whole domain of longs works too: its number of keys, 2^64, reads as 0.
        long keys = domain.high() - domain.low() + 1;
        long step = Math.max(1, Long.divideUnsigned(keys == 0 ? -1 : keys, count));
        long first = domain.low() + step;
        if (step == 1) {
            // Room for all boundaries where few keys lie at the upper end of the longs.
            first = Math.min(domain.low(), Long.MAX_VALUE - count + 1) + 1;
        }
        long[] boundaries = new long[count - 1];
        int[] indexers = new int[count];
        for (int i = 0; i < count; i++) {
            indexers[i] = i;
            if (i > 0) {
                boundaries[i - 1] = first + step * (i - 1);
            }
        }
        return new RoutingTable(version, boundaries, indexers);
    }

    /** The table that may follow: other indexers and keys, by the same scales. */
    public RoutingTable next(long[] nextBoundaries, int[] nextIndexers) {
        return new RoutingTable(version + 1, nextBoundaries, nextIndexers, scales);
    }

    /** The same under another version of the scales. */
    public RoutingTable withScales(int other) {
        return new RoutingTable(version, boundaries, indexers, other);
    }

    /** Whether a key can be made where it holds. */
    public boolean isOfItsScales(long key) {
        return scales == 1 || ScaleVersion.of(key) == scales;
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
                && scales == that.scales
                && Arrays.equals(boundaries, that.boundaries)
                && Arrays.equals(indexers, that.indexers);
    }

    @Override
    public int hashCode() {
        return List.of(version, scales, Arrays.hashCode(boundaries), Arrays.hashCode(indexers))
                .hashCode();
    }
}
