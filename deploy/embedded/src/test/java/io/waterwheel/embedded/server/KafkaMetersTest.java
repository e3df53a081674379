package io.waterwheel.embedded.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.yammer.metrics.core.MetricName;
import com.yammer.metrics.core.MetricsRegistry;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Meters of one period tick at the same multiples of it. */
final class KafkaMetersTest {
    private static final long PERIOD = TimeUnit.SECONDS.toNanos(5);

    @Test
    void allAreDueAtAWholePeriod() {
        for (long now : new long[] {0, 1, PERIOD - 1, PERIOD, 123_456_789_012L, -1, -PERIOD - 7}) {
            long delay = KafkaMeters.untilWhole(now, PERIOD, PERIOD);
            assertThat(delay).isBetween(PERIOD, 2 * PERIOD - 1);
            assertThat(Math.floorMod(now + delay, PERIOD)).as("from %d", now).isZero();
        }
    }

    @Test
    void metersTakeThePoolThatIsThere() throws ReflectiveOperationException {
        MetricsRegistry registry = new MetricsRegistry();
        KafkaMeters.tickTogether(registry);
        registry.newMeter(new MetricName("group", "type", "first"), "records", TimeUnit.SECONDS);
        registry.newMeter(new MetricName("group", "type", "second"), "records", TimeUnit.SECONDS);

        var pool = (ScheduledThreadPoolExecutor) registry.newScheduledThreadPool(2, KafkaMeters.POOL);
        assertThat(pool).isInstanceOf(KafkaMeters.Together.class);
        assertThat(pool.getQueue()).hasSize(2);
        assertThat(pool.getCorePoolSize()).isEqualTo(1);
        registry.shutdown();
        assertThat(pool.isShutdown()).isTrue();
    }
}
