package io.waterwheel.topology.wiring;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.topology.config.Keys;
import io.waterwheel.topology.config.WaterwheelConfig;
import io.waterwheel.topology.rpc.AdminCalls;
import io.waterwheel.wire.proto.ListMetricsPlacesReply;
import io.waterwheel.wire.proto.ListMetricsPlacesRequest;
import io.waterwheel.wire.proto.MetricsPlace;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Who is scraped where: workers and gateways, by the ephemeral nodes beside those of tasks. A worker announces itself;
 * a gateway does not know the catalog, so the coordinator that it asks announces it, as long as it goes on asking.
 * Thread-safe.
 */
final class MetricsPlaces implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(MetricsPlaces.class);
    private static final String WORKER = "metrics-";
    private static final String GATEWAY = "gateway-";
    private static final long LASTS_NANOS = TimeUnit.SECONDS.toNanos(90);
    private static final int MOST_GATEWAYS = 64;

    private record Announced(AutoCloseable node, long untilNanos) {}

    private final TaskDirectory directory;
    private final WaterwheelConfig config;
    private final LongSupplier nanoTime;
    /** By place. Guarded by this. */
    private final Map<String, Announced> gateways = new HashMap<>();

    MetricsPlaces(TaskDirectory directory, WaterwheelConfig config, LongSupplier nanoTime) {
        this.directory = directory;
        this.config = config;
        this.nanoTime = nanoTime;
    }

    /** Announces a worker. */
    AutoCloseable announceWorker(String place) {
        return directory.announce(WORKER + place, place);
    }

    /** Answers list-metrics-places. */
    void register(AdminCalls calls) {
        calls.on(
                ListMetricsPlacesRequest.getDefaultInstance(),
                ListMetricsPlacesReply.getDefaultInstance(),
                (request, caller) -> list(request.getGateway()));
    }

    /** @param asking the gateway that asks; empty: none */
    ListMetricsPlacesReply list(String asking) {
        TreeSet<String> found = new TreeSet<>();
        if (!asking.isEmpty()) {
            renew(asking);
            found.add(GATEWAY + asking);
        }
        endOld();
        directory.all().keySet().stream()
                .filter(address -> address.startsWith(WORKER) || address.startsWith(GATEWAY))
                .forEach(found::add);
        ListMetricsPlacesReply.Builder reply = ListMetricsPlacesReply.newBuilder();
        for (String address : found) {
            boolean worker = address.startsWith(WORKER);
            reply.addPlaces(MetricsPlace.newBuilder()
                    .setRole(worker ? "worker" : "gateway")
                    .setPlace(address.substring(worker ? WORKER.length() : GATEWAY.length()))
                    .setNamespace(config.get(Keys.NAMESPACE))
                    .setTopology(config.get(Keys.TOPOLOGY_NAME)));
        }
        return reply.build();
    }

    private synchronized void renew(String place) {
        if (!place.matches("([A-Za-z0-9._-]{1,253}|\\[[0-9A-Fa-f:.]{2,45}]):[0-9]{1,5}")) {
            throw new WaterwheelException(
                    ErrorCode.BAD_REQUEST, "gateway: expected HOST:PORT at which it is scraped, got '" + place + "'");
        }
        long until = nanoTime.getAsLong() + LASTS_NANOS;
        Announced known = gateways.get(place);
        if (known != null) {
            gateways.put(place, new Announced(known.node(), until));
        } else if (gateways.size() < MOST_GATEWAYS) {
            gateways.put(place, new Announced(directory.announce(GATEWAY + place, place), until));
        } else {
            LOG.warn(
                    "[coordinator] gateway {} is not listed for scrapes: {} are, as many as may be",
                    place,
                    gateways.size());
        }
    }

    private synchronized void endOld() {
        long now = nanoTime.getAsLong();
        gateways.values().removeIf(announced -> {
            boolean old = now - announced.untilNanos() > 0;
            if (old) {
                end(announced);
            }
            return old;
        });
    }

    private static void end(Announced announced) {
        try {
            announced.node().close();
        } catch (Exception e) {
            LOG.warn("[coordinator] a gateway's place could not be removed", e);
        }
    }

    @Override
    public synchronized void close() {
        gateways.values().forEach(MetricsPlaces::end);
        gateways.clear();
    }
}
