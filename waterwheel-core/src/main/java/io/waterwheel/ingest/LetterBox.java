package io.waterwheel.ingest;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which refused rows of a partition are stored as dead letters, and which wait for it. A row is sent only in a session
 * that knows what all earlier ones stored, and never while an earlier sending of it is undecided: so each is stored
 * once, whatever is replayed. Owner: the dispatcher's thread.
 *
 * <p>What is stored is kept as ranges of offsets within which every refused row is stored, so its size does not depend
 * on how many there are.
 */
final class LetterBox {
    private static final long RETRY_NANOS = 1_000_000_000;

    private final DispatcherEffects effects;
    private final OffsetRanges stored = new OffsetRanges();
    /** Segments with rows that are not stored, in the order they came. */
    private final List<Segment> waiting = new ArrayList<>();
    /** Segments whose rows are sent, and it is not known how that ended; some of them nobody waits for any more. */
    private final List<Segment> sent = new ArrayList<>();

    private boolean open;
    private boolean opening;
    private boolean failed;
    /** Since the last that went well. */
    private boolean failing;

    private long retryNanos;
    private long count;

    LetterBox(DispatcherEffects effects) {
        this.effects = effects;
    }

    /** Why nothing goes on; empty when no attempt has failed since one went well. */
    String trouble() {
        return failing && !waiting.isEmpty()
                ? "refused records cannot be stored in the dead-letter topic, and nothing after them becomes visible"
                        + " before they are; it is tried again every second. The dispatcher's log says why"
                : "";
    }

    /** Letters stored by this instance. */
    long count() {
        return count;
    }

    /** Whether it is known what earlier sessions stored. */
    boolean isOpen() {
        return open;
    }

    /** Whether every refused row of an offset is stored; may say no as long as it is not open. */
    boolean isStored(long offset) {
        return stored.contains(offset);
    }

    /** Sees to it that it becomes open; {@link #onTick} goes on with it. */
    void open(long now) {
        if (!open && !opening && sent.isEmpty() && (!failed || now - retryNanos >= 0)) {
            opening = true;
            effects.openDeadLetters();
        }
    }

    /** Takes a segment; while its {@code unstored} is not empty, nothing of it may be sent on. */
    void add(Segment segment, long now) {
        if (segment.unstored().isEmpty()) {
            stored.add(segment.from, segment.to);
            return;
        }
        waiting.add(segment);
        if (open) {
            send(segment);
        } else {
            open(now);
        }
    }

    /** Forgets a segment that nobody wants any more. What is sent of it may be stored all the same. */
    void remove(Segment segment) {
        waiting.remove(segment);
    }

    private void send(Segment segment) {
        for (int i = 0; i < sent.size(); i++) {
            if (segment.from < sent.get(i).to && sent.get(i).from < segment.to) {
                // Perhaps these very rows: how that ends must be known first.
                return;
            }
        }
        segment.keepUnstored(row -> !stored.contains(row.offset()));
        if (segment.unstored().isEmpty()) {
            waiting.remove(segment);
            stored.add(segment.from, segment.to);
        } else {
            sent.add(segment);
            effects.storeDeadLetters(segment, stored.startOf(segment.from), segment.to, segment.unstored());
        }
    }

    private void sendWaiting() {
        for (Segment segment : List.copyOf(waiting)) {
            if (open && !sent.contains(segment)) {
                send(segment);
            }
        }
    }

    /** The answer to {@link DispatcherEffects#openDeadLetters}: what is stored, or null when it failed. */
    void onOpened(@Nullable OffsetRanges known, long now) {
        opening = false;
        if (known == null) {
            fail(now);
            return;
        }
        open = true;
        failed = false;
        stored.addAll(known);
        sendWaiting();
        failing &= !sent.isEmpty();
    }

    /** The answer to {@link DispatcherEffects#storeDeadLetters}. */
    void onStored(Object token, boolean done, long now) {
        if (!(token instanceof Segment segment) || !sent.remove(segment)) {
            throw new IllegalStateException("an answer about dead letters that were not sent: " + token);
        }
        if (!done) {
            // Stored or not, the next session knows.
            fail(now);
            return;
        }
        failing = false;
        count += segment.unstored().size();
        segment.keepUnstored(row -> false);
        waiting.remove(segment);
        stored.add(segment.from, segment.to);
        sendWaiting();
    }

    private void fail(long now) {
        open = false;
        failed = true;
        failing = true;
        retryNanos = now + RETRY_NANOS;
    }

    void onTick(long now) {
        if (!waiting.isEmpty()) {
            open(now);
        }
    }
}
