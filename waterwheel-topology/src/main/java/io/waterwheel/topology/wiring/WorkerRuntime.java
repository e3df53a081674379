package io.waterwheel.topology.wiring;

import io.waterwheel.catalog.Namespace;
import io.waterwheel.catalog.StreamCatalog;
import io.waterwheel.catalog.state.LogIdentity;
import io.waterwheel.catalog.state.PartitionRoute;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.catalog.store.CatalogStore;
import io.waterwheel.decode.registry.RegistryAccess;
import io.waterwheel.decode.registry.SchemaRegistry;
import io.waterwheel.decode.typed.WriterSchemas;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.ingest.dispatch.DeadLetters;
import io.waterwheel.ingest.source.LogReader;
import io.waterwheel.ingest.source.LogSource;
import io.waterwheel.metrics.Metrics;
import io.waterwheel.query.admission.Admission;
import io.waterwheel.query.admission.Lane;
import io.waterwheel.query.memory.QueryMemory;
import io.waterwheel.query.plan.Endpoints;
import io.waterwheel.query.plan.PreparedShapes;
import io.waterwheel.query.scan.ChunkCache;
import io.waterwheel.query.scan.ChunkScan;
import io.waterwheel.query.scan.FreshReader;
import io.waterwheel.store.ChunkStore;
import io.waterwheel.topology.config.Keys;
import io.waterwheel.topology.config.WaterwheelConfig;
import io.waterwheel.topology.hdfs.MarkedChunkStore;
import io.waterwheel.topology.kafka.KafkaDeadLetters;
import io.waterwheel.topology.kafka.KafkaLogReader;
import io.waterwheel.topology.kafka.KafkaSource;
import io.waterwheel.topology.kafka.KafkaSources;
import io.waterwheel.topology.kafka.KafkaTopics;
import io.waterwheel.topology.kafka.OpenTransactions;
import io.waterwheel.topology.rpc.MessageSink;
import io.waterwheel.topology.rpc.PeerHandler;
import io.waterwheel.topology.rpc.PeerSecret;
import io.waterwheel.topology.rpc.RpcServer;
import io.waterwheel.topology.rpc.RpcSettings;
import io.waterwheel.topology.warmup.QueryWarmUp;
import io.waterwheel.topology.worker.Closing;
import io.waterwheel.topology.worker.ControlBus;
import io.waterwheel.topology.worker.StreamDirectory;
import io.waterwheel.topology.worker.TimedJobs;
import io.waterwheel.topology.worker.TopicRecords;
import io.waterwheel.topology.worker.WorkerServices;
import io.waterwheel.topology.zookeeper.OtherNamespaces;
import io.waterwheel.topology.zookeeper.ZooKeeperCatalogStore;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The services of one worker process, as the configuration says. Thread-safe; closed once, when the last task ends. */
final class WorkerRuntime implements WorkerServices {
    private static final int SUBQUERIES_A_PROCESSOR = 64;
    private static final Logger LOG = LoggerFactory.getLogger(WorkerRuntime.class);
    private static final int BLOCKING_THREADS = 4;
    private static final int LIMIT_THREADS = 4;
    private static final int BLOCKING_CALLS = 4096;
    private static final int SPOUT_BATCH_BYTES = 256 << 10;
    /** What a store that is there takes to be opened, and more; one that is away is not waited for. */
    private static final Duration STORE_PATIENCE = Duration.ofSeconds(5);

    private static final int REPLICA_LOOKUPS = 8;
    /** A store that does not say in this time where a file is has other troubles than distance. */
    private static final Duration REPLICA_PATIENCE = Duration.ofSeconds(1);

    private final WaterwheelConfig config;
    private final String clientId;
    /** What is to be closed, the last first. */
    private final Deque<AutoCloseable> parts = new ArrayDeque<>();

