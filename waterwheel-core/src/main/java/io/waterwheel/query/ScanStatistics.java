package io.waterwheel.query;

/**
 * Sums over scans of trees or chunks. Each leaf is pruned, counted, read, or {@link #left}.
 *
 * @param leaves leaves that the trees or chunks have; of a chunk that is read in pieces, all count in its first one
 * @param pruned leaves that cannot hold what the query asks for, by the first reason that applies
 * @param counted leaves that match whole and were counted, or aggregated by what is known of them, without reading them
 * @param read leaves whose tuples were looked at
 * @param unmatched of those, leaves in which no tuple matched
 * @param tuples tuples in what was looked at
 * @param parts columns of leaves that were wanted, and directories
 */
public record ScanStatistics(
        long leaves, Pruning pruned, long counted, long read, long unmatched, long tuples, Parts parts) {
    /**
     * What chunks were read by. Columns of leaves come from the chunk store or from the cache of a query server, and so
     * do directories.
     *
     * @param read columns that were read from the chunk store
     * @param bytesRead their bytes, as they are stored
     * @param cached columns that the cache had
     * @param bytesCached bytes that these take in the chunk store
     * @param directoriesRead directories that were read from the chunk store; the other chunks' were in the cache
     * @param directoryBytesRead their bytes, as they are stored
     * @param bytesReadAlong what was read beside these: what lies between columns that were read at once, and before a
     *     directory that was looked for at the end of its file
     * @param readNanos how long it took to read and to decode all that was read
     */
    public record Parts(
            long read,
            long bytesRead,
            long cached,
            long bytesCached,
            long directoriesRead,
            long directoryBytesRead,
            long bytesReadAlong,
            long readNanos) {
        /** Nothing was wanted. */
        public static final Parts NOTHING = new Parts(0, 0, 0, 0, 0, 0, 0, 0);

        /** All bytes that were read from the chunk store. */
        public long allBytesRead() {
            return bytesRead + directoryBytesRead + bytesReadAlong;
        }

        Parts plus(Parts other) {
            return new Parts(
                    read + other.read,
                    bytesRead + other.bytesRead,
                    cached + other.cached,
                    bytesCached + other.bytesCached,
                    directoriesRead + other.directoriesRead,
                    directoryBytesRead + other.directoryBytesRead,
                    bytesReadAlong + other.bytesReadAlong,
                    readNanos + other.readNanos);
        }
    }

    /** Nothing was looked at. */
    public static final ScanStatistics NOTHING = new ScanStatistics(0, Pruning.NOTHING, 0, 0, 0, 0, Parts.NOTHING);

    /** Leaves that a scan had not come to when it ended early: by a limit, or because time was up. */
    public long left() {
        return leaves - pruned.total() - counted - read;
    }

    /**
     * Whether a chunk's directory was enough, of one that was scanned. Of a scan that was ended early in another
     * process nothing is known, and it has no leaves.
     */
    public boolean isByDirectoryAlone() {
        return leaves > 0 && read == 0;
    }

    /** Both together. */
    @SuppressWarnings("ReferenceEquality") // what is equal to NOTHING and another object is added, to the same end
    public ScanStatistics plus(ScanStatistics other) {
        if (this == NOTHING || other == NOTHING) {
            return this == NOTHING ? other : this;
        }
        return new ScanStatistics(
                leaves + other.leaves,
                pruned.plus(other.pruned),
                counted + other.counted,
                read + other.read,
                unmatched + other.unmatched,
                tuples + other.tuples,
                parts.plus(other.parts));
    }
}
