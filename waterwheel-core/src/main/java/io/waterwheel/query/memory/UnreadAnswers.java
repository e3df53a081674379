package io.waterwheel.query.memory;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The answers whose clients take nothing at present. Together they may hold so much; where they hold more, the one that
 * has waited longest makes way, so that there is always memory for those who read. One that waits alone may hold all
 * that a query may. Thread-safe.
 */
final class UnreadAnswers {
    private final long most;
    /** Guarded by this. How each makes way, the longest waiting first. */
    private final Map<QueryMemory.Account, Runnable> waiting = new LinkedHashMap<>();

    UnreadAnswers(long most) {
        this.most = most;
    }

    long most() {
        return most;
    }

    /** @param makeWay called at most once, without a lock, on any thread */
    void begin(QueryMemory.Account account, Runnable makeWay) {
        synchronized (this) {
            waiting.put(account, makeWay);
        }
        bound();
    }

    /** Whether it waited undisturbed; false once it was to make way, though it may not have heard of it yet. */
    synchronized boolean end(QueryMemory.Account account) {
        return waiting.remove(account) != null;
    }

    /** Lets some make way where all hold too much; to be called after one of them took more. */
    void bound() {
        List<Runnable> makeWay = new ArrayList<>();
        synchronized (this) {
            long held = 0;
            for (QueryMemory.Account account : waiting.keySet()) {
                held += account.used();
            }
            Iterator<Map.Entry<QueryMemory.Account, Runnable>> longest =
                    waiting.entrySet().iterator();
            while (held > most && waiting.size() > 1) {
                Map.Entry<QueryMemory.Account, Runnable> next = longest.next();
                held -= next.getKey().used();
                makeWay.add(next.getValue());
                longest.remove();
            }
        }
        makeWay.forEach(Runnable::run);
    }
}
