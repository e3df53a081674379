package io.waterwheel.topology.wiring;

import io.waterwheel.protocol.Control;
import io.waterwheel.topology.worker.ControlBus;
import io.waterwheel.topology.worker.Role;
import io.waterwheel.wire.ControlCodec;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Control messages: by a call inside the worker, over the peers' connections to other workers. */
final class WorkerBus implements ControlBus {
    private static final Logger LOG = LoggerFactory.getLogger(WorkerBus.class);

    private final Map<String, Predicate<Control>> local = new ConcurrentHashMap<>();
    private final TaskDirectory directory;
    private final Peers peers;
    private final String here;
    private final LongAdder dropped = new LongAdder();

    /** @param here {@code HOST:PORT} of this worker's server */
    WorkerBus(TaskDirectory directory, Peers peers, String here) {
        this.directory = directory;
        this.peers = peers;
        this.here = here;
    }

    @Override
    public AutoCloseable register(Role role, int index, Predicate<Control> receiver) {
        String address = role.address(index);
        local.put(address, receiver);
        AutoCloseable announcement = directory.announce(address, here);
        return () -> {
            local.remove(address, receiver);
            announcement.close();
        };
    }

    @Override
    public void send(Role role, int index, Control message) {
        String address = role.address(index);
        Predicate<Control> receiver = local.get(address);
        if (receiver != null) {
            deliver(receiver, message);
            return;
        }
        String place = directory.find(address);
        if (place == null || place.equals(here)) {
            dropped.increment();
            return;
        }
        sendTo(place, address, message);
    }

    @Override
    public void broadcast(Role role, Control message) {
        String prefix = role.component() + "-";
        local.forEach((address, receiver) -> {
            if (address.startsWith(prefix)) {
                deliver(receiver, message);
            }
        });
        directory.all().forEach((address, place) -> {
            if (address.startsWith(prefix) && !local.containsKey(address) && !place.equals(here)) {
                sendTo(place, address, message);
            }
        });
    }

    private void sendTo(String place, String address, Control message) {
        if (!peers.at(place).offerControl(address, ControlCodec.write(message))) {
            dropped.increment();
        }
    }

    private void deliver(Predicate<Control> receiver, Control message) {
        if (message instanceof Control.Bundle bundle) {
            bundle.messages().forEach(part -> deliver(receiver, part));
        } else if (!receiver.test(message)) {
            dropped.increment();
        }
    }

    /** Takes a message that came from another worker. */
    void onRemote(String address, byte[] bytes) {
        Predicate<Control> receiver = local.get(address);
        if (receiver == null) {
            dropped.increment();
            return;
        }
        try {
            deliver(receiver, ControlCodec.read(bytes));
        } catch (IllegalArgumentException e) {
            LOG.warn("[{}] a control message was refused: {}", address, e.getMessage());
        }
    }

    /** Messages that reached no task, so far. */
    long dropped() {
        return dropped.sum();
    }
}
