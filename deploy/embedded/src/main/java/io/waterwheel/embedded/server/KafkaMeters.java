package io.waterwheel.embedded.server;

import com.yammer.metrics.core.MetricsRegistry;
import java.util.Map;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.server.metrics.KafkaYammerMetrics;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets all meters of Kafka tick at the same time. A broker has some sixty of them, and each ticks every five seconds
 * from its own beginning on: thirteen wake-ups a second of an idle server. With this pool it is one in five seconds. A
 * meter's first tick comes up to five seconds late, so that its first rate may be twice too high.
 *
 * <p>The library of the meters takes a pool of threads by its name, and makes it where there is none. So one of our own
 * is put there before the first meter is made. The way there is by reflection: where it fails, meters tick as ever.
 */
final class KafkaMeters {
    private static final Logger LOG = LoggerFactory.getLogger(KafkaMeters.class);

    /** What {@link MetricsRegistry} calls the pool of its meters. */
    static final String POOL = "meter-tick";

    private KafkaMeters() {}

    /** For the meters that are made from now on in this process; does nothing where there are some. */
    static void tickTogether() {
        try {
            tickTogether(KafkaYammerMetrics.defaultRegistry());
        } catch (ReflectiveOperationException | RuntimeException e) {
            LOG.warn("Kafka's meters tick one by one", e);
        }
    }

    static void tickTogether(MetricsRegistry registry) throws ReflectiveOperationException {
        var unused = pools(registry).computeIfAbsent(POOL, name -> new Together());
    }

    @SuppressWarnings("unchecked")
    private static Map<String, ScheduledExecutorService> pools(MetricsRegistry registry)
            throws ReflectiveOperationException {
        return (Map<String, ScheduledExecutorService>)
                KafkaTimers.value(KafkaTimers.value(registry, "threadPools"), "threadPools");
    }

    /** One thread, for which all that repeats with one period is due at the same time. */
    static final class Together extends ScheduledThreadPoolExecutor {
        Together() {
            super(1, task -> {
                Thread thread = new Thread(task, "kafka-meters");
                thread.setDaemon(true);
                return thread;
            });
        }

        @Override
        public ScheduledFuture<?> scheduleAtFixedRate(Runnable command, long initialDelay, long period, TimeUnit unit) {
            long nanos = unit.toNanos(period);
            long delay = untilWhole(System.nanoTime(), unit.toNanos(initialDelay), nanos);
            return super.scheduleAtFixedRate(command, delay, nanos, TimeUnit.NANOSECONDS);
        }
    }

    /**
     * Gives the least delay, not below the one that is wanted, that ends at a multiple of the period.
     *
     * @param nowNanos by {@link System#nanoTime}
     */
    static long untilWhole(long nowNanos, long wantedNanos, long periodNanos) {
        return wantedNanos + Math.floorMod(-(nowNanos + wantedNanos), periodNanos);
    }
}
