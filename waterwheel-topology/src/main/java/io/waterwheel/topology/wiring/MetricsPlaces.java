package io.waterwheel.topology.wiring;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.status.ServerReport;
import io.waterwheel.topology.config.Keys;
import io.waterwheel.topology.config.WaterwheelConfig;
import io.waterwheel.topology.rpc.AdminCalls;
import io.waterwheel.wire.proto.ListMetricsPlacesReply;
import io.waterwheel.wire.proto.ListMetricsPlacesRequest;
import io.waterwheel.wire.proto.MetricsPlace;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Who is scraped where: workers and gateways, by the ephemeral nodes beside those of tasks. A worker announces itself;
 * a gateway does not know the catalog, so the coordinator that it asks announces it, as long as it goes on asking. Its
 * node holds {@code HOST:PORT}, when it started and its version, the latter two since the status lists gateways.
 * Thread-safe.
 */
final class MetricsPlaces implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(MetricsPlaces.class);
    private static final String WORKER = "metrics-";
    private static final String GATEWAY = "gateway-";
    private static final long LASTS_NANOS = TimeUnit.SECONDS.toNanos(90);
    private static final int MOST_GATEWAYS = 64;
    /** The last moment of the year 9999. */
    private static final long LAST_MILLIS = 253_402_300_799_999L;

    private record Announced(AutoCloseable node, ServerReport.Gateway gateway, long untilNanos) {}

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
                (request, caller) -> list(new ServerReport.Gateway(
                        request.getGateway(), request.getVersion(), request.getStartedMillis())));
    }

    /** @param asking the gateway that asks; its place empty: none */
    ListMetricsPlacesReply list(ServerReport.Gateway asking) {
        TreeSet<String> found = new TreeSet<>();
        if (!asking.place().isEmpty()) {
            renew(asking);
            found.add(GATEWAY + asking.place());
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

    /** The gateways that any coordinator has announced. */
    List<ServerReport.Gateway> gateways() {
        List<ServerReport.Gateway> found = new ArrayList<>();
        directory.all().forEach((address, content) -> {
            if (address.startsWith(GATEWAY)) {
                found.add(read(address.substring(GATEWAY.length()), content));
            }
        });
        found.sort(Comparator.comparing(ServerReport.Gateway::place));
        return found;
    }

    private static String write(ServerReport.Gateway gateway) {
        return gateway.place() + " " + gateway.startedMillis() + " " + gateway.version();
    }

    /** @param content of the node: only the place where a worker of an earlier release has written it */
    private static ServerReport.Gateway read(String place, String content) {
        String[] parts = content.split(" ", 3);
        return parts.length == 3 && parts[1].matches("[0-9]{1,18}")
                ? new ServerReport.Gateway(place, parts[2], Long.parseLong(parts[1]))
                : new ServerReport.Gateway(place, "", 0);
    }

    private synchronized void renew(ServerReport.Gateway gateway) {
        String place = gateway.place();
        if (!place.matches("([A-Za-z0-9._-]{1,253}|\\[[0-9A-Fa-f:.]{2,45}]):[0-9]{1,5}")) {
            throw new WaterwheelException(
                    ErrorCode.BAD_REQUEST, "gateway: expected HOST:PORT at which it is scraped, got '" + place + "'");
        }
        if (!gateway.version().matches("[ -~]{0,64}")) {
            throw new WaterwheelException(
                    ErrorCode.BAD_REQUEST, "version of a gateway: expected at most 64 printable characters of ASCII");
        }
        if (gateway.startedMillis() < 0 || gateway.startedMillis() > LAST_MILLIS) {
            throw new WaterwheelException(
                    ErrorCode.BAD_REQUEST,
                    "started_millis of a gateway: expected milliseconds since 1970 of a time before the year 10000, got "
                            + gateway.startedMillis());
        }
        long until = nanoTime.getAsLong() + LASTS_NANOS;
        Announced known = gateways.get(place);
        if (known != null && known.gateway().equals(gateway)) {
            gateways.put(place, new Announced(known.node(), gateway, until));
        } else if (known != null || gateways.size() < MOST_GATEWAYS) {
            AutoCloseable node = directory.announce(GATEWAY + place, write(gateway));
            gateways.put(place, new Announced(node, gateway, until));
            if (known != null) {
                // The gateway was started anew; the node that has taken the place of its old one stays.
                end(known);
            }
        } else {
            LOG.warn(
                    "[coordinator] gateway {} is not listed for scrapes: {} are, as many as may be",
                    place,
                    gateways.size());
        }
    }

    /** Ends the announcements of gateways that have not asked for long. */
    synchronized void endOld() {
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
