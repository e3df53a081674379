package io.waterwheel.gateway.keyed;

import java.util.ArrayList;
import java.util.List;

/** A key under way, as {@link LaneProtocol} knows it. Of its thread. */
final class Pending<R> {
    /** @param guest whether another gateway has sent it: it is not sent on again, or it might go round for ever */
    record Waiter<R>(R rows, boolean guest) {}

    final Commit.Entry entry;
    final List<Waiter<R>> waiting = new ArrayList<>(1);
    final int size;
    final long deadline;
    /** In a batch of the epoch. */
    boolean running;
    /** In a batch whose end is not known. */
    boolean sent;
    /** Another gateway was asked to store it, and may still do so: it gave no answer. */
    boolean asked;

    Pending(Commit.Entry entry, Waiter<R> first, int size, long deadline) {
        this.entry = entry;
        this.waiting.add(first);
        this.size = size;
        this.deadline = deadline;
    }
}
