package io.waterwheel.query;

/**
 * What reading chunks took. For people and for measurements: no answer depends on it.
 *
 * @param chunks chunks that the stream had, whether they were read or not; -1: not known
 * @param leaves leaves of the chunks that were read
 * @param leavesRead those of them that were looked into; the others, ranges, sketches and filters showed to hold
 *     nothing of the question, or counted without being read
 * @param partsRead parts (a column of a leaf) that came from files
 * @param bytesRead bytes of those
 * @param cacheHits parts that were in a cache
 */
public record ReadCosts(long chunks, long leaves, long leavesRead, long partsRead, long bytesRead, long cacheHits) {
    /** Nothing is known. */
    public static final ReadCosts UNKNOWN = new ReadCosts(-1, 0, 0, 0, 0, 0);

    /** Nothing was read, of no chunk. */
    public static final ReadCosts NONE = new ReadCosts(0, 0, 0, 0, 0, 0);

    /** Whether anything is known. */
    public boolean known() {
        return chunks >= 0;
    }

    /** Both together. */
    public ReadCosts plus(ReadCosts other) {
        return new ReadCosts(
                chunks + other.chunks,
                leaves + other.leaves,
                leavesRead + other.leavesRead,
                partsRead + other.partsRead,
                bytesRead + other.bytesRead,
                cacheHits + other.cacheHits);
    }

    /** The same reading, of a stream with so many chunks. */
    public ReadCosts ofChunks(long number) {
        return new ReadCosts(number, leaves, leavesRead, partsRead, bytesRead, cacheHits);
    }
}