    private final WorkerMetrics metrics;
    private final CatalogStore catalogStore;
    private final Namespace namespace;
    private final StreamDirectory streams;
    private final MarkedChunkStore markedStore;
    private final ChunkStore chunkStore;
    private final ChunkScan chunkScan;
    private final QueryMemory queryMemory;
    private final PreparedShapes preparedShapes;
    private final ExecutorService blockingCalls;
    private final ExecutorService limitCalls;
    private final QueryThreads queryThreads;
    private final KafkaTopics topics;
    private final LogReader logReader;
    private final DeadLetters deadLetters;
    /** By address, the registries that streams name. */
    private final Map<String, SchemaRegistry> registries = new ConcurrentHashMap<>();

    private final RegistryAccess registryAccess;

    private final OpenTransactions openTransactions;
    private final TimedJobs jobs;
    private final RpcServer peerServer;
    private final TaskDirectory directory;
    private final Peers peers;
    private final WorkerBus bus;
    private final WorkerEndpoints endpoints;
    private final MeteredEndpoints.Meters subqueries;
    private final MetricsPlaces metricsPlaces;
    private final QueryWarmUp warmUp;

    WorkerRuntime(WaterwheelConfig config) {
        WorkerMemory.check(config, Runtime.getRuntime().maxMemory());
        this.config = config;
        this.registryAccess =
                RegistryAccess.of(Keys.REGISTRY_AUTH.name(), config.get(Keys.REGISTRY_AUTH), System::getenv);
        this.queryMemory = WorkerMemory.queries(config);
        this.preparedShapes = new PreparedShapes(queryMemory);
        this.metrics = new WorkerMetrics(config);
        this.clientId = "waterwheel-" + config.get(Keys.TOPOLOGY_NAME) + "-"
                + ProcessHandle.current().pid();
        try {
            // First: it lasts, and what follows waits for services.
            warmUp = keep(QueryWarmUp.start(config.get(Keys.QUERY_WARM_UP)));
            ScheduledExecutorService scheduler = keep(scheduler());
            jobs = keep(new TimedJobs("worker-jobs"));
            blockingCalls = keep(new ThreadPoolExecutor(
                    BLOCKING_THREADS,
                    BLOCKING_THREADS,
                    0,
                    TimeUnit.SECONDS,
                    new LinkedBlockingQueue<>(BLOCKING_CALLS),
                    daemons("catalog-calls")));
            limitCalls = keep(new ThreadPoolExecutor(
                    LIMIT_THREADS,
                    LIMIT_THREADS,
                    0,
                    TimeUnit.SECONDS,
                    new LinkedBlockingQueue<>(BLOCKING_CALLS),
                    daemons("limit-calls")));
            queryThreads = keep(new QueryThreads(config));
            catalogStore = keep(new MeteredCatalogStore(ZooKeeperCatalogStore.connect(config), metrics.metrics()));
            namespace = new Namespace(catalogStore);
            streams = keep(new StreamDirectory(catalogStore, namespace, scheduler));
            markedStore = keep(MarkedChunkStore.start(catalogStore, config, STORE_PATIENCE));
            chunkStore = new MeteredChunkStore(markedStore, metrics.metrics());
            ChunkCache cache =
                    new ChunkCache(config.get(Keys.QUERY_SERVER_CACHE_SIZE).bytes());
            chunkScan = new ChunkScan(chunkStore, cache);
            String bootstrap = config.get(Keys.KAFKA_BOOTSTRAP);
            topics = keep(new KafkaTopics(bootstrap));
            logReader = keep(new KafkaLogReader(bootstrap, clientId + "-again", this::topicOf));
            deadLetters = keep(new KafkaDeadLetters(
                    bootstrap,
                    clientId + "-dead-letters",
                    KafkaDeadLetters.namespace(config),
                    this::topicOf,
                    topics::ensureDeadLetters));
            openTransactions = keep(new OpenTransactions(
                    topics, this::topicOf, OpenTransactions.LONG, look -> jobs.line("open-transactions")
                            .every(OpenTransactions.INTERVAL, OpenTransactions.INTERVAL, look::run)));
            directory = keep(new TaskDirectory(catalogStore, config.get(Keys.TOPOLOGY_NAME), scheduler));
            // Peers may call as soon as the server is there; what they need comes right after.
            PeerEntry entry = new PeerEntry();
            String host = WorkerHost.of(config.get(Keys.WORKER_RPC_HOST));
            PeerSecret secret = SharedSecret.of(catalogStore);
            peerServer = keep(RpcServer.forPeers(
                    new RpcSettings(host, 0, RpcSettings.DEFAULT.memoryBytes(), 1, subqueriesAtOnce()), entry, secret));
            String here = host + ":" + peerServer.port();
            peers = keep(new Peers(peerServer.allocator(), secret));
            bus = new WorkerBus(directory, peers, here);
            ThreadPoolExecutor lookups = keep(new ThreadPoolExecutor(
                    REPLICA_LOOKUPS,
                    REPLICA_LOOKUPS,
                    30,
                    TimeUnit.SECONDS,
                    new LinkedBlockingQueue<>(ReplicaHosts.KEPT),
                    daemons("replica-lookup"),
                    new ThreadPoolExecutor.CallerRunsPolicy()));
            lookups.allowCoreThreadTimeOut(true);
            endpoints = new WorkerEndpoints(
                    streams,
                    chunkScan,
                    new ReplicaHosts(chunkStore::hosts, lookups, REPLICA_PATIENCE),
                    queryMemory,
                    preparedShapes,
                    directory,
                    peers,
                    here,
                    config.get(Keys.INDEXER_TASKS),
                    config.get(Keys.QUERY_SERVER_READERS));
            subqueries = new MeteredEndpoints.Meters(metrics.metrics(), config.get(Keys.INDEXER_TASKS));
            entry.bus = bus;
            entry.endpoints = endpoints;
            keep(metrics);
            metrics.measure(this::streamNames, cache, queryMemory);
            metrics.measure(queryThreads.admission());
            metrics.measure(peerServer.allocator());
            metricsPlaces = keep(new MetricsPlaces(directory, config, System::nanoTime));
            metrics.serve(metricsPlaces);
            ScheduledFuture<?> tidying = scheduler.scheduleWithFixedDelay(this::tidy, 10, 10, TimeUnit.SECONDS);
            parts.push(() -> tidying.cancel(false));
            LOG.info("[worker] services are up; peers reach it at {}", here);
        } catch (RuntimeException | Error e) {
            close();
            throw e;
        }
    }

