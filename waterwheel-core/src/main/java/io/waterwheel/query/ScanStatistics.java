package io.waterwheel.query;

/**
 * What scans of trees or chunks looked at, in sums. A leaf is skipped for the first reason that applies; what a scan
 * that was ended early (by a limit, or because time was up) had not come to is in {@code leaves} alone.
 *
 * @param leaves leaves that the trees or chunks have
 * @param outsideKeys leaves skipped because no key of them can match, the empty ones of a tree among them
 * @param outsideTimes leaves skipped because their range of time, or their time sketch, has nothing of the query's
 * @param outsideValues leaves skipped because the smallest and largest values of their fields rule the condition out,
 *     or that a tuple is among the first by an order
 * @param counted leaves that match whole and were counted, or aggregated by what is known of them, without reading them
 * @param read leaves whose tuples were looked at
 * @param tuples tuples in what was looked at
 * @param partsRead columns of leaves that were read from the chunk store
 * @param partsCached columns of leaves that the cache had
 * @param bytesRead stored bytes of the columns that were read; directories are not counted
 */
public record ScanStatistics(
        long leaves,
        long outsideKeys,
        long outsideTimes,
        long outsideValues,
        long counted,
        long read,
        long tuples,
        long partsRead,
        long partsCached,
        long bytesRead) {
    /** Nothing was looked at. */
    public static final ScanStatistics NOTHING = new ScanStatistics(0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

    /** Both together. */
    public ScanStatistics plus(ScanStatistics other) {
        return new ScanStatistics(
                leaves + other.leaves,
                outsideKeys + other.outsideKeys,
                outsideTimes + other.outsideTimes,
                outsideValues + other.outsideValues,
                counted + other.counted,
                read + other.read,
                tuples + other.tuples,
                partsRead + other.partsRead,
                partsCached + other.partsCached,
                bytesRead + other.bytesRead);
    }
}
