package io.waterwheel.sql.duckdb;

import java.util.ArrayDeque;
import java.util.Objects;

/** Messages that were read and not yet taken, bounded in bytes. One thread puts, one takes. */
final class MessageQueue {
    private final long mostBytes;
    /** Guarded by this. */
    private final ArrayDeque<Message> messages = new ArrayDeque<>();
    /** Of their bodies. Guarded by this. */
    private long bytes;

    /** @param mostBytes of bodies beyond which no message is added; one message may have more */
    MessageQueue(long mostBytes) {
        this.mostBytes = mostBytes;
    }

    /** Adds a message; waits for room. */
    synchronized void put(Message message) throws InterruptedException {
        while (bytes > 0 && bytes + message.body().length > mostBytes) {
            wait();
        }
        add(message);
    }

    /** Adds a message whether or not there is room. */
    synchronized void add(Message message) {
        messages.add(message);
        bytes += message.body().length;
        notifyAll();
    }

    /** The next message; waits for it. */
    synchronized Message take() throws InterruptedException {
        while (messages.isEmpty()) {
            wait();
        }
        Message message = Objects.requireNonNull(messages.poll());
        bytes -= message.body().length;
        notifyAll();
        return message;
    }
}
