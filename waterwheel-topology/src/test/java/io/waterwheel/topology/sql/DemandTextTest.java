package io.waterwheel.topology.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Positions as text. */
final class DemandTextTest {
    @Test
    void comeBackAsTheyWere() {
        Random random = new Random(5);
        for (int round = 0; round < 200; round++) {
            Map<String, Map<Integer, Long>> positions = new HashMap<>();
            for (int i = 0; i <= random.nextInt(6); i++) {
                positions
                        .computeIfAbsent("s" + random.nextInt(3) + ":x", name -> new HashMap<>())
                        .put(random.nextInt(9), random.nextLong() >>> 1);
            }
            assertThat(DemandText.parse(DemandText.of(positions))).isEqualTo(positions);
        }
        assertThat(DemandText.of(Map.of())).isEmpty();
        assertThat(DemandText.parse(" a:0:5 , a:0:9,a:0:7")).isEqualTo(Map.of("a", Map.of(0, 9L)));
    }

    @Test
    void otherTextsAreRefused() {
        for (String text : new String[] {"", "a", "a:1", ":1:2", "a:-1:2", "a:1:-2", "a:x:2", "a:1:2,", "a@1:2"}) {
            assertThatThrownBy(() -> DemandText.parse(text))
                    .as(text)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("expected STREAM:PARTITION:OFFSET");
        }
    }
}
