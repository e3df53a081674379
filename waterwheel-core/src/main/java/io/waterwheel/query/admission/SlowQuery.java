package io.waterwheel.query.admission;

import io.waterwheel.query.ScanStatistics;
import io.waterwheel.query.Statistics;
import io.waterwheel.query.admission.QueryState.Stage;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;

/**
 * A query that took long, at its end, for people.
 *
 * @param state at the end; its age is how long it took
 * @param trace the caller's {@code traceparent}; empty where there is none
 * @param times how long it was at each stage; none is where it never was
 * @param bytes of rows that its client was sent, as they are held here
 * @param outcome {@code complete}, {@code incomplete}, or the code of the error
 * @param statistics what was looked at; {@link Statistics#NONE} for one that failed
 */
public record SlowQuery(
        QueryState state, String trace, Map<Stage, Duration> times, long bytes, String outcome, Statistics statistics) {
    SlowQuery with(String text) {
        QueryState at = state;
        QueryState named =
                new QueryState(at.id(), at.client(), text, at.lane(), at.stage(), at.tuples(), at.rows(), at.age());
        return new SlowQuery(named, trace, times, bytes, outcome, statistics);
    }

    /** In one line, without what is not for a log: line ends and other control characters of the query. */
    public String line() {
        StringBuilder line = new StringBuilder();
        line.append(String.format(
                Locale.ROOT,
                "slow query %s of %s%s: %s in %s",
                state.id(),
                client(),
                trace.isEmpty() ? "" : ", traceparent " + trace,
                outcome,
                seconds(state.age())));
        String before = " (";
        for (Stage stage : Stage.values()) {
            Duration time = times.get(stage);
            if (time != null) {
                line.append(before)
                        .append(stage.name().toLowerCase(Locale.ROOT))
                        .append(' ')
                        .append(seconds(time));
                before = ", ";
            }
        }
        String lane = state.lane() == null ? "not planned" : state.lane().text();
        return line.append(String.format(
                        Locale.ROOT,
                        "), %s, about %d tuples to look at, %d rows and %d bytes out%s; %s",
                        lane,
                        state.tuples(),
                        state.rows(),
                        bytes,
                        lookedAt(),
                        state.query().replaceAll("[\\p{Cc}\\u2028\\u2029]", " ")))
                .toString();
    }

    private String lookedAt() {
        if (statistics.equals(Statistics.NONE)) {
            return "";
        }
        ScanStatistics all = statistics.inChunks().plus(statistics.fresh());
        ScanStatistics.Parts parts = all.parts();
        return String.format(
                Locale.ROOT,
                "; read: %d of %d chunks, %d of %d leaves, %d tuples, %d bytes from the store, %d from the cache",
                statistics.chunksRead(),
                statistics.chunks(),
                all.read(),
                all.leaves(),
                all.tuples(),
                parts.allBytesRead(),
                parts.bytesCached());
    }

    private String client() {
        return state.client().isEmpty() ? "this process" : state.client();
    }

    private static String seconds(Duration time) {
        return String.format(Locale.ROOT, "%.3f s", time.toNanos() / 1e9);
    }
}
