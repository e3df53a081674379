package io.waterwheel.topology.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.topology.worker.DeactivatedSpout.Source;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class DeactivatedSpoutTest {
    @Test
    void aFewPartitionsStandOnOnePage() {
        DeactivatedSpout few = new DeactivatedSpout(Map.of(new Source(7, 3), 42L));
        assertThat(few.pages(DeactivatedSpout.PAGE_BYTES)).containsExactly("7 3 42\n");
        assertThat(DeactivatedSpout.parse(List.of("7 3 42\n"))).isEqualTo(few);
        assertThat(new DeactivatedSpout(Map.of()).pages(100)).containsExactly("");
        assertThat(DeactivatedSpout.pageCount("")).isEqualTo(1);
    }

    @Test
    void aHundredThousandPartitionsStandOnPagesThatZooKeeperTakes() {
        Map<Source, Long> positions = new HashMap<>();
        for (int p = 0; p < 100_000; p++) {
            positions.put(new Source(1_000_000, p), Long.MAX_VALUE - p);
        }
        DeactivatedSpout many = new DeactivatedSpout(positions);
        List<String> pages = many.pages(DeactivatedSpout.PAGE_BYTES);
        assertThat(pages).hasSizeGreaterThan(5).allSatisfy(page -> assertThat(page.getBytes(StandardCharsets.UTF_8))
                .hasSizeLessThanOrEqualTo(DeactivatedSpout.PAGE_BYTES));
        assertThat(DeactivatedSpout.pageCount(pages.get(0))).isEqualTo(pages.size());
        assertThat(DeactivatedSpout.parse(pages)).isEqualTo(many);
    }

    @Test
    void whatIsNoPageIsRefused() {
        assertThatThrownBy(() -> DeactivatedSpout.parse(List.of("1 2")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'1 2'");
    }
}