    /** Takes peers' messages once the worker knows where they go. */
    private static final class PeerEntry implements PeerHandler {
        private volatile @Nullable WorkerBus bus;
        private volatile @Nullable WorkerEndpoints endpoints;

        @Override
        public void control(String target, byte[] message) {
            WorkerBus now = bus;
            if (now != null) {
                now.onRemote(target, message);
            }
        }

        @Override
        public void subquery(byte[] request, MessageSink sink) throws InterruptedException {
            WorkerEndpoints now = endpoints;
            if (now == null) {
                throw new WaterwheelException(ErrorCode.STARTING, "the worker is starting; ask again");
            }
            now.answer(request, sink);
        }
    }

    private <T extends AutoCloseable> T keep(T part) {
        parts.push(part);
        return part;
    }

    private <T extends ExecutorService> T keep(T executor) {
        parts.push(executor::shutdownNow);
        return executor;
    }

    private static ScheduledExecutorService scheduler() {
        return new ScheduledThreadPoolExecutor(1, daemons("worker-schedule"));
    }

    /** A query of another worker asks for as many as its query server here has readers. */
    private static int subqueriesAtOnce() {
        return Math.max(
                RpcSettings.DEFAULT.subqueries(),
                SUBQUERIES_A_PROCESSOR * Runtime.getRuntime().availableProcessors());
    }

