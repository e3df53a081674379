package io.waterwheel.benchmark.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.benchmark.endtoend.ProcessTimes.Ticks;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Lines of the kernel, and what they say together. */
final class ProcessTimesTest {
    @Test
    void namesMayHoldAnything() {
        String rest = " S 1 2 3 0 -1 4194368 10 0 0 0 %d %d 0 0 20 0 41 0 100";
        assertThat(Ticks.parse("71 (gateway-12)" + rest.formatted(7, 3))).isEqualTo(new Ticks("gateway-N", 7, 3));
        assertThat(Ticks.parse("72 (a) S 9 (b)" + rest.formatted(1, 0))).isEqualTo(new Ticks("a) S N (b", 1, 0));
        assertThatThrownBy(() -> Ticks.parse("73")).hasMessage("no line of /proc/PID/stat: '73'");
    }

    @Test
    void threadsOfANameAreOneLine() {
        Map<String, Ticks> before = Map.of(
                "1", new Ticks("gateway-N", 5, 5), "2", new Ticks("gateway-N", 1, 0), "3", new Ticks("ended", 9, 9));
        Map<String, Ticks> after = Map.of(
                "1", new Ticks("gateway-N", 6, 8),
                "2", new Ticks("gateway-N", 1, 0),
                "4", new Ticks("new", 2, 0),
                "5", new Ticks("idle", 0, 0));
        assertThat(ProcessTimes.byName(before, after))
                .containsExactly(new Ticks("gateway-N", 1, 3), new Ticks("new", 2, 0));
    }
}
