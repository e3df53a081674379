package io.waterwheel.topology.worker;

import io.waterwheel.protocol.Control;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Sends a task's control messages, those of one moment to one receiver together: what a task of thousands of idle
 * partitions or indexers says in a tick is a few messages. The task calls {@link #flush} after each event; until then
 * it holds what that event made, in messages of some {@value #MAX_BYTES} bytes at most. Owner: the task's thread.
 */
public final class ControlBatch {
    /** What one message holds, about; counted as it is in memory. */
    static final int MAX_BYTES = 64 * 1024;

    private static final int MESSAGE_BYTES = 96;

    /** One receiver, or all of a role. */
    private record Receiver(Role role, int index) {
        static final int ALL = -1;
    }

    private static final class Held {
        final List<Control> messages = new ArrayList<>();
        int bytes;
    }

    private final ControlBus bus;
    private final Map<Receiver, Held> held = new LinkedHashMap<>();

    public ControlBatch(ControlBus bus) {
        this.bus = bus;
    }

    /** Sends to one task, with the next flush at the latest. */
    public void send(Role role, int index, Control message) {
        add(new Receiver(role, index), message);
    }

    /** Sends to every task of the role that is known, with the next flush at the latest. */
    public void broadcast(Role role, Control message) {
        add(new Receiver(role, Receiver.ALL), message);
    }

    private void add(Receiver receiver, Control message) {
        Held waiting = held.computeIfAbsent(receiver, key -> new Held());
        waiting.messages.add(message);
        waiting.bytes += bytes(message);
        if (waiting.bytes >= MAX_BYTES) {
            held.remove(receiver);
            send(receiver, waiting.messages);
        }
    }

    private static int bytes(Control message) {
        if (message instanceof Control.Report report) {
            return MESSAGE_BYTES
                    + Long.BYTES * report.watermarks().length
                    + report.memory().trouble().length();
        } else if (message instanceof Control.PartitionReport report) {
            return MESSAGE_BYTES
                    + report.trouble().detail().length()
                    + report.warning().length();
        } else if (message instanceof Control.KeySample sample) {
            return MESSAGE_BYTES + Long.BYTES * sample.keys().length;
        }
        return MESSAGE_BYTES;
    }

    /** Sends what waits. */
    public void flush() {
        if (!held.isEmpty()) {
            held.forEach((receiver, waiting) -> send(receiver, waiting.messages));
            held.clear();
        }
    }

    private void send(Receiver receiver, List<Control> messages) {
        Control message = messages.size() == 1 ? messages.get(0) : new Control.Bundle(messages);
        if (receiver.index() == Receiver.ALL) {
            bus.broadcast(receiver.role(), message);
        } else {
            bus.send(receiver.role(), receiver.index(), message);
        }
    }
}
