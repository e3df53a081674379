package io.waterwheel.trino;

import com.google.inject.Inject;
import io.waterwheel.client.WaterwheelClient;
import jakarta.annotation.PreDestroy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A client for each coordinator that the catalog names. They are used in turn, so that the coordinators share the
 * splits; each knows the others too, for when its own does not answer. Thread-safe.
 */
final class Clients {
    private static final String SCHEME = "grpc://";

    private final List<WaterwheelClient> clients;
    private final AtomicInteger turn = new AtomicInteger();

    @Inject
    Clients(WaterwheelConfig config) {
        List<String> urls = config.getServers().stream()
                .map(server -> server.startsWith(SCHEME) ? server : SCHEME + server)
                .toList();
        List<WaterwheelClient> all = new ArrayList<>();
        for (int first = 0; first < urls.size(); first++) {
            String[] turned = new String[urls.size()];
            for (int i = 0; i < turned.length; i++) {
                turned[i] = urls.get((first + i) % turned.length);
            }
            all.add(WaterwheelClient.connect(turned));
        }
        clients = List.copyOf(all);
    }

    /** The one whose turn it is. */
    WaterwheelClient next() {
        return clients.get(Math.floorMod(turn.getAndIncrement(), clients.size()));
    }

    /** Cancels what is open. */
    @PreDestroy
    void close() {
        clients.forEach(WaterwheelClient::close);
    }
}
