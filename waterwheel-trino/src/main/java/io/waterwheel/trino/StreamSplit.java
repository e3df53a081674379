package io.waterwheel.trino;

import io.trino.spi.SplitWeight;
import io.trino.spi.connector.ConnectorSplit;

/**
 * A part of a scan: the tuples whose key and time lie in a rectangle. The splits of a scan have no tuple in common, and
 * leave out none: docs/decisions/0053.
 *
 * @param lowKey least key, as Waterwheel's keys are numbered
 * @param highKey greatest key
 * @param from least time, milliseconds since 1970 UTC
 * @param to greatest time
 * @param weight what it costs beside a split of the usual size, in hundredths; 1 to 100
 */
public record StreamSplit(long lowKey, long highKey, long from, long to, int weight) implements ConnectorSplit {
    private static final long OBJECT_BYTES = 64;
    private static final double WHOLE = 100;

    @Override
    public SplitWeight getSplitWeight() {
        return SplitWeight.fromProportion(weight / WHOLE);
    }

    @Override
    public long getRetainedSizeInBytes() {
        return OBJECT_BYTES;
    }
}
