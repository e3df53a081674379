package io.waterwheel.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.catalog.PartitionRoute.VersionSince;
import io.waterwheel.model.KeyInterval;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class RoutingTest {
    @Test
    void everyKeyHasOneSlotAndItsIntervalHoldsIt() {
        Random random = new Random(1);
        for (int count = 1; count <= 9; count++) {
            RoutingTable table = RoutingTable.even(1, KeyInterval.ALL, count);
            for (int i = 0; i < 1000; i++) {
                long key = i == 0 ? Long.MIN_VALUE : i == 1 ? Long.MAX_VALUE : random.nextLong();
                int holders = 0;
                for (int slot = 0; slot < count; slot++) {
                    holders += table.interval(slot).contains(key) ? 1 : 0;
                }
                assertThat(holders).as("key %s of %s", key, count).isEqualTo(1);
                assertThat(table.interval(table.slotOf(key)).contains(key)).isTrue();
            }
        }
    }

    @Test
    void aNewVersionHoldsFromTheLimitOn() {
        PartitionRoute route = new PartitionRoute(0, List.of(new VersionSince(1, 0)))
                .withLimit(100)
                .withVersion(3)
                .withLimit(150);
        assertThat(route.versionAt(99)).isEqualTo(1);
        assertThat(route.versionAt(100)).isEqualTo(3);
        assertThat(route.nextChange(0)).isEqualTo(100);
        assertThat(route.nextChange(100)).isEqualTo(150);
        assertThatThrownBy(() -> route.withLimit(149)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> route.withVersion(3)).isInstanceOf(IllegalArgumentException.class);
    }
}
