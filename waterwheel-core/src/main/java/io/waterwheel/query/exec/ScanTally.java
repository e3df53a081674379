package io.waterwheel.query.exec;

import io.waterwheel.query.Scanned;

/** What one scan looks at, while it does; {@link Scanned} has the meanings. One thread. */
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

    Scanned sum() {
        return new Scanned(
                leaves,
                outsideKeys,
                outsideTimes,
                outsideValues,
                counted,
                read,
                tuples,
                partsRead,
                partsCached,
                bytesRead);
    }
}
