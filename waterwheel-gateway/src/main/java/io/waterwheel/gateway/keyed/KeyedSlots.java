package io.waterwheel.gateway.keyed;

import io.waterwheel.client.admin.StreamDetails;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The slots of all streams of one gateway, their threads and their clock. Thread-safe. */
public final class KeyedSlots implements AutoCloseable {
    private static final long TICK_MILLIS = 100;

    private final int mostKeys;
    private final Duration patience;
    private final AtomicInteger allKeys = new AtomicInteger();
    private final AtomicInteger number = new AtomicInteger();
    /** Has as many threads as lanes, claims and looks are at work: at most eighteen a slot; few more read answers. */
    private final ExecutorService pool = Executors.newCachedThreadPool(this::thread);

    private final Executor answers;
    private final Supplier<String> place;
    private final OtherGateways others;
    /** Guarded by itself. */
    private final List<KeyedSlot> slots = new ArrayList<>();
    /** Guarded by {@link #slots}. */
    private @Nullable ScheduledExecutorService clock;

    private boolean closed;

    /**
     * No slots yet.
     *
     * @param keyBytes of the keys that are remembered
     * @param patience how long rows may wait to be stored: {@link KeyedSlot#PATIENCE}
     * @param answers tells clients their outcomes, in rounds; takes whatever it is given
     * @param place {@code HOST:PORT} where other gateways reach this one, once it listens
     */
    public KeyedSlots(long keyBytes, Duration patience, Executor answers, Supplier<String> place) {
        this.patience = patience;
        this.answers = answers;
        this.place = place;
        this.others = new OtherGateways(patience, pool);
        this.mostKeys = (int) Math.min(Integer.MAX_VALUE, keyBytes / KeyedSlot.KEY_BYTES);
    }

    private Thread thread(Runnable task) {
        Thread thread = new Thread(task, "gateway-keys-" + number.incrementAndGet());
        thread.setDaemon(true);
        return thread;
    }

    /** A slot for a stream as it is now. */
    public KeyedSlot begin(StreamDetails stream) {
        KeyedSlot slot = new KeyedSlot(stream, pool, answers, allKeys, mostKeys, patience, place.get(), others);
        synchronized (slots) {
            if (closed) {
                slot.end();
                return slot;
            }
            slots.add(slot);
            if (clock == null) {
                ScheduledExecutorService started = Executors.newSingleThreadScheduledExecutor(this::thread);
                clock = started;
                var unused =
                        started.scheduleWithFixedDelay(this::tick, TICK_MILLIS, TICK_MILLIS, TimeUnit.MILLISECONDS);
            }
        }
        return slot;
    }

    /** Keys that are remembered, or under way. */
    public int keys() {
        return allKeys.get();
    }

    /** Lanes that this gateway holds, of all streams. */
    public int lanes() {
        List<KeyedSlot> all;
        synchronized (slots) {
            all = List.copyOf(slots);
        }
        return all.stream().mapToInt(KeyedSlot::lanes).sum();
    }

    /** The bound of {@link #keys}. */
    public int mostKeys() {
        return mostKeys;
    }

    private void tick() {
        List<KeyedSlot> all;
        synchronized (slots) {
            slots.removeIf(KeyedSlot::isOver);
            all = List.copyOf(slots);
        }
        all.forEach(KeyedSlot::tick);
    }

    /** Takes no more, and waits until what was taken is stored, up to this time. */
    public void end(long millis) throws InterruptedException {
        List<KeyedSlot> all;
        synchronized (slots) {
            closed = true;
            all = List.copyOf(slots);
        }
        all.forEach(KeyedSlot::end);
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        while (System.nanoTime() < deadline && !all.stream().allMatch(KeyedSlot::rests)) {
            TimeUnit.MILLISECONDS.sleep(TICK_MILLIS / 4);
        }
    }

    @Override
    public void close() {
        synchronized (slots) {
            if (clock != null) {
                clock.shutdownNow();
            }
        }
        pool.shutdownNow();
    }
}
