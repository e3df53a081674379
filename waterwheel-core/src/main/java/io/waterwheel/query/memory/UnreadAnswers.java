package io.waterwheel.query.memory;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * The answers whose clients take nothing at present. Together they may hold half of the memory of queries. Where they
 * hold more, the one that holds most makes way, of several the one that has waited longest, so that there is memory for
 * those who read. A client that reads steadily waits for its network between batches: an answer makes way only after
 * its client has taken nothing for a least wait. One that waits alone may hold all that a query may. Thread-safe.
 */
final class UnreadAnswers {
    private final long most;
    private final long leastWaitNanos;
    private final LongSupplier nanos;
    /** Guarded by this; the longest waiting first. */
    private final Map<QueryMemory.Account, Wait> waiting = new LinkedHashMap<>();

    /** @param makeWay called at most once, without a lock, on any thread */
    private record Wait(Runnable makeWay, long begunNanos) {}

    UnreadAnswers(long most, Duration leastWait, LongSupplier nanos) {
        this.most = most;
        this.leastWaitNanos = leastWait.toNanos();
        this.nanos = nanos;
    }

    long most() {
        return most;
    }

    /** @param makeWay called at most once, without a lock, on any thread */
    void begin(QueryMemory.Account account, Runnable makeWay) {
        synchronized (this) {
            waiting.put(account, new Wait(makeWay, nanos.getAsLong()));
        }
        bound();
    }

    /** Whether it waited undisturbed; false once it was to make way, though it may not have heard of it yet. */
    synchronized boolean end(QueryMemory.Account account) {
        return waiting.remove(account) != null;
    }

    /** Lets some make way where all hold too much; to be called when one takes more, and when a query begins. */
    void bound() {
        List<Runnable> makeWay;
        synchronized (this) {
            if (waiting.size() < 2) {
                // One alone may hold all that a query may.
                return;
            }
            makeWay = new ArrayList<>();
            long held = 0;
            for (QueryMemory.Account account : waiting.keySet()) {
                held += account.used();
            }
            long now = nanos.getAsLong();
            while (held > most && waiting.size() > 1) {
                QueryMemory.Account largest = null;
                for (Map.Entry<QueryMemory.Account, Wait> one : waiting.entrySet()) {
                    boolean may = now - one.getValue().begunNanos() >= leastWaitNanos;
                    if (may && (largest == null || one.getKey().used() > largest.used())) {
                        largest = one.getKey();
                    }
                }
                if (largest == null) {
                    break;
                }
                held -= largest.used();
                makeWay.add(waiting.remove(largest).makeWay());
            }
        }
        makeWay.forEach(Runnable::run);
    }
}
