package io.waterwheel.topology.wiring;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.query.Query;
import io.waterwheel.query.admission.Admission;
import io.waterwheel.query.admission.AdmissionLimits;
import io.waterwheel.query.admission.QueryCost;
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
        Admission admission = new Admission(new AdmissionLimits(1, 1, 9, 9, 100), least, log);
        try (Admission.OpenQuery open = admission.open(Query.of("flights").withLimit(7), "10.0.0.7:4711")) {
            open.admit(
                    new QueryCost(12_345, 2),
                    System.nanoTime() + Duration.ofMinutes(1).toNanos(),
                    () -> false);
            open.sent(7, 890);
            open.endedAs("complete");
        }
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
