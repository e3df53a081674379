package io.waterwheel.catalog.maintenance;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.catalog.maintenance.ManifestCompactionPolicy.Backlog;
import io.waterwheel.catalog.maintenance.ManifestCompactionPolicy.Due;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class ManifestCompactionPolicyTest {
    private static final long HOUR = 3_600_000_000_000L;
    private static final ManifestCompactionPolicy POLICY =
            new ManifestCompactionPolicy(ManifestCompaction.Settings.of(1_000), 100_000, 24 * HOUR);

    @Test
    void aStreamIsRolledUpForItsOwnEditsOrTheirAge() {
        assertThat(POLICY.due(List.of(
                        new Backlog(1, 999, 500, HOUR),
                        new Backlog(2, 1_000, 500, HOUR),
                        new Backlog(3, 1, 0, 24 * HOUR),
                        new Backlog(4, 0, 500, 0))))
                .containsExactly(new Due(2, 1_000, 500), new Due(3, 1, 0));
    }

    @Test
    void theLargestGoFirstWhereThereAreTooManyInAll() {
        List<Backlog> backlogs = new ArrayList<>();
        for (int id = 1; id <= 1_000; id++) {
            backlogs.add(new Backlog(id, id % 2 == 0 ? 900 : 5, id % 2 == 0 ? 400 : 0, HOUR));
        }
        // 500 streams of 1,300 edits: all but 57 go, which leaves three quarters of the bound.
        List<Due> due = POLICY.due(backlogs);
        assertThat(due).hasSize(445).allMatch(one -> one.streamId() % 2 == 0 && one.least() == 1 && one.tail() == 0);
    }

    /** Whatever comes: what the policy leaves is within the bound, but for streams that have next to nothing. */
    @Test
    void whatIsLeftIsBoundedInAll() {
        for (long seed = 1; seed <= 200; seed++) {
            Random random = new Random(seed);
            ManifestCompactionPolicy policy = new ManifestCompactionPolicy(
                    ManifestCompaction.Settings.of(10 + random.nextInt(100)), 1_000 + random.nextInt(5_000), 24 * HOUR);
            Map<Integer, long[]> streams = new HashMap<>();
            int count = 1 + random.nextInt(300);
            for (int id = 0; id < count; id++) {
                streams.put(id, new long[2]);
            }
            for (int round = 0; round < 50; round++) {
                streams.values().forEach(edits -> edits[0] += random.nextInt(random.nextInt(4) == 0 ? 30 : 2));
                List<Backlog> backlogs = new ArrayList<>();
                streams.forEach((id, edits) -> backlogs.add(new Backlog(id, edits[0], edits[1], HOUR)));
                for (Due due : policy.due(backlogs)) {
                    long[] edits = streams.get(due.streamId());
                    if (edits[0] > 0) {
                        assertThat(edits[0]).isGreaterThanOrEqualTo(due.least());
                    }
                    edits[1] = Math.min(due.tail(), edits[0] + edits[1]);
                    edits[0] = 0;
                }
                long left = streams.values().stream()
                        .mapToLong(edits -> edits[0] + edits[1])
                        .sum();
                long small = (long) count * ManifestCompactionPolicy.LEAST;
                // A stream that was rolled up for itself keeps its tail until the next look.
                assertThat(left)
                        .as("seed %s, round %s", seed, round)
                        .isLessThanOrEqualTo(Math.max(policy.total(), small)
                                + (long) count * policy.settings().tail());
            }
        }
    }
}
