package io.waterwheel.topology.wiring;

import io.waterwheel.topology.rpc.PeerClient;
import io.waterwheel.topology.rpc.PeerSecret;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.arrow.memory.BufferAllocator;

/** Connections to other workers, one each, opened when needed. Thread-safe. */
final class Peers implements AutoCloseable {
    private final BufferAllocator allocator;
    private final PeerSecret secret;
    private final Map<String, PeerClient> clients = new ConcurrentHashMap<>();

    Peers(BufferAllocator allocator, PeerSecret secret) {
        this.secret = secret;
        this.allocator = allocator;
    }

    /** The connection to {@code HOST:PORT}. */
    PeerClient at(String place) {
        return clients.computeIfAbsent(place, key -> {
            int colon = key.lastIndexOf(':');
            return new PeerClient(
                    allocator, key.substring(0, colon), Integer.parseInt(key.substring(colon + 1)), secret);
        });
    }

    /** Closes connections to places that are no longer in use. */
    void keepOnly(java.util.Collection<String> places) {
        for (String place : List.copyOf(clients.keySet())) {
            if (!places.contains(place)) {
                // First out of the map, then closed: closing takes a while, and others look here meanwhile.
                PeerClient client = clients.remove(place);
                if (client != null) {
                    client.close();
                }
            }
        }
    }

    @Override
    public void close() {
        clients.values().forEach(PeerClient::close);
        clients.clear();
    }
}
