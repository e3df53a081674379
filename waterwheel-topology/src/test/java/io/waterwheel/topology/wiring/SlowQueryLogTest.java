package io.waterwheel.topology.wiring;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.query.KeyRange;
import io.waterwheel.query.PruneReason;
import io.waterwheel.query.Pruning;
import io.waterwheel.query.Query;
import io.waterwheel.query.ScanStatistics;
import io.waterwheel.query.ScanStatistics.Parts;
import io.waterwheel.query.Statistics;
import io.waterwheel.query.admission.Admission;
import io.waterwheel.query.admission.AdmissionLimits;
import io.waterwheel.query.admission.QueryCost;
import io.waterwheel.query.admission.SlowQueries;
import io.waterwheel.tuple.TimeInterval;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** What the log says of queries that took long. */
final class SlowQueryLogTest {
    private final AtomicLong now = new AtomicLong();
    private final List<String> lines = new ArrayList<>();
    private final SlowQueryLog log = new SlowQueryLog(now::get, lines::add);

    private void run(Duration least) throws InterruptedException {
        run(least, Query.of("flights").withLimit(7), true, Statistics.NONE);
    }

    private void run(Duration least, Query query, boolean values, Statistics statistics) throws InterruptedException {
        Admission admission = new Admission(new AdmissionLimits(1, 1, 9, 9, 100), new SlowQueries(least, values, log));
        try (Admission.OpenQuery open = admission.open(query, "10.0.0.7:4711")) {
            open.admit(
                    new QueryCost(12_345, 2),
                    System.nanoTime() + Duration.ofMinutes(1).toNanos(),
                    () -> false);
            open.sent(7, 890);
            open.answered("complete", statistics);
        }
    }

    @Test
    void aLineSaysWhatWasRead() throws Exception {
        ScanStatistics scanned = new ScanStatistics(
                160, Pruning.of(PruneReason.KEY, 148), 0, 12, 4, 24_576, new Parts(48, 1_000, 12, 300, 8, 200, 34, 5));
        run(
                Duration.ofNanos(1),
                Query.of("flights"),
                true,
                new Statistics(120, 10, Pruning.NOTHING, 8, 0, 0, scanned, ScanStatistics.NOTHING));
        assertThat(lines)
                .singleElement()
                .asString()
                .endsWith("890 bytes out; read: 8 of 120 chunks, 12 of 160 leaves, 24576 tuples, 1234 bytes from the"
                        + " store, 300 from the cache; flights: all rows");
    }

    @Test
    void valuesAreLeftOutWhereTheyAreToBeHidden() throws Exception {
        Query query = Query.of("flights")
                .withKeyRanges(List.of(new KeyRange("4711", "4712")))
                .withTimes(new TimeInterval(1_633_611_600_000L, 1_633_611_660_000L))
                .withWhere("speed > 4713 AND name IN ('Mary', 'Ann') AND NOT name LIKE 'J%' AND x = -1.5")
                .withCount();
        run(Duration.ofNanos(1), query, true, Statistics.NONE);
        run(Duration.ofNanos(1), query, false, Statistics.NONE);
        assertThat(lines.get(0))
                .endsWith("; flights: 1 key interval, time 2021-10-07T13:00:00Z to 2021-10-07T13:01:00Z, where"
                        + " speed > 4713 AND name IN ('Mary', 'Ann') AND NOT name LIKE 'J%' AND x = -1.5, count");
        assertThat(lines.get(1))
                .endsWith("; flights: 1 key interval, time of PT1M, where speed > ? AND name IN (?) AND NOT name LIKE"
                        + " ? AND x = ?, count");
    }

    @Test
    void aLineSaysWhoAskedWhatAndWhereTheTimeWent() throws Exception {
        run(Duration.ofHours(1));
        assertThat(lines).isEmpty();
        run(Duration.ofNanos(1));
        assertThat(lines)
                .singleElement()
                .asString()
                .matches("slow query [0-9a-f]{6}-1 of 10\\.0\\.0\\.7:4711: complete in \\d+\\.\\d{3} s \\(planning"
                        + " \\d+\\.\\d{3} s, waiting \\d+\\.\\d{3} s, running \\d+\\.\\d{3} s\\), heavy, about 12345"
                        + " tuples to look at, 7 rows and 890 bytes out; flights: 7 rows");
    }

    @Test
    void aLineNamesTheTraceOfItsCaller() throws Exception {
        Admission admission =
                new Admission(new AdmissionLimits(1, 1, 9, 9, 100), new SlowQueries(Duration.ofNanos(1), true, log));
        admission.open(Query.of("flights"), "a:1", "00-1-2-01", true).close();
        assertThat(lines).singleElement().asString().contains(" of a:1, traceparent 00-1-2-01: no answer in ");
    }

    @Test
    void manyLeaveSomeOut() throws Exception {
        for (int i = 0; i < SlowQueryLog.LINES + 5; i++) {
            run(Duration.ofNanos(1));
        }
        assertThat(lines).hasSize(SlowQueryLog.LINES);
        now.addAndGet(SlowQueryLog.PERIOD_NANOS);
        run(Duration.ofNanos(1));
        assertThat(lines).hasSize(SlowQueryLog.LINES + 1);
        assertThat(lines.get(SlowQueryLog.LINES)).endsWith(" (and 5 slow ones before it without a line)");
        run(Duration.ofNanos(1));
        assertThat(lines.get(SlowQueryLog.LINES + 1)).doesNotContain("without a line");
    }
}
