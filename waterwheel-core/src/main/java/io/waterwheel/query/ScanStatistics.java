package io.waterwheel.query;

/**
 * Sums over scans of trees or chunks. A leaf is skipped for the first reason that applies. If a scan ended early (by a
 * limit, or because time was up), the leaves that it had not reached count in {@code leaves} alone.
 *
 * @param leaves leaves that the trees or chunks have
 * @param skipped leaves that cannot hold what the query asks for
 * @param counted leaves that match whole and were counted, or aggregated by what is known of them, without reading them
 * @param read leaves whose tuples were looked at
 * @param tuples tuples in what was looked at
 * @param parts columns of leaves that were wanted
 */
public record ScanStatistics(long leaves, Skipped skipped, long counted, long read, long tuples, Parts parts) {
    /**
     * Leaves that were skipped, by the reason.
     *
     * @param byKeys because no key of them can match; the empty ones of a tree among them
     * @param byTimes because their range of time, or their time sketch, has nothing of the query's
     * @param byValues because the smallest and largest values of their fields rule the condition out, or that a tuple
     *     is among the first by an order
     */
    public record Skipped(long byKeys, long byTimes, long byValues) {
        Skipped plus(Skipped other) {
            return new Skipped(byKeys + other.byKeys, byTimes + other.byTimes, byValues + other.byValues);
        }
    }

    /**
     * Columns of leaves of chunks that were wanted.
     *
     * @param read of those, columns that were read from the chunk store
     * @param cached of those, columns that the cache had
     * @param bytesRead stored bytes of the columns that were read; directories are not counted
     */
    public record Parts(long read, long cached, long bytesRead) {
        Parts plus(Parts other) {
            return new Parts(read + other.read, cached + other.cached, bytesRead + other.bytesRead);
        }
    }

    /** Nothing was looked at. */
    public static final ScanStatistics NOTHING =
            new ScanStatistics(0, new Skipped(0, 0, 0), 0, 0, 0, new Parts(0, 0, 0));

    /** Both together. */
    public ScanStatistics plus(ScanStatistics other) {
        return new ScanStatistics(
                leaves + other.leaves,
                skipped.plus(other.skipped),
                counted + other.counted,
                read + other.read,
                tuples + other.tuples,
                parts.plus(other.parts));
    }
}
