package io.waterwheel.query.scan;

import java.util.concurrent.TimeUnit;

/** Time as a query sees it: the system's, or that of a simulation. Thread-safe. */
public interface QueryClock {
    /** {@link System#nanoTime} and real pauses. */
    QueryClock SYSTEM = new QueryClock() {
        @Override
        public long nanos() {
            return System.nanoTime();
        }

        @Override
        public void sleep(long nanos) throws InterruptedException {
            TimeUnit.NANOSECONDS.sleep(nanos);
        }
    };

    /** Nanoseconds since some moment; only differences mean anything. */
    long nanos();

    /** Returns when so much time has passed. */
    void sleep(long nanos) throws InterruptedException;
}
