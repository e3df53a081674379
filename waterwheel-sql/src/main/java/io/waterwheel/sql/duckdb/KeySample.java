package io.waterwheel.sql.duckdb;

import io.waterwheel.tuple.TupleBlock;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;

/**
 * Says by some tuples of a leaf whether groups of them are fewer. It is a guess, for the first tuples are looked at,
 * which are neighbours by the stream's key: one key with very many tuples at the beginning says yes for all, and many
 * values of another field that hardly repeat so soon say no. Either way the answer is the same. Not thread-safe.
 */
final class KeySample {
    private final int keys;
    /** Hashes, so that long texts take no memory: two that are equal by chance hardly change the ratio. */
    private final Set<Long> seen = new HashSet<>();

    private int tuples;

    /** @param keys number of the first fields, which make a group */
    KeySample(int keys) {
        this.keys = keys;
    }

    void add(TupleBlock block) {
        for (int row = 0; row < block.size(); row++) {
            long hash = 0;
            for (int key = 0; key < keys; key++) {
                Object value = block.value(key, row);
                int one = value instanceof byte[] bytes ? Arrays.hashCode(bytes) : Objects.hashCode(value);
                hash = hash * 0x9E3779B97F4A7C15L + one;
            }
            seen.add(hash);
        }
        tuples += block.size();
    }

    int tuples() {
        return tuples;
    }

    /** Whether a group has four tuples, or more, on average: with fewer, groups save little and may cost the disk. */
    boolean repeats() {
        return 4L * seen.size() <= tuples;
    }
}
