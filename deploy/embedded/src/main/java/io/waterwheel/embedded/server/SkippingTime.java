package io.waterwheel.embedded.server;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.apache.kafka.common.utils.Time;

/** The system's time, whose monotonic clock can be put forward, as after a pause of the process. Thread-safe. */
final class SkippingTime implements Time {
    private final AtomicLong skippedNanos = new AtomicLong();

    /** Puts {@link #nanoseconds} forward. The time of day stays. */
    void skip(long nanos) {
        skippedNanos.addAndGet(nanos);
    }

    @Override
    public long milliseconds() {
        return Time.SYSTEM.milliseconds();
    }

    @Override
    public long nanoseconds() {
        return Time.SYSTEM.nanoseconds() + skippedNanos.get();
    }

    @Override
    public void sleep(long millis) {
        Time.SYSTEM.sleep(millis);
    }

    @Override
    public void waitObject(Object lock, Supplier<Boolean> condition, long deadlineMillis) throws InterruptedException {
        Time.SYSTEM.waitObject(lock, condition, deadlineMillis);
    }
}
