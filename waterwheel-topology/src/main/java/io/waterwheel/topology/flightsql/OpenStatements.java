package io.waterwheel.topology.flightsql;

import com.google.protobuf.ByteString;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The answers under way, by the number in their ticket, so that another call can cancel them. Thread-safe. */
final class OpenStatements {
    private final Map<ByteString, Runnable> open = new ConcurrentHashMap<>();

    void began(ByteString id, Runnable cancel) {
        open.put(id, cancel);
    }

    void ended(ByteString id) {
        open.remove(id);
    }

    /** Cancels an answer; false when none of this number is under way. */
    boolean cancel(ByteString id) {
        Runnable cancel = open.get(id);
        if (cancel != null) {
            cancel.run();
        }
        return cancel != null;
    }
}
