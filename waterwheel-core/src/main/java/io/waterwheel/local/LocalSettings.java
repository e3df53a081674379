package io.waterwheel.local;

/**
 * Sizes of a local stream.
 *
 * @param flushBytes bytes of tuples, as {@code TupleBlock.bytes} counts, at which the tree becomes a chunk
 * @param cacheBytes what the cache of chunk parts may hold; 0 keeps nothing
 */
public record LocalSettings(long flushBytes, long cacheBytes) {
    /** Chunks of 16 MiB, a cache of 1 GiB. */
    public static final LocalSettings DEFAULT = new LocalSettings(16 << 20, 1L << 30);

    public LocalSettings {
        if (flushBytes < 1 || cacheBytes < 0) {
            throw new IllegalArgumentException("local stream: flushBytes " + flushBytes + ", cacheBytes " + cacheBytes
                    + ": expected at least 1 and 0");
        }
    }
}
