package io.waterwheel.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.catalog.state.PartitionRoute;
import io.waterwheel.catalog.state.PartitionRoute.VersionSince;
import io.waterwheel.catalog.state.RoutingTable;
import io.waterwheel.tuple.KeyInterval;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
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
    void aDomainOfFewerKeysThanIndexersIsDividedByWholeKeys() {
        // A boolean's keys, one key, a few at each end of the longs.
        for (KeyInterval domain : List.of(
                new KeyInterval(0, 1),
                new KeyInterval(7, 7),
                new KeyInterval(Long.MAX_VALUE - 1, Long.MAX_VALUE),
                new KeyInterval(Long.MAX_VALUE, Long.MAX_VALUE),
                new KeyInterval(Long.MIN_VALUE, Long.MIN_VALUE + 2))) {
            for (int count = 1; count <= 70; count++) {
                RoutingTable table = RoutingTable.even(1, domain, count);
                Set<Integer> slots = new HashSet<>();
                long keys = domain.high() - domain.low() + 1;
                for (long i = 0; i < keys; i++) {
                    slots.add(table.slotOf(domain.low() + i));
                }
                assertThat(slots).as("%s by %s", domain, count).hasSize((int) Math.min(keys, count));
            }
        }
    }

    @Test
    void theSharesOfADomainDifferByLessThanAStep() {
        Random random = new Random(2);
        for (int i = 0; i < 1000; i++) {
            long low = random.nextLong(-1000, 1000);
            KeyInterval domain = new KeyInterval(low, low + (long) random.nextInt(2000));
            int count = 1 + random.nextInt(20);
            RoutingTable table = RoutingTable.even(1, domain, count);
            int[] shares = new int[count];
            for (long key = domain.low(); key <= domain.high(); key++) {
                shares[table.slotOf(key)]++;
            }
            int step = (int) Math.max(1, (domain.high() - domain.low() + 1) / count);
            for (int slot = 0; slot < count - 1; slot++) {
                assertThat(shares[slot])
                        .as("%s by %s, slot %s", domain, count, slot)
                        .isIn(0, step);
            }
            assertThat(shares[count - 1])
                    .as("%s by %s, the last", domain, count)
                    .isLessThan(step + count);
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
