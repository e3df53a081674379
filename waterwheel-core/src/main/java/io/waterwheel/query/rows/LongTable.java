package io.waterwheel.query.rows;

import io.waterwheel.query.column.SeededHash;
import io.waterwheel.query.memory.Reservation;
import java.util.Arrays;

/** A table from long to long: open addressing, linear probing, at most half full. One thread. */
final class LongTable {
    /** Of one slot, in its three arrays. */
    private static final long SLOT_BYTES = 17;

    private final SeededHash hash = new SeededHash();
    private final Reservation memory;
    private long[] keys = new long[16];
    private long[] values = new long[16];
    private boolean[] used = new boolean[16];
    private int size;

    /** @param memory what its arrays are reserved from */
    LongTable(Reservation memory) {
        this.memory = memory;
        memory.reserve(SLOT_BYTES * keys.length);
    }

    int size() {
        return size;
    }

    /** The value of the key, or the default. */
    long get(long key, long otherwise) {
        int at = slot(key);
        return used[at] ? values[at] : otherwise;
    }

    void put(long key, long value) {
        int at = slot(key);
        if (!used[at]) {
            if (size * 2 >= keys.length) {
                grow();
                at = slot(key);
            }
            used[at] = true;
            keys[at] = key;
            size++;
        }
        values[at] = value;
    }

    /** Forgets all keys. */
    void clear() {
        if (size > 0) {
            Arrays.fill(used, false);
            size = 0;
        }
    }

    private int slot(long key) {
        int mask = keys.length - 1;
        int at = hash.of(key) & mask;
        while (used[at] && keys[at] != key) {
            at = (at + 1) & mask;
        }
        return at;
    }

    private void grow() {
        long[] oldKeys = keys;
        long[] oldValues = values;
        boolean[] oldUsed = used;
        memory.reserve(SLOT_BYTES * oldKeys.length * 2);
        keys = new long[oldKeys.length * 2];
        values = Arrays.copyOf(oldValues, keys.length);
        used = new boolean[keys.length];
        for (int i = 0; i < oldKeys.length; i++) {
            if (oldUsed[i]) {
                int at = slot(oldKeys[i]);
                used[at] = true;
                keys[at] = oldKeys[i];
                values[at] = oldValues[i];
            }
        }
        memory.release(SLOT_BYTES * oldKeys.length);
    }
}
