package io.waterwheel.embedded.gateway;

import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.decode.registry.RegistryAccess;
import io.waterwheel.gateway.Gateway;
import io.waterwheel.gateway.GatewaySettings;
import io.waterwheel.metrics.Metrics;
import io.waterwheel.topology.config.Keys;
import io.waterwheel.topology.config.WaterwheelConfig;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The gateway of the one-process server: listens while the rest starts, on a thread of its own, and answers once there
 * is a coordinator. One thread.
 */
public final class ServerGateway implements AutoCloseable {
    private final WaterwheelConfig config;
    private final @Nullable FutureTask<Gateway> starting;
    private volatile @Nullable WaterwheelClient client;

    private ServerGateway(WaterwheelConfig config, @Nullable FutureTask<Gateway> starting) {
        this.config = config;
        this.starting = starting;
    }

    /** Whether there is one, which is not told its port. */
    public static boolean choosesPort(WaterwheelConfig config) {
        return !config.get(Keys.GATEWAY_IN_SERVER).equals("none")
                && config.get(Keys.GATEWAY_PORT)
                        .equals(WaterwheelConfig.defaults().get(Keys.GATEWAY_PORT));
    }

    /**
     * Begins to start one, unless the configuration has none.
     *
     * @param kept the port that it takes unless another is named; 0: the one behind the coordinator's
     * @param told hears of a port that is taken
     */
    public static ServerGateway begin(WaterwheelConfig config, int kept, Consumer<String> told) {
        if (config.get(Keys.GATEWAY_IN_SERVER).equals("none")) {
            return new ServerGateway(config, null);
        }
        FutureTask<Gateway> task = new FutureTask<>(() -> start(config, kept, told));
        Thread thread = new Thread(task, "gateway-start");
        thread.setDaemon(true);
        thread.start();
        return new ServerGateway(config, task);
    }

    private static Gateway start(WaterwheelConfig config, int kept, Consumer<String> told) throws IOException {
        GatewaySettings settings = GatewayConfig.settings(config);
        if (!choosesPort(config)) {
            return Gateway.start(settings, GatewayConfig.metrics(config));
        }
        try {
            return Gateway.start(
                    settings.withPort(kept > 0 ? kept : behind(config.get(Keys.COORDINATOR_PORTS))),
                    GatewayConfig.metrics(config));
        } catch (IOException e) {
            Gateway elsewhere = Gateway.start(settings.withPort(0), GatewayConfig.metrics(config));
            told.accept(e.getMessage() + "; it listens on port " + elsewhere.port() + " (gateway.port names one)");
            return elsewhere;
        }
    }

    /** The port behind the coordinator's, of the servers of one machine each another; 0 for any. */
    private static int behind(List<Integer> coordinators) {
        int behind = coordinators.get(0);
        while (behind > 0 && coordinators.contains(behind)) {
            behind = behind == 65_535 ? 0 : behind + 1;
        }
        return behind;
    }

    /**
     * Answers from now on.
     *
     * @param url of the coordinator
     * @param metrics what else of this process is to be scraped
     * @return where it listens, {@code http://HOST:PORT}; empty when there is none
     * @throws IOException when it could not listen
     */
    public String serve(String url, Supplier<? extends Collection<Metrics>> metrics) throws IOException {
        if (starting == null) {
            return "";
        }
        Gateway gateway = await(starting);
        WaterwheelClient connected = WaterwheelClient.connect(url);
        client = connected;
        connected.useRegistryAccess(
                RegistryAccess.of(Keys.REGISTRY_AUTH.name(), config.get(Keys.REGISTRY_AUTH), System::getenv));
        gateway.show(metrics);
        gateway.serve(connected);
        return gateway.url();
    }

    private static Gateway await(FutureTask<Gateway> starting) throws IOException {
        try {
            return starting.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof IOException failure) {
                throw failure;
            }
            throw new IOException("the gateway did not start: " + e.getCause(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while the gateway was starting", e);
        }
    }

    /** Takes no more requests, and ends those under way. */
    @Override
    public void close() {
        if (starting == null) {
            return;
        }
        try {
            await(starting).close();
        } catch (IOException e) {
            // It had not started, and the caller of serve was told why.
            return;
        }
        WaterwheelClient connected = client;
        if (connected != null) {
            connected.close();
        }
    }
}
