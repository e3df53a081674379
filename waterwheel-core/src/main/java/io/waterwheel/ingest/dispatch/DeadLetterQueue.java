package io.waterwheel.ingest.dispatch;

import io.waterwheel.ingest.source.OffsetRanges;
import io.waterwheel.protocol.PartitionTrouble;
import java.util.ArrayList;
import java.util.List;

/**
 * Which refused rows of a partition are stored as dead letters, and which wait for it. A letter is stored under a key
 * that names stream, partition, offset and row: again it replaces itself. So a row is sent as often as need be, by each
 * dispatcher that routes it, and is there once. Owner: the dispatcher's thread.
 *
 * <p>What this instance has stored is kept as ranges of offsets within which every refused row is stored, so that what
 * is read again for channels that lag is not stored again each time.
 */
final class DeadLetterQueue {
    private static final long RETRY_NANOS = 1_000_000_000;

    private final DispatcherEffects effects;
    private final OffsetRanges stored = new OffsetRanges();
    /** Segments with rows that are not stored, in the order they came. */
    private final List<Segment> waiting = new ArrayList<>();
    /** Segments whose rows are sent, and it is not known how that ended; for some of them the wait is over. */
    private final List<Segment> sent = new ArrayList<>();

    /** Since the last that went well. */
    private boolean failing;

    private long retryNanos;
    private long count;

    DeadLetterQueue(DispatcherEffects effects) {
        this.effects = effects;
    }

    /** Why nothing goes on; none when no attempt has failed since one went well. */
    PartitionTrouble trouble() {
        return failing && !waiting.isEmpty()
                ? PartitionTrouble.of(PartitionTrouble.Kind.LETTERS_NOT_STORED)
                : PartitionTrouble.NONE;
    }

    /** Letters stored by this instance. */
    long count() {
        return count;
    }

    /** Whether every refused row of an offset was stored by this instance. */
    boolean isStored(long offset) {
        return stored.contains(offset);
    }

    /** Takes a segment; while its {@code unstored} is not empty, nothing of it may be sent on. */
    void add(Segment segment, long now) {
        segment.keepUnstored(row -> !stored.contains(row.offset()));
        if (segment.unstored().isEmpty()) {
            stored.add(segment.from, segment.to);
            return;
        }
        waiting.add(segment);
        if (!failing || now - retryNanos >= 0) {
            send(segment);
        }
    }

    /** Forgets a segment that is no longer wanted. What is sent of it may be stored all the same. */
    void remove(Segment segment) {
        waiting.remove(segment);
    }

    private void send(Segment segment) {
        sent.add(segment);
        effects.storeDeadLetters(segment, segment.unstored());
    }

    /** The answer to {@link DispatcherEffects#storeDeadLetters}. */
    void onStored(Object token, boolean done, long now) {
        if (!(token instanceof Segment segment) || !sent.remove(segment)) {
            throw new IllegalStateException("an answer about dead letters that were not sent: " + token);
        }
        if (!done) {
            // Stored or not: they are sent again.
            failing = true;
            retryNanos = now + RETRY_NANOS;
            return;
        }
        failing = false;
        count += segment.unstored().stream()
                .filter(row -> !stored.contains(row.offset()))
                .count();
        segment.keepUnstored(row -> false);
        waiting.remove(segment);
        stored.add(segment.from, segment.to);
    }

    void onTick(long now) {
        if (waiting.isEmpty() || (failing && now - retryNanos < 0)) {
            return;
        }
        for (int i = 0; i < waiting.size(); i++) {
            if (!sent.contains(waiting.get(i))) {
                send(waiting.get(i));
            }
        }
    }
}
