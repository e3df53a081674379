package io.waterwheel.cluster;

import io.waterwheel.Rounds;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Parts of a cluster are killed, or stand still and wake again, as a {@link FaultRun} looks on. The short form strikes
 * three times; {@code -Dkills=N} all kinds until so many kills were done, {@code -Dfaults=A,B} these, {@code -Dseed=N}
 * repeats a run's choices.
 */
@Tag("cluster")
@Timeout(1800)
@ExtendWith(SharedCluster.class)
final class ClusterFaultsTest {
    private static final int KILLS = Rounds.of("kills", 0, 20);
    private static final String GIVEN = System.getProperty("faults", "");

    private final long seed = Long.getLong("seed", System.nanoTime());
    private final Random random = new Random(seed);

    @Test
    void answersStayExact(SharedCluster.Running running) throws Exception {
        new FaultRun("cluster faults", seed, random, KILLS > 0).run(running, faults());
    }

    private List<ClusterFault> faults() {
        if (!GIVEN.isEmpty()) {
            return Arrays.stream(GIVEN.split(",", -1))
                    .map(ClusterFault::valueOf)
                    .toList();
        }
        if (KILLS == 0) {
            return List.of(ClusterFault.KILL_WORKER, ClusterFault.KILL_DATANODE, ClusterFault.PAUSE_WORKER);
        }
        List<ClusterFault> all = List.of(ClusterFault.values());
        List<ClusterFault> chosen = new ArrayList<>();
        for (int kills = 0; kills < KILLS; ) {
            ClusterFault fault = all.get(random.nextInt(all.size()));
            chosen.add(fault);
            kills += fault.isKill() ? 1 : 0;
        }
        return chosen;
    }
}
