package io.waterwheel.topology.wiring;

import io.waterwheel.query.admission.Admission;
import io.waterwheel.query.admission.AdmissionLimits;
import io.waterwheel.query.admission.Lane;
import io.waterwheel.query.admission.SlowQueries;
import io.waterwheel.topology.config.Keys;
import io.waterwheel.topology.config.WaterwheelConfig;
import io.waterwheel.topology.rpc.RpcServer;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The threads that work for one process's queries, a pool for each lane, and the admission that bounds their number:
 * the pools themselves refuse nothing, and never run what they are given on the thread of who asks.
 */
final class QueryThreads implements AutoCloseable {
    /** Threads for parts of queries; a query that needs more by itself runs alone. */
    private static final int PARTS = 1024;

    private static final int LIGHT_A_PROCESSOR = 8;

    private final Admission admission;
    private final ThreadPoolExecutor light = pool("light", RpcServer.QUERY_PRIORITY);
    private final ThreadPoolExecutor heavy = pool("heavy", Thread.MIN_PRIORITY);

    QueryThreads(WaterwheelConfig config) {
        AdmissionLimits limits = limits(config, Runtime.getRuntime().availableProcessors());
        Duration slow = config.get(Keys.QUERY_SLOW);
        admission = slow.isZero()
                ? new Admission(limits)
                : new Admission(
                        limits,
                        new SlowQueries(slow, config.get(Keys.QUERY_SLOW_VALUES).equals("shown"), new SlowQueryLog()));
    }

    static AdmissionLimits limits(WaterwheelConfig config, int processors) {
        int light = config.get(Keys.QUERY_LIGHT_AT_ONCE);
        int heavy = config.get(Keys.QUERY_HEAVY_AT_ONCE);
        return new AdmissionLimits(
                light > 0 ? light : LIGHT_A_PROCESSOR * processors,
                heavy > 0 ? heavy : Math.max(1, processors / 2),
                config.get(Keys.QUERY_OPEN),
                PARTS,
                config.get(Keys.QUERY_HEAVY_TUPLES));
    }

    Admission admission() {
        return admission;
    }

    ExecutorService of(Lane lane) {
        return lane == Lane.LIGHT ? light : heavy;
    }

    @SuppressWarnings("ThreadPriorityCheck") // nothing depends on it but who gives way on a full machine
    private static ThreadPoolExecutor pool(String lane, int priority) {
        AtomicInteger number = new AtomicInteger();
        return new ThreadPoolExecutor(0, Integer.MAX_VALUE, 30, TimeUnit.SECONDS, new SynchronousQueue<>(), task -> {
            Thread thread = new Thread(task, lane + "-query-part-" + number.getAndIncrement());
            thread.setDaemon(true);
            thread.setPriority(priority);
            return thread;
        });
    }

    @Override
    public void close() {
        light.shutdownNow();
        heavy.shutdownNow();
    }
}
