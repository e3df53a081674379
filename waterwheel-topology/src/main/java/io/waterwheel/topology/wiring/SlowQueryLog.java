package io.waterwheel.topology.wiring;

import io.waterwheel.query.admission.SlowQuery;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A line of the log for each query that took long, {@link #LINES} in {@link #PERIOD_NANOS} at most; the next line then
 * says how many had none. Thread-safe.
 */
final class SlowQueryLog implements Consumer<SlowQuery> {
    static final int LINES = 20;
    static final long PERIOD_NANOS = TimeUnit.SECONDS.toNanos(10);

    private static final Logger LOG = LoggerFactory.getLogger(SlowQueryLog.class);

    private final LongSupplier clock;
    private final Consumer<String> log;

    // Guarded by this.
    private long periodBegan;
    private int lines;
    private long left;

    SlowQueryLog() {
        this(System::nanoTime, LOG::warn);
    }

    SlowQueryLog(LongSupplier clock, Consumer<String> log) {
        this.clock = clock;
        this.log = log;
        this.periodBegan = clock.getAsLong();
    }

    @Override
    public void accept(SlowQuery query) {
        long passedOver;
        synchronized (this) {
            long now = clock.getAsLong();
            if (now - periodBegan >= PERIOD_NANOS) {
                periodBegan = now;
                lines = 0;
            }
            if (lines == LINES) {
                left++;
                return;
            }
            lines++;
            passedOver = left;
            left = 0;
        }
        log.accept(
                query.line() + (passedOver == 0 ? "" : " (and " + passedOver + " slow ones before it without a line)"));
    }
}
