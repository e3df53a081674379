package io.waterwheel.query.scan;

import io.waterwheel.query.ScanStatistics;

/** What one scan looks at, while it does; {@link ScanStatistics} has the meanings. One thread. */
final class ScanTally {
    private final long leaves;
    long outsideKeys;
    long outsideTimes;
    long outsideValues;
    long counted;
    long read;
    long tuples;
    long partsRead;
    long partsCached;
    long bytesRead;

    ScanTally(long leaves) {
        this.leaves = leaves;
    }

    ScanStatistics sum() {
        return new ScanStatistics(
                leaves,
                new ScanStatistics.Skipped(outsideKeys, outsideTimes, outsideValues),
                counted,
                read,
                tuples,
                new ScanStatistics.Parts(partsRead, partsCached, bytesRead));
    }
}
