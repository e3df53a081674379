package io.waterwheel.embedded.server;

import io.waterwheel.catalog.Namespace;
import io.waterwheel.catalog.SnapshotReader;
import io.waterwheel.catalog.state.ChunkDescriptor;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.catalog.state.StreamSnapshot;
import io.waterwheel.catalog.store.CatalogStore;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.metrics.Metrics;
import io.waterwheel.store.ChunkStore;
import io.waterwheel.topology.Tasks;
import io.waterwheel.topology.config.Keys;
import io.waterwheel.topology.config.WaterwheelConfig;
import io.waterwheel.topology.hdfs.ChunkStores;
import io.waterwheel.topology.wiring.SharedServices;
import io.waterwheel.topology.zookeeper.ZooKeeperCatalogStore;
import io.waterwheel.tuple.Region;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A {@link WaterwheelServer} whose coordinator answers. One thread. */
public final class RunningServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RunningServer.class);
    /** Without any sign of progress. */
    private static final Duration PATIENCE = Duration.ofSeconds(90);

    private static final Duration TELL = Duration.ofSeconds(15);
    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private final WaterwheelServer server;
    private final String url;

    private RunningServer(WaterwheelServer server, String url) {
        this.server = server;
        this.url = url;
    }

    /** Starts a server with Waterwheel's topology, and returns when it takes queries. */
    public static RunningServer start(Path folder, WaterwheelConfig config, Set<WaterwheelServer.External> external)
            throws IOException {
        return start(folder, config, external, LOG::info);
    }

    /**
     * The same.
     *
     * @param slow hears now and then what is waited for, when the start takes long
     * @throws IOException when it does not start, or gets on no more
     */
    public static RunningServer start(
            Path folder, WaterwheelConfig config, Set<WaterwheelServer.External> external, Consumer<String> slow)
            throws IOException {
        WaterwheelServer server = WaterwheelServer.start(folder, config, external, inForce -> new Tasks());
        try {
            RunningServer running = new RunningServer(server, awaitCoordinator(server, slow));
            server.clientsMayCome();
            return running;
        } catch (IOException | RuntimeException e) {
            server.close();
            throw e;
        }
    }

    /** As long as the process gets on: on a machine of which others have taken most, each step may take minutes. */
    private static String awaitCoordinator(WaterwheelServer server, Consumer<String> slow) throws IOException {
        Patience patience = new Patience(PATIENCE.toNanos(), TELL.toNanos(), System.nanoTime());
        String last = "no coordinator has announced itself";
        String tasks = "/live/" + server.config().get(Keys.TOPOLOGY_NAME);
        try (CatalogStore store = ZooKeeperCatalogStore.connect(server.config())) {
            List<String> up = store.children(tasks);
            // A start loads classes to its very end; one that hangs loads none.
            while (patience.goesOn(
                    List.of(up, last, ManagementFactory.getClassLoadingMXBean().getTotalLoadedClassCount()),
                    System.nanoTime())) {
                // Not as the catalog names it: after a kill that may be the killed server's for some seconds.
                for (String url : SharedServices.coordinatorsOf(server.config())) {
                    try (WaterwheelClient client = WaterwheelClient.connect(url)) {
                        client.listStreams();
                        return url;
                    } catch (WaterwheelException e) {
                        if (e.kind() != WaterwheelException.Kind.TEMPORARY) {
                            throw e;
                        }
                        last = String.valueOf(e.getMessage());
                    }
                }
                if (Thread.interrupted()) {
                    Thread.currentThread().interrupt();
                    throw new IOException("interrupted while the server was starting");
                }
                if (patience.tells(System.nanoTime())) {
                    up = store.children(tasks);
                    slow.accept("starting for " + patience.seconds(System.nanoTime()) + " s: " + up.size()
                            + " tasks are up; waiting for the coordinator: " + last + trouble(server));
                }
                LockSupport.parkNanos(POLL_NANOS);
            }
        }
        throw new IOException("the server does not take queries " + patience.seconds(System.nanoTime())
                + " s after its start, and in the last " + PATIENCE.toSeconds() + " s nothing has changed: " + last
                + trouble(server));
    }

    private static String trouble(WaterwheelServer server) {
        return server.trouble().isEmpty() ? "" : "; " + server.trouble();
    }

    /** {@code grpc://HOST:PORT} of its coordinator. */
    public String url() {
        return url;
    }

    /** The chunks of a stream and their regions, as the catalog has them now. */
    public List<ChunkDescriptor> chunks(String stream) throws IOException {
        List<ChunkDescriptor> chunks = new ArrayList<>();
        try (CatalogStore store = ZooKeeperCatalogStore.connect(server.config());
                ChunkStore files = ChunkStores.open(server.config())) {
            StreamInfo info = new Namespace(store)
                    .find(stream)
                    .orElseThrow(() -> new IOException("there is no stream " + stream + " in the catalog"));
            StreamSnapshot snapshot = new SnapshotReader(store, files, info).latest();
            snapshot.chunks(Region.of(Long.MIN_VALUE, Long.MAX_VALUE, Long.MIN_VALUE, Long.MAX_VALUE), chunks::add);
        }
        return chunks;
    }

    /** How often its tasks were started: once, and again each time that one had failed. */
    public int lives() {
        return server.lives();
    }

    /** What its tasks measure; nothing while they start. */
    public List<Metrics> metrics() {
        return SharedServices.metricsOf(server.config());
    }

    /** Kafka's HOST:PORT, for clients. */
    public String kafka() {
        return server.config().kafkaForClients();
    }

    @Override
    public void close() {
        server.close();
    }
}
