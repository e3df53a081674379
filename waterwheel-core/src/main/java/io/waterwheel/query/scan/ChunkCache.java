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
    private record Key(String file, int leaf, int part) {}

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
        if (value instanceof ChunkDirectory directory) {
            return directory.weight() + ENTRY_BYTES;
        }
        return ((LeafPart) value).weight() + ENTRY_BYTES;
    }

    @Nullable
    ChunkDirectory directory(String file) {
        return (ChunkDirectory) entries.getIfPresent(new Key(file, -1, 0));
    }

    void put(String file, ChunkDirectory directory) {
        entries.put(new Key(file, -1, 0), directory);
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