    private static ThreadFactory daemons(String name) {
        AtomicInteger number = new AtomicInteger();
        return task -> {
            Thread thread = new Thread(task, name + "-" + number.getAndIncrement());
            thread.setDaemon(true);
            return thread;
        };
    }

    private Set<String> streamNames() {
        return streams.streams().values().stream().map(StreamInfo::name).collect(Collectors.toSet());
    }

    private @Nullable String topicOf(int streamId) {
        StreamInfo stream = streams.streams().get(streamId);
        return stream == null ? null : stream.topic();
    }

    @Override
    public WaterwheelConfig config() {
        return config;
    }

    @Override
    public CatalogStore catalogStore() {
        return catalogStore;
    }

    @Override
    public Namespace namespace() {
        return namespace;
    }

    @Override
    public StreamDirectory streams() {
        return streams;
    }

    @Override
    public ChunkStore chunkStore() {
        return chunkStore;
    }

    @Override
    public String chunkStoreTrouble() {
        return markedStore.trouble();
    }

    @Override
    public void requireCatalog() {
        if (!markedStore.catalogIsThere()) {
            throw new WaterwheelException(
                    ErrorCode.CATALOG_LOST,
                    "catalog " + config.catalogRoot() + " of ZooKeeper at " + config.get(Keys.ZOOKEEPER_CONNECT)
                            + " is not the one that this server began with: its nodes were removed. Nothing is created, and no"
                            + " chunk is removed, until it is back: stop the server, restore ZooKeeper's data from a copy"
                            + " (docs/operations.md), and start it. Chunks and topics are untouched");
        }
    }

    @Override
    public Metrics metrics() {
        return metrics.metrics();
    }

    @Override
    public ControlBus controlBus() {
        return bus;
    }

    @Override
    public LogSource openLogSource() {
        String bootstrap = config.get(Keys.KAFKA_BOOTSTRAP);
        return new KafkaSources(number -> number == 0
                ? new KafkaSource(bootstrap, clientId + "-live", SPOUT_BATCH_BYTES)
                : KafkaSource.further(bootstrap, clientId + "-live-" + number, SPOUT_BATCH_BYTES));
    }

    @Override
    public LogReader logReader() {
        return logReader;
    }

    @Override
    public WriterSchemas writerSchemas(StreamInfo stream) {
        String address = stream.schema().text().types().registry();
        return address.isEmpty()
                ? WriterSchemas.NONE
                : registries.computeIfAbsent(address, at -> new SchemaRegistry(at, registryAccess));
    }

    @Override
    public DeadLetters deadLetters() {
        return deadLetters;
    }

    @Override
    public String logWarning(int streamId, int partition) {
        return openTransactions.warning(streamId, partition);
    }

    @Override
    public Map<Integer, TopicState> topicStates(Collection<StreamInfo> asked) {
        if (asked.isEmpty()) {
            return Map.of();
        }
        Map<String, KafkaTopics.State> found =
                topics.states(asked.stream().map(StreamInfo::topic).collect(Collectors.toSet()));
        Map<Integer, TopicState> states = new HashMap<>();
        for (StreamInfo stream : asked) {
            KafkaTopics.State state = found.get(stream.topic());
            if (state != null) {
                states.put(
                        stream.id(),
                        new TopicState(state.id(), state.starts(), state.ends(), state.epochs(), state.failure()));
            }
        }
        return states;
    }

    @Override
    public TopicRecords topicRecords() {
        return new TopicRecords() {
            @Override
            public <T, E extends Exception> T keepingAll(Work<T, E> work) throws E {
                return topics.keepingAll(work::run);
            }

            @Override
            public void unlessAllAreWanted(Runnable deletion) {
                topics.unlessAllAreKept(deletion);
            }

            @Override
            public void deleteBefore(String topic, Map<Integer, Long> before) {
                topics.deleteBefore(topic, before);
            }

            @Override
            public Set<String> topicsOfOthers() {
                return OtherNamespaces.topics(config);
            }
        };
    }

