package io.waterwheel.cluster;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Links between hosts are cut and slow, as a {@link FaultRun} looks on. Only below {@code deploy/cluster/netns}, which
 * makes the hosts. {@code -Dlinks=A,B}: these faults; {@code -Dseed=N} repeats a run's choices.
 */
@Tag("cluster")
@ExtendWith(SharedCluster.class)
final class NetworkFaultsTest {
    private static final String GIVEN = System.getProperty("links", "CUT_HOST,SLOW_HOST");

    private final long seed = Long.getLong("seed", System.nanoTime());

    @Test
    void answersStayExact(SharedCluster.Lazy lazy) throws Exception {
        assumeTrue(!LinkFault.PREFIX.isEmpty(), "no network namespaces; run deploy/cluster/netns");
        List<LinkFault> faults =
                Arrays.stream(GIVEN.split(",", -1)).map(LinkFault::valueOf).toList();
        new FaultRun("network faults", seed, new Random(seed), false).run(lazy.start(), faults);
    }
}
