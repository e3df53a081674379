package io.waterwheel.sql.duckdb;

import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Says by some tuples of a leaf whether groups of them are fewer. It is a guess, for the first tuples are looked at,
 * which are neighbours by the stream's key: one key with very many tuples at the beginning says yes for all, and many
 * values of another field that hardly repeat so soon say no. Either way the answer is the same. Not thread-safe.
 */
final class KeySample {
    private static final int LEAST_SLOTS = 1024;
    /** In place of a value that is null. */
    private static final long NULL = 0x6A09E667F3BCC909L;

    private final int keys;
    private final long seed = ThreadLocalRandom.current().nextLong();
    /**
     * Hashes, so that long texts take no memory: two that are equal by chance hardly change the ratio. Open addressing,
     * at most half full; 0 stands for none.
     */
    private long[] seen = new long[LEAST_SLOTS];

    private int groups;
    private int tuples;

    /** @param keys number of the first fields, which make a group */
    KeySample(int keys) {
        this.keys = keys;
    }

    void add(TupleBlock block) {
        for (int row = 0; row < block.size(); row++) {
            long hash = seed;
            for (int key = 0; key < keys; key++) {
                hash = mixed(hash ^ value(block, key, row));
            }
            add(hash == 0 ? 1 : hash);
        }
        tuples += block.size();
    }

    /** The value, or a hash of it where it is longer than eight bytes. */
    private static long value(TupleBlock block, int field, int row) {
        RowLayout layout = block.layout();
        int bit = layout.nullBit(field);
        if (bit >= 0 && (block.nullMask(row) >>> bit & 1) != 0) {
            return NULL;
        }
        byte[] bytes = block.column(layout.columnOf(field));
        FieldType type = layout.fields().get(field).type();
        return switch (type.physical()) {
            case INT32, UINT32, FLOAT32 -> LittleEndian.getInt(bytes, row * 4);
            case INT64, FLOAT64 -> LittleEndian.getLong(bytes, row * 8);
            case BOOLEAN -> bytes[row];
            case VARIABLE -> {
                long reference = LittleEndian.getLong(bytes, row * 8);
                int from = TupleBlock.referenceOffset(reference);
                int length = TupleBlock.referenceLength(reference);
                long hash = length;
                for (int at = from; at < from + length; at++) {
                    hash = hash * 31 + block.arena()[at];
                }
                yield hash;
            }
        };
    }

    private static long mixed(long hash) {
        long product = hash * 0x9E3779B97F4A7C15L;
        return product ^ (product >>> 32);
    }

    private void add(long hash) {
        int mask = seen.length - 1;
        int slot = (int) hash & mask;
        while (seen[slot] != 0) {
            if (seen[slot] == hash) {
                return;
            }
            slot = (slot + 1) & mask;
        }
        seen[slot] = hash;
        groups++;
        if (2 * groups > seen.length) {
            grow();
        }
    }

    private void grow() {
        long[] old = seen;
        seen = new long[2 * old.length];
        int mask = seen.length - 1;
        for (long hash : old) {
            int slot = (int) hash & mask;
            while (hash != 0 && seen[slot] != 0) {
                slot = (slot + 1) & mask;
            }
            if (hash != 0) {
                seen[slot] = hash;
            }
        }
    }

    int tuples() {
        return tuples;
    }

    /** Whether a group has four tuples, or more, on average: with fewer, groups save little and may cost the disk. */
    boolean repeats() {
        return repeats(groups, tuples);
    }

    /** The same of any number of groups and tuples. */
    static boolean repeats(long groups, long tuples) {
        return groups <= tuples / 4;
    }
}
