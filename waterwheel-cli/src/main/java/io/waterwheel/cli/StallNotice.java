package io.waterwheel.cli;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import java.io.PrintStream;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
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
    private final CountDownLatch closing = new CountDownLatch(1);
    private final Thread thread = new Thread(this::run, "append-watch");

    /** When the call under way began, by {@link System#nanoTime}. Written by who appends. */
    private volatile long since;

    /** Number of calls; odd while one is under way. Written by who appends, after {@link #since}. */
    private volatile long calls;

    /** Only touched by {@link #look}: the call that was told of; 0 for none. */
    private long told;

    /** @param status of the server, as people read it; asked when an append stands still */
    StallNotice(PrintStream err, Supplier<String> status) {
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
        since = System.nanoTime();
        long begun = calls + 1;
        calls = begun;
        try {
            call.run();
        } finally {
            calls = begun + 1;
        }
    }

    private void run() {
        try {
            while (!closing.await(LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
                look(System.nanoTime());
            }
        } catch (InterruptedException e) {
            // Told to end.
            Thread.currentThread().interrupt();
        }
    }

    void look(long nowNanos) {
        long call = calls;
        if (told != 0 && call != told) {
            told = 0;
            err.println("the server takes records again: going on");
        }
        if (call % 2 == 0 || told == call || nowNanos - since < STALL_NANOS) {
            return;
        }
        try {
            status.get()
                    .lines()
                    .filter(line ->
                            line.contains(ErrorCode.DISK_FULL.name()) || line.contains(ErrorCode.DISK_READ_ONLY.name()))
                    .findFirst()
                    .ifPresent(line -> {
                        told = call;
                        err.println("the server takes no records now, waiting: " + line.strip());
                    });
        } catch (WaterwheelException e) {
            // The append itself says what is wrong with the server, if it ever comes to an end.
            err.flush();
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
