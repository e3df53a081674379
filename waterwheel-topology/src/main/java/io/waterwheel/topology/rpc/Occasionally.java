package io.waterwheel.topology.rpc;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/** Lets something be said once in ten seconds, with how often it was not. Thread-safe. */
final class Occasionally {
    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final AtomicLong next = new AtomicLong(System.nanoTime());
    private final AtomicLong passedOver = new AtomicLong();

    /** @param said given what follows the sentence: empty, or how often it was passed over */
    void run(Consumer<String> said) {
        long now = System.nanoTime();
        long due = next.get();
        if (now - due < 0 || !next.compareAndSet(due, now + PAUSE_NANOS)) {
            passedOver.incrementAndGet();
            return;
        }
        long before = passedOver.getAndSet(0);
        said.accept(before == 0 ? "" : " (and " + before + " times more since the last such line)");
    }
}
