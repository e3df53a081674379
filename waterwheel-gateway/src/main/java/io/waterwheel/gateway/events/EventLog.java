package io.waterwheel.gateway.events;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The last events, with numbers from 1 on; older ones are forgotten, and who comes late is told so. Thread-safe. */
final class EventLog {
    static final int MOST_EVENTS = 10_000;
    static final int MOST_BYTES = 4 << 20;

    /** Guarded by this. */
    private final ArrayDeque<ServerEvent> kept = new ArrayDeque<>();

    /** Guarded by this: of the first that is kept. */
    private long first = 1;
    /** Guarded by this. */
    private int bytes;

    /** Adds events; those that are awaited come at once. */
    synchronized void add(List<ServerEvent> events) {
        for (ServerEvent event : events) {
            kept.add(event);
            bytes += event.bytes();
        }
        while (kept.size() > MOST_EVENTS || bytes > MOST_BYTES) {
            bytes -= kept.remove().bytes();
            first++;
        }
        notifyAll();
    }

    /** The number of the last event; 0 before the first. */
    synchronized long last() {
        return first + kept.size() - 1;
    }

    /** The number of the first event that is kept, or is to come. */
    synchronized long first() {
        return first;
    }

    /**
     * What came after an event, or comes within a time.
     *
     * @param after number of that event
     * @return at most this number of events, none when the time is over; null when some of them are forgotten
     */
    synchronized @Nullable List<ServerEvent> after(long after, int most, long millis) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        long left = millis;
        while (after >= last() && left > 0) {
            wait(left);
            left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
        }
        if (after + 1 < first) {
            return null;
        }
        List<ServerEvent> found = new ArrayList<>();
        long number = first;
        for (ServerEvent event : kept) {
            if (number > after && found.size() < most) {
                found.add(event);
            }
            number++;
        }
        return found;
    }
}