    @Override
    public Map<Integer, Boolean> compactedTopics(Collection<StreamInfo> asked) {
        if (asked.isEmpty()) {
            return Map.of();
        }
        Map<String, Boolean> found =
                topics.compacted(asked.stream().map(StreamInfo::topic).collect(Collectors.toSet()));
        Map<Integer, Boolean> compacted = new HashMap<>();
        for (StreamInfo stream : asked) {
            Boolean known = found.get(stream.topic());
            if (known != null) {
                compacted.put(stream.id(), known);
            }
        }
        return compacted;
    }

    @Override
    public long[] logEnds(StreamInfo stream) {
        TopicState state = topicStates(List.of(stream)).get(stream.id());
        if (state == null) {
            throw new WaterwheelException(
                    ErrorCode.NO_SUCH_TOPIC, "topic " + stream.topic() + " is not there: was it deleted?");
        }
        if (!state.failure().isEmpty()) {
            throw new WaterwheelException(
                    ErrorCode.KAFKA_UNAVAILABLE, "topic " + stream.topic() + ": " + state.failure());
        }
        List<PartitionRoute> routes = new StreamCatalog(catalogStore, stream).routes();
        long[] ends = new long[stream.partitions()];
        for (int p = 0; p < ends.length; p++) {
            LogIdentity log = routes.get(p).log();
            ends[p] =
                    log.matches(state.id()) && p < state.ends().length ? state.ends()[p] + log.base() : Long.MAX_VALUE;
        }
        return ends;
    }

    @Override
    public ExecutorService blockingCalls() {
        return blockingCalls;
    }

    @Override
    public ExecutorService limitCalls() {
        return limitCalls;
    }

    @Override
    public ExecutorService queryThreads(Lane lane) {
        return queryThreads.of(lane);
    }

    @Override
    public Admission admission() {
        return queryThreads.admission();
    }

    @Override
    public QueryMemory queryMemory() {
        return queryMemory;
    }

    @Override
    public RegistryAccess registryAccess() {
        return registryAccess;
    }

    @Override
    public TimedJobs jobs() {
        return jobs;
    }

    @Override
    public PreparedShapes preparedShapes() {
        return preparedShapes;
    }

    @Override
    public AutoCloseable hostIndexer(int streamId, int indexer, FreshReader reader) {
        return endpoints.hostIndexer(streamId, indexer, reader);
    }

    @Override
    public void indexerAbsent(int streamId, int indexer, String why) {
        endpoints.indexerAbsent(streamId, indexer, why);
    }

    @Override
    public AutoCloseable hostQueryServer(int index) {
        return endpoints.hostQueryServer(index);
    }

    @Override
    public Endpoints endpoints(int streamId) {
        return new MeteredEndpoints(endpoints.of(streamId), subqueries);
    }

    @Override
    public CoordinatorServer serve(int coordinator, QueryHandler handler) {
        return CoordinatorService.start(this, topics, coordinator, handler);
    }

    @Override
    public AutoCloseable announce(String path, String content) {
        catalogStore.ensure(path.substring(0, path.lastIndexOf('/')));
        return directory.announceAt(path, content);
    }

    TaskDirectory directory() {
        return directory;
    }

    private void tidy() {
        peers.keepOnly(directory.all().values());
        metricsPlaces.endOld();
    }

    MetricsPlaces metricsPlaces() {
        return metricsPlaces;
    }

    QueryWarmUp warmUp() {
        return warmUp;
    }

    /** Ports that a coordinator's public server may take; the first free one. */
    List<Integer> coordinatorPorts() {
        return config.get(Keys.COORDINATOR_PORTS);
    }

    @Override
    public void close() {
        AutoCloseable[] all = parts.toArray(new AutoCloseable[0]);
        parts.clear();
        Closing.all(LOG, "worker", all);
    }
}
