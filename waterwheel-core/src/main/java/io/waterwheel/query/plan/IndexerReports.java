package io.waterwheel.query.plan;

import io.waterwheel.protocol.Control;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What an indexer has reported.
 *
 * @param last its last report
 * @param age how long ago the last one came
 * @param settled its last report that was not of a recovery, whichever life it was of; null when there was none
 * @param settledAge how long ago that one came
 * @param newest the latest event time of a region in a report that was not of a recovery; {@link Long#MIN_VALUE} when
 *     there was none
 * @param shown the watermarks up to which answers of this coordinator have shown its tuples; empty when they lay at or
 *     below the positions of all answers
 */
@SuppressWarnings("ArrayRecordComponent") // one number per partition; never compared
public record IndexerReports(
        Control.Report last,
        Duration age,
        Control.@Nullable Report settled,
        Duration settledAge,
        long newest,
        long[] shown) {
    static final long[] NOTHING_SHOWN = {};

    /** Of an indexer that was in no answer above the answer's positions. */
    public IndexerReports(
            Control.Report last, Duration age, Control.@Nullable Report settled, Duration settledAge, long newest) {
        this(last, age, settled, settledAge, newest, NOTHING_SHOWN);
    }

    /** Reports come several times a second: an indexer whose last one is older is asked. */
    private static final Duration FRESH = Duration.ofSeconds(1);

    /** A reported region reaches that far beyond the newest tuple, for a start. */
    private static final long SLACK_MILLIS = 10_000;

    /** An indexer that has been silent for this time would let the query wait as well. */
    private static final Duration SILENT = Duration.ofSeconds(3);

    /** The latest event time of a report's region; {@link Long#MIN_VALUE} when it has none. */
    static long newest(Control.Report report) {
        return report.region() == null
                ? Long.MIN_VALUE
                : report.region().times().to();
    }

    boolean isFresh() {
        return age.compareTo(FRESH) <= 0;
    }

    /** Whether the indexer is silent or recovering, so that asking it would block. */
    boolean isAway() {
        return age.compareTo(SILENT) > 0 || last.recovering();
    }

    /** Whether its tuples were at that time long ago, or later. */
    boolean hadReached(long time) {
        return newest != Long.MIN_VALUE && time < newest - SLACK_MILLIS;
    }
}
