package io.waterwheel.trino;

import com.google.inject.Inject;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import jakarta.annotation.PreDestroy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/**
 * A client for each coordinator that the catalog names. They are used in turn, so that the coordinators share the
 * splits; each knows the others too, for when its own does not answer. Thread-safe.
 */
final class Clients {
    private static final String SCHEME = "grpc://";
    private static final long FIRST_PAUSE_MILLIS = 50;
    private static final long LONGEST_PAUSE_MILLIS = 2_000;

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

    /**
     * Makes a call, of the next client in turn; where servers have as many queries or calls as they take, again of the
     * one after.
     *
     * @param patience how long it may be called again
     * @throws WaterwheelException as the last call says
     */
    <T> T patiently(Duration patience, Function<WaterwheelClient, T> call) {
        long deadline = System.nanoTime() + patience.toNanos();
        long pause = FIRST_PAUSE_MILLIS;
        while (true) {
            try {
                return call.apply(next());
            } catch (WaterwheelException e) {
                if (!e.is(ErrorCode.SERVER_BUSY)
                        || deadline - System.nanoTime() < TimeUnit.MILLISECONDS.toNanos(pause)) {
                    throw e;
                }
            }
            try {
                TimeUnit.MILLISECONDS.sleep(pause);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new WaterwheelException(ErrorCode.INTERRUPTED, "cancelled while the servers were busy", e);
            }
            pause = Math.min(2 * pause, LONGEST_PAUSE_MILLIS);
        }
    }

    /** Cancels what is open. */
    @PreDestroy
    void close() {
        clients.forEach(WaterwheelClient::close);
    }
}
