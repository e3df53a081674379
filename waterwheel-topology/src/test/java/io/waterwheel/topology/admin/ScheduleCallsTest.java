package io.waterwheel.topology.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.key.sample.CellUse;
import io.waterwheel.tuple.ScaleVersion;
import java.util.Arrays;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

final class ScheduleCallsTest {
    /** Right after a change of the scales a handful of keys would speak for all. */
    @Test
    void keysOfTheNewestScalesCountOnceThereAreEnough() {
        int enough = CellUse.LEAST_KEYS;
        assertThat(ScheduleCalls.scalesOfMost(keys(5 * enough, enough, 1))).isEqualTo(2);
        assertThat(ScheduleCalls.scalesOfMost(keys(5 * enough, enough - 1, 1))).isEqualTo(1);
        assertThat(ScheduleCalls.scalesOfMost(keys(5 * enough, 0, enough))).isEqualTo(3);
        assertThat(ScheduleCalls.scalesOfMost(keys(2, 7, 5))).isEqualTo(2);
        assertThat(ScheduleCalls.scalesOfMost(new long[0])).isEqualTo(1);
    }

    /** So many keys by each version of the scales, from the first on. */
    private static long[] keys(int... counts) {
        LongStream keys = LongStream.empty();
        for (int version = 1; version <= counts.length; version++) {
            long[] of = new long[counts[version - 1]];
            Arrays.setAll(of, i -> i);
            long prefix = ScaleVersion.prefix(version);
            keys = LongStream.concat(keys, Arrays.stream(of).map(key -> prefix | key));
        }
        return keys.toArray();
    }
}
