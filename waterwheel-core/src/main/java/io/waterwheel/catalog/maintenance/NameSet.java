package io.waterwheel.catalog.maintenance;

import java.util.Arrays;

/**
 * A set of file names in eight bytes each: their 64-bit hashes, sorted. It may take a name for one of its own that is
 * not (one in 10^12 for ten million names); the caller must be safe on that side. Immutable.
 */
final class NameSet {
    static final NameSet EMPTY = new NameSet(new long[0]);

    private static final long FNV_BASIS = 0xcbf29ce484222325L;
    private static final long FNV_PRIME = 0x100000001b3L;
    private static final int FIRST_ROOM = 1024;

    private final long[] hashes;

    private NameSet(long[] hashes) {
        this.hashes = hashes;
    }

    boolean contains(String name) {
        return Arrays.binarySearch(hashes, hash(name)) >= 0;
    }

    int size() {
        return hashes.length;
    }

    /** FNV-1a over the characters, then mixed, so that names that differ in their last digits lie far apart. */
    private static long hash(String name) {
        long hash = FNV_BASIS;
        for (int i = 0; i < name.length(); i++) {
            hash = (hash ^ name.charAt(i)) * FNV_PRIME;
        }
        hash = (hash ^ (hash >>> 32)) * 0x9E3779B97F4A7C15L;
        return hash ^ (hash >>> 29);
    }

    /** Takes names one by one. */
    static final class Builder {
        private long[] hashes = new long[FIRST_ROOM];
        private int size;

        void add(String name) {
            if (size == hashes.length) {
                hashes = Arrays.copyOf(hashes, size + (size >> 2));
            }
            hashes[size++] = hash(name);
        }

        NameSet build() {
            long[] sorted = Arrays.copyOf(hashes, size);
            Arrays.sort(sorted);
            return new NameSet(sorted);
        }
    }
}
