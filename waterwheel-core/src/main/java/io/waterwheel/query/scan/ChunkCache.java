package io.waterwheel.query.scan;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.waterwheel.chunk.ChunkDirectory;
import io.waterwheel.chunk.LeafPart;
import org.jspecify.annotations.Nullable;

/**
 * Keeps directories and decoded parts of chunks in memory, by what was used often and lately, up to a number of bytes.
 * Files never change and names are never used twice, so nothing in it is ever stale. Thread-safe.
 */
public final class ChunkCache {
    /** About what an entry takes beside its bytes. */
    private static final int ENTRY_BYTES = 150;

    /** A part of a leaf; the directory, when the leaf is -1. */
    private record Key(String file, int leaf, int part) {
        /** As of any record, the numbers first: the files of keys that collide are often equal, and long. */
        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Key that && leaf == that.leaf && part == that.part && file.equals(that.file);
        }

        @Override
        public int hashCode() {
            return (file.hashCode() * 31 + leaf) * 31 + part;
        }
    }

    private final Cache<Key, Object> entries;

    /** @param maxBytes what it may hold; 0 keeps nothing */
    public ChunkCache(long maxBytes) {
        this.entries = Caffeine.newBuilder()
                .maximumWeight(maxBytes)
                .weigher(ChunkCache::weight)
                .executor(Runnable::run)
                .recordStats()
                .build();
    }

    private static int weight(Key key, Object value) {
        if (value instanceof Known known) {
            return known.directory().weight() + ENTRY_BYTES;
        }
        return ((LeafPart) value).weight() + ENTRY_BYTES;
    }

    /**
     * A directory that is kept, or was read.
     *
     * @param file the string that the parts' entries are to be looked up by: one and the same for all look-ups is
     *     compared fastest
     */
    record Known(String file, ChunkDirectory directory) {}

    @Nullable
    Known directory(String file) {
        return (Known) entries.getIfPresent(new Key(file, -1, 0));
    }

    void put(String file, ChunkDirectory directory) {
        entries.put(new Key(file, -1, 0), new Known(file, directory));
    }

    /** The part as it was put, or null. */
    @Nullable
    LeafPart part(String file, int leaf, int part) {
        return (LeafPart) entries.getIfPresent(new Key(file, leaf, part));
    }

    /** Keeps a decoded part. */
    void put(String file, int leaf, int part, LeafPart content) {
        entries.put(new Key(file, leaf, part), content);
    }

    /** Bytes held now. */
    public long bytes() {
        return entries.policy().eviction().orElseThrow().weightedSize().orElse(0);
    }

    /** Look-ups that found what they looked for. */
    public long hits() {
        return entries.stats().hitCount();
    }

    /** Look-ups that did not. */
    public long misses() {
        return entries.stats().missCount();
    }
}
