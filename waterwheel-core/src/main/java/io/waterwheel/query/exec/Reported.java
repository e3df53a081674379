package io.waterwheel.query.exec;

import io.waterwheel.model.Control;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What an indexer has reported.
 *
 * @param last its last report
 * @param age how long ago the last one came
 * @param settled its last report that was not of a recovery, whichever life it was of; null when there was none
 * @param settledAge how long ago that one came
 */
public record Reported(Control.Report last, Duration age, Control.@Nullable Report settled, Duration settledAge) {
    /** Reports come several times a second: an indexer whose last one is older is asked. */
    private static final Duration FRESH = Duration.ofSeconds(1);

    /** Whoever has not been heard of for so long would let the query wait as well. */
    private static final Duration SILENT = Duration.ofSeconds(3);

    /** A report that has just come. */
    public static Reported now(Control.Report report) {
        return new Reported(report, Duration.ZERO, report.recovering() ? null : report, Duration.ZERO);
    }

    boolean isFresh() {
        return age.compareTo(FRESH) <= 0;
    }

    boolean isSilent() {
        return age.compareTo(SILENT) > 0;
    }
}
