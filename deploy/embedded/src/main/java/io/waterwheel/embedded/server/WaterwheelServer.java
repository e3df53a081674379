package io.waterwheel.embedded.server;

import io.waterwheel.catalog.store.CatalogStore;
import io.waterwheel.store.DiskSpace;
import io.waterwheel.topology.config.Keys;
import io.waterwheel.topology.config.WaterwheelConfig;
import io.waterwheel.topology.hdfs.MarkedChunkStore;
import io.waterwheel.topology.process.ProcessHost;
import io.waterwheel.topology.sql.Statements;
import io.waterwheel.topology.task.TaskOpener;
import io.waterwheel.topology.warmup.QueryWarmUp;
import io.waterwheel.topology.wiring.WorkerMemory;
import io.waterwheel.topology.worker.HostTroubles;
import io.waterwheel.topology.worker.Uninterrupted;
import io.waterwheel.topology.zookeeper.OpenNodes;
import io.waterwheel.topology.zookeeper.ZooKeeperCatalogStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All of Waterwheel in one process on one data folder: ZooKeeper, Kafka and the topology. Prints nothing. Killed and
 * started again on the folder it goes on where it stood. Start and close from one thread.
 */
public final class WaterwheelServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(WaterwheelServer.class);

    /** What may be a real service, at the address that the configuration names, instead of one in this process. */
    public enum External {
        ZOOKEEPER,
        KAFKA,
        CHUNK_STORE
    }

    /** As long as a chunk file that was replaced, by default: copies of both have the same time. */
    private static final String INDEXED_RECORDS_STAY = "2 h";

    private static final String COORDINATORS = "/coordinators";
    private static final Duration STORE_PATIENCE = Duration.ofSeconds(5);

    /** For a broker that is just starting, before that is interrupted, and then for what it had started to stop. */
    private static final long KAFKA_START_MILLIS = TimeUnit.SECONDS.toMillis(90);

    private static final long KAFKA_STOP_MILLIS = TimeUnit.MINUTES.toMillis(7);

    /** What is to be closed, the last first. */
    private final Deque<AutoCloseable> parts = new ArrayDeque<>();

    private final List<KeptPart<?>> kept = new CopyOnWriteArrayList<>();

    private final Set<External> external;
    private WaterwheelConfig config;
    private @Nullable ProcessHost tasks;
    private @Nullable QueryWarmUp warmUp;
    /** Of the chunks, where they are on the disk of the data folder: the chunk store tells of that too. */
    private @Nullable DiskSpace chunkDisk;

    private WaterwheelServer(WaterwheelConfig config, Set<External> external) {
        this.config = config;
        this.external = Set.copyOf(external);
    }

    /**
     * Starts everything; the tasks come up a few seconds later.
     *
     * @param config keys of what is started here are replaced by the addresses that it has
     * @param external what is not started here
     * @param tasks makes what opens the tasks, for the addresses in force
     * @throws IOException when a part does not start, or another server has the folder; what had started is closed
     */
    public static WaterwheelServer start(
            Path dataFolder,
            WaterwheelConfig config,
            Set<External> external,
            Function<WaterwheelConfig, TaskOpener> tasks)
            throws IOException {
        WaterwheelServer server = new WaterwheelServer(config, external);
        try {
            server.start(dataFolder, tasks);
            return server;
        } catch (IOException | RuntimeException e) {
            server.close();
            throw e;
        }
    }

    private void start(Path dataFolder, Function<WaterwheelConfig, TaskOpener> opener) throws IOException {
        long begin = System.nanoTime();
        DataFolder folder = DataFolder.take(dataFolder);
        parts.push(folder);
        DiskWatch watch = DiskWatch.start(new DiskSpace(
                folder.resolve(".").normalize(), config.get(Keys.DISK_RESERVE).bytes()));
        parts.push(watch);
        warmUp();
        // Kafka takes longest: side by side with the others.
        FutureTask<KeptKafka> kafka = new FutureTask<>(() -> startKafka(folder.resolve("kafka"), watch));
        if (!external.contains(External.KAFKA)) {
            Thread starting = new Thread(kafka, "kafka-start");
            starting.start();
            parts.push(() -> closeStarted(starting, kafka));
        }
        if (!external.contains(External.ZOOKEEPER)) {
            Path own = folder.resolve("zookeeper");
            EmbeddedZooKeeper zooKeeper = EmbeddedZooKeeper.start(own, 0);
            KeptPart<EmbeddedZooKeeper> keeper =
                    KeptPart.of("ZooKeeper", zooKeeper, new WatchedDisk(own, watch)::unwritable);
            parts.push(keeper);
            kept.add(keeper);
            config = config.with(Keys.ZOOKEEPER_CONNECT, zooKeeper.connect());
            if (config.get(Keys.ZOOKEEPER_AUTH).equals("none")) {
                // Others on this machine reach it too: they may look where coordinators answer, and no more.
                config = config.with(Keys.ZOOKEEPER_AUTH, zooKeeper.auth()).with(Keys.ZOOKEEPER_ACL, "creator");
                OpenNodes.close(config);
            }
        }
        if (!external.contains(External.CHUNK_STORE)) {
            Path chunks = folder.resolve("chunks");
            ServerFolder.make(chunks);
            if (Files.getFileStore(chunks).equals(Files.getFileStore(folder.resolve(".")))) {
                chunkDisk = new DiskSpace(chunks, config.get(Keys.DISK_RESERVE).bytes());
            }
            config =
                    config.with(Keys.CHUNK_STORE_URI, "file://" + chunks.toUri().getRawPath());
        }
        if (!external.contains(External.KAFKA)) {
            EmbeddedKafka started = await(kafka).broker();
            kept.add(await(kafka).keeper());
            config = config.with(Keys.KAFKA_BOOTSTRAP, started.ownBootstrap())
                    .with(Keys.KAFKA_CLIENT_BOOTSTRAP, started.bootstrap());
        }
        if (config.get(Keys.KAFKA_DELETE_INDEXED).equals(Keys.AUTO)) {
            config = config.with(
                    Keys.KAFKA_DELETE_INDEXED, external.contains(External.KAFKA) ? Keys.OFF : INDEXED_RECORDS_STAY);
        }
        keepPort(folder);
        if (!config.get(Keys.GATEWAY_IN_SERVER).equals("none")) {
            // The gateway shows what the worker measures.
            config = config.with(Keys.METRICS_HOST, Keys.NO_HOST);
        }
        config = WorkerMemory.fitting(
                config.with(Keys.TOPOLOGY_WORKERS, 1), Runtime.getRuntime().maxMemory());
        WorkerMemory.check(config, Runtime.getRuntime().maxMemory());
        if (!config.stormKeys().isEmpty()) {
            LOG.warn(
                    "the section storm of the configuration means nothing to a server in one process, which runs without"
                            + " Storm: {}",
                    String.join(", ", config.stormKeys()));
        }
        TaskOpener made = opener.apply(config);
        parts.push(HostTroubles.tell(config, () -> troubles(watch)));
        lookAtCatalog();
        tasks = ProcessHost.start(config.get(Keys.TOPOLOGY_NAME), config, made);
        parts.push(tasks);
        LOG.info("server on {}: started in {} ms", dataFolder, (System.nanoTime() - begin) / 1_000_000);
    }

    /**
     * A start waits for its parts more than it computes; what the worker would warm up later is warmed up meanwhile.
     */
    private void warmUp() {
        Duration most = config.get(Keys.QUERY_WARM_UP);
        if (!most.isZero()) {
            QueryWarmUp begun = QueryWarmUp.start(most);
            warmUp = begun;
            parts.push(begun);
            Statements.warmUp(begun::mayGoOn);
        }
    }

    /** Clients may come: what is left of the warm-up goes on beside them. */
    void clientsMayCome() {
        if (warmUp != null) {
            warmUp.goOn();
        }
    }

    /** A worker that takes another's place has to be where that was. */
    private void keepPort(DataFolder folder) throws IOException {
        int kept = keptPort(folder, config, "coordinator");
        if (kept > 0) {
            config = config.with(Keys.COORDINATOR_PORTS, List.of(kept));
        }
    }

    /**
     * A free port that something of this folder keeps: the one of its last start, if that is free. 0 where the server
     * was told which ports to take.
     *
     * @param name of what listens
     */
    static int keptPort(DataFolder folder, WaterwheelConfig config, String name) throws IOException {
        if (config.get(Keys.COORDINATOR_TASKS) != 1
                || !config.get(Keys.COORDINATOR_PORTS).equals(List.of(0))) {
            return 0;
        }
        Path ports = folder.resolve("coordinator");
        ServerFolder.make(ports);
        return new PortRegistry(ports).port(name, 0);
    }

    private void lookAtCatalog() {
        try (CatalogStore catalog = ZooKeeperCatalogStore.connect(config)) {
            if (!external.contains(External.ZOOKEEPER)) {
                forgetKilled(catalog);
            }
            requireOwnChunks(catalog, config);
        }
    }

    /**
     * The coordinators of a server that was killed are announced until their session ends, and at the same ports: they
     * would be taken for those of this one, before it is ready.
     */
    private static void forgetKilled(CatalogStore catalog) {
        for (String coordinator : catalog.children(COORDINATORS)) {
            try {
                catalog.commit(List.of(new CatalogStore.Op.Delete(
                        COORDINATORS + "/" + coordinator, CatalogStore.Op.Delete.ANY_VERSION)));
            } catch (CatalogStore.ConflictException | CatalogStore.UnknownOutcomeException e) {
                LOG.debug("the announcement of coordinator {} ends by itself", coordinator, e);
            }
        }
    }

    /** Said here, where somebody reads it: a worker that refuses a store says so in the log, again and again. */
    private static void requireOwnChunks(CatalogStore catalog, WaterwheelConfig config) {
        try (MarkedChunkStore store = MarkedChunkStore.start(catalog, config, STORE_PATIENCE)) {
            if (!store.trouble().isEmpty()) {
                LOG.warn("the server starts all the same: {}", store.trouble());
            }
        }
    }

    /** A broker, and what keeps it up. */
    private record KeptKafka(EmbeddedKafka broker, KeptPart<EmbeddedKafka> keeper) {}

    private static KeptKafka startKafka(Path folder, DiskWatch watch) throws IOException {
        WatchedDisk disk = new WatchedDisk(folder, watch);
        // Its keeper follows at once; a trouble before that fails the start, which says why.
        EmbeddedKafka broker = EmbeddedKafka.start(folder, 0, watch::trouble, disk);
        return new KeptKafka(broker, KeptPart.of("Kafka", broker, disk::unwritable));
    }

    private static KeptKafka await(FutureTask<KeptKafka> kafka) throws IOException {
        try {
            return kafka.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof IOException failure) {
                throw failure;
            }
            throw new IOException("Kafka did not start: " + e.getCause(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while Kafka was starting", e);
        }
    }

    /** Waits for the start also on a thread that is interrupted: the broker would run on. */
    private static void closeStarted(Thread starting, FutureTask<KeptKafka> kafka) {
        if (!Uninterrupted.join(starting, KAFKA_START_MILLIS)) {
            starting.interrupt();
            if (!Uninterrupted.join(starting, KAFKA_STOP_MILLIS)) {
                LOG.warn("the start of Kafka did not end, and is left behind");
                return;
            }
        }
        try {
            await(kafka).keeper().close();
        } catch (IOException e) {
            LOG.debug("Kafka had not started: there is nothing to close", e);
        }
    }

    /**
     * What the tasks were last closed and opened again for, and which part is not up, and why; empty when none has
     * failed and all are up.
     */
    String trouble() {
        List<String> troubles = new ArrayList<>();
        if (tasks != null && !tasks.trouble().isEmpty()) {
            troubles.add("all tasks were started again, since " + tasks.trouble());
        }
        troubles.addAll(partTroubles());
        return String.join("; ", troubles);
    }

    /** What `status` tells of this process: of the disk, where the chunk store does not say it, and of its parts. */
    private List<String> troubles(DiskWatch watch) {
        List<String> troubles = new ArrayList<>();
        String disk = watch.trouble();
        // Not what the chunk store says of the same disk.
        if (!disk.isEmpty() && (chunkDisk == null || chunkDisk.trouble(0).isEmpty())) {
            troubles.add(disk);
        }
        troubles.addAll(partTroubles());
        return troubles;
    }

    private List<String> partTroubles() {
        return kept.stream()
                .map(KeptPart::trouble)
                .filter(trouble -> !trouble.isEmpty())
                .toList();
    }

    /** How often the tasks were started. */
    int lives() {
        return tasks == null ? 0 : tasks.lives();
    }

    /** The configuration in force: the given one with the addresses of what runs here. */
    public WaterwheelConfig config() {
        return config;
    }

    /** Stops everything, in reverse order; takes some seconds. What does not stop is logged and left behind. */
    @Override
    public void close() {
        if (warmUp != null) {
            // It computes beside what ends, and needs none of it.
            parts.remove(warmUp);
            parts.push(warmUp);
        }
        while (!parts.isEmpty()) {
            AutoCloseable part = parts.pop();
            try {
                part.close();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                LOG.warn("interrupted while {} was stopping", part);
            } catch (Exception e) {
                LOG.warn("{} did not stop: {}", part, e.toString(), e);
            }
        }
    }
}
