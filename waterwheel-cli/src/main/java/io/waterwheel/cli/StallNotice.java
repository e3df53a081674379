package io.waterwheel.cli;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import java.io.PrintStream;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Says once why an append stands still, when it is that the server's disk has no room, and once that it goes on:
 * Kafka's producer tries again and again without a word. One thread of its own looks at the one that appends.
 */
final class StallNotice implements AutoCloseable {
    private static final long LOOK_MILLIS = 1_000;
    private static final long STALL_NANOS = TimeUnit.SECONDS.toNanos(2);
    private static final long CLOSE_MILLIS = 1_000;

    private final PrintStream err;
    private final Supplier<String> status;
    private final LongSupplier clock;
    private final CountDownLatch closing = new CountDownLatch(1);
    private final Thread thread = new Thread(this::run, "append-watch");

    /** When the call under way began, by the clock. Written by the appending thread. */
    private volatile long since;

    /** Number of calls; odd while one is under way. Written by the appending thread, after {@link #since}. */
    private volatile long calls;

    /** The last call that threw; 0 for none. Written by the appending thread, before {@link #calls}. */
    private volatile long failed;

    /** Only touched by {@link #look}: the call that was told of; 0 for none. */
    private long told;

    /**
     * @param status of the server, as people read it; asked when an append stands still
     * @param clock in nanoseconds, as {@link System#nanoTime}
     */
    StallNotice(PrintStream err, Supplier<String> status, LongSupplier clock) {
        this.clock = clock;
        this.err = err;
        this.status = status;
        thread.setDaemon(true);
    }

    StallNotice start() {
        thread.start();
        return this;
    }

    /** Makes a call that may wait for the server. By one thread at a time. */
    void during(Runnable call) {
        since = clock.getAsLong();
        long begun = calls + 1;
        calls = begun;
        boolean done = false;
        try {
            call.run();
            done = true;
        } finally {
            if (!done) {
                failed = begun;
            }
            calls = begun + 1;
        }
    }

    private void run() {
        try {
            while (!closing.await(LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
                look();
            }
        } catch (InterruptedException e) {
            // Told to end.
            Thread.currentThread().interrupt();
        }
    }

    void look() {
        long call = calls;
        if (told != 0 && call != told) {
            if (failed != told) {
                err.println("the server takes records again: going on");
            }
            told = 0;
        }
        if (call % 2 == 0 || told == call || clock.getAsLong() - since < STALL_NANOS) {
            return;
        }
        statusText()
                .lines()
                .filter(line ->
                        line.contains(ErrorCode.DISK_FULL.name()) || line.contains(ErrorCode.DISK_READ_ONLY.name()))
                .findFirst()
                .ifPresent(line -> {
                    told = call;
                    err.println("the server takes no records now, waiting: " + line.strip());
                });
    }

    private String statusText() {
        try {
            return status.get();
        } catch (WaterwheelException e) {
            // The append itself says what is wrong with the server, if it ever comes to an end.
            return "";
        }
    }

    @Override
    public void close() {
        closing.countDown();
        thread.interrupt();
        try {
            thread.join(CLOSE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
