package io.waterwheel.query.run;

import io.waterwheel.tuple.QuestionShape;
import java.security.SecureRandom;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The shapes of the questions that were asked last of each stream whose key has dimensions: what a schedule for its key
 * can be proposed from. Holds 8 bytes a question, {@value #LAST} of each of the {@value #STREAMS} streams that were
 * asked last: at most 2 MiB. Not kept beyond the process. Thread-safe; a lock is held for some instructions.
 */
public final class QuestionLog {
    static final int LAST = 1024;
    static final int STREAMS = 256;

    /** The questions of one stream, in a ring. */
    private static final class Ring {
        final long[] codes = new long[LAST];
        long count;
    }

    private final long id = new SecureRandom().nextLong();
    /** By id, the stream that was asked last at the end. */
    private final Map<Integer, Ring> rings = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Integer, Ring> eldest) {
            return size() > STREAMS;
        }
    };

    /** Told apart from all other logs by it. */
    public long id() {
        return id;
    }

    /** Takes a question that is about to be answered. */
    synchronized void add(int streamId, QuestionShape shape) {
        Ring ring = rings.computeIfAbsent(streamId, id -> new Ring());
        ring.codes[(int) (ring.count++ % LAST)] = shape.code();
    }

    /** The codes of the last questions of a stream, at most {@value #LAST}, the newest last. */
    public synchronized long[] last(int streamId) {
        Ring ring = rings.get(streamId);
        if (ring == null) {
            return new long[0];
        }
        long[] last = new long[(int) Math.min(ring.count, LAST)];
        for (int i = 0; i < last.length; i++) {
            last[i] = ring.codes[(int) ((ring.count - last.length + i) % LAST)];
        }
        return last;
    }
}
