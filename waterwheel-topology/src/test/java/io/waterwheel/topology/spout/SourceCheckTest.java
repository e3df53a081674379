package io.waterwheel.topology.spout;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.catalog.LogMemory;
import io.waterwheel.catalog.Namespace;
import io.waterwheel.catalog.StreamCatalog;
import io.waterwheel.catalog.state.LogIdentity;
import io.waterwheel.catalog.state.StartOfTopic;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.catalog.store.CatalogStore;
import io.waterwheel.catalog.store.InMemoryCatalogStore;
import io.waterwheel.ingest.source.LogSource;
import io.waterwheel.ingest.source.LogTracker;
import io.waterwheel.metrics.Metrics;
import io.waterwheel.protocol.Control.LogProblem;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.LogLoss;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.StreamPolicy;
import io.waterwheel.topology.config.WaterwheelConfig;
import io.waterwheel.topology.worker.SourceTopics.TopicState;
import io.waterwheel.topology.worker.SpoutServices;
import io.waterwheel.topology.zookeeper.ZooKeeperCatalogStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.curator.test.TestingServer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Looks at the topic of thousands of partitions: what they read of the catalog, and what becomes of a change.
 * {@code -Dzookeeper=true -Dpartitions=10000} has the catalog in a real ZooKeeper, and prints how long looks take.
 */
final class SourceCheckTest {
    private static final int PARTITIONS = Integer.getInteger("partitions", 4_000);
    /** Of a stream that is created: more are added. */
    private static final int CREATED = 2_000;

    private static final Schema SCHEMA =
            new Schema(List.of(new Field("t", FieldType.TIMESTAMP, false)), new KeySpec.Ordered("t"), "t");
    private static final long SECOND_LOG = 1_000_000_000_000L;

    private final @Nullable TestingServer server;
    private final CatalogStore store;
    private final AtomicLong reads = new AtomicLong();
    private final LogIdentity first = LogIdentity.first("one");
    private final StreamInfo stream;
    private final Map<Integer, SourcePartition> partitions = new HashMap<>();
    private final int[] epochs = new int[PARTITIONS];
    private final long[] ends = new long[PARTITIONS];
    private final SourceCheck check;

    SourceCheckTest() throws Exception {
        server = Boolean.getBoolean("zookeeper") ? new TestingServer(true) : null;
        store = server == null
                ? new InMemoryCatalogStore(new InMemoryCatalogStore.Tree())
                : ZooKeeperCatalogStore.connect(server.getConnectString(), "/test", Duration.ofSeconds(60));
        StreamInfo created = new Namespace(store)
                .create(
                        "s",
                        SCHEMA,
                        RecordFormat.CSV,
                        new StartOfTopic("s", new long[Math.min(CREATED, PARTITIONS)], first),
                        1,
                        StreamPolicy.DEFAULT.withLogLoss(LogLoss.SKIP));
        stream = PARTITIONS > CREATED ? new StreamCatalog(store, created).extend(new long[PARTITIONS], first) : created;
        check = new SourceCheck(services(), 0);
        // Nothing is read here.
        LogSource source = (LogSource) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {LogSource.class}, (proxy, method, args) -> {
                    throw new UnsupportedOperationException(method.getName());
                });
        Handover handover = new Handover(source, 1, 1, 1, (dispatcher, message) -> {});
        Arrays.fill(ends, 100);
        for (int p = 0; p < PARTITIONS; p++) {
            partitions.put(
                    p,
                    new SourcePartition(
                            stream,
                            p,
                            100,
                            new LogTracker(first, List.of(), null),
                            new SpoutMeter.OfStream(Metrics.unread(), stream.name()),
                            handover.lane(stream.id(), p, 0, 100)));
        }
    }

    @AfterEach
    void close() throws Exception {
        store.close();
        if (server != null) {
            server.close();
        }
    }

    /** Those that the check uses; blocking calls are made at once. */
    private SpoutServices services() {
        ExecutorService here = new AbstractExecutorService() {
            @Override
            public void execute(Runnable task) {
                task.run();
            }

            @Override
            public void shutdown() {}

            @Override
            public List<Runnable> shutdownNow() {
                return List.of();
            }

            @Override
            public boolean isShutdown() {
                return false;
            }

            @Override
            public boolean isTerminated() {
                return false;
            }

            @Override
            public boolean awaitTermination(long time, TimeUnit unit) {
                return true;
            }
        };
        WaterwheelConfig config = WaterwheelConfig.defaults();
        CatalogStore counting = counting();
        return (SpoutServices) Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {SpoutServices.class},
                (proxy, method, args) -> switch (method.getName()) {
                    case "config" -> config;
                    case "catalogStore" -> counting;
                    case "blockingCalls" -> here;
                    case "topicStates" ->
                        Map.of(
                                stream.id(),
                                new TopicState("one", new long[PARTITIONS], ends.clone(), epochs.clone(), ""));
                    case "compactedTopics" -> Map.of(stream.id(), false);
                    default -> throw new UnsupportedOperationException(method.getName());
                });
    }

    private CatalogStore counting() {
        return (CatalogStore) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {CatalogStore.class}, (proxy, method, args) -> {
                    if (method.getName().equals("read")) {
                        reads.incrementAndGet();
                    } else if (method.getName().equals("readAll")) {
                        reads.addAndGet(((List<?>) args[0]).size());
                    }
                    try {
                        return method.invoke(store, args);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private long look() {
        long before = reads.get();
        long begun = System.nanoTime();
        check.soon();
        check.begin(List.of(partitions));
        assertThat(check.poll()).hasSize(PARTITIONS);
        long read = reads.get() - before;
        if (server != null) {
            System.out.printf(
                    "source check: %d partitions on ZooKeeper: %d reads, %.1f ms%n",
                    PARTITIONS, read, (System.nanoTime() - begun) / 1e6);
        }
        return read;
    }

    private long readable() {
        return partitions.values().stream()
                .filter(partition -> partition.tracker.mayRead())
                .count();
    }

    @Test
    void aLookReadsOneNodeHoweverManyPartitionsThereAre() {
        assertThat(look()).as("all routes, once").isGreaterThanOrEqualTo(PARTITIONS);
        assertThat(readable()).as("no epoch is remembered yet").isZero();
        assertThat(look()).as("epochs of 256 partitions at once").isLessThan(100);
        assertThat(readable()).isEqualTo(PARTITIONS);
        for (int i = 0; i < 10; i++) {
            assertThat(look()).isEqualTo(1);
        }
        LogMemory.Known known = new LogMemory(store, stream).read(List.of(0, PARTITIONS - 1));
        assertThat(known.epochs()).hasSize(2).containsEntry(0, new LogMemory.LeaderEpoch("one", 0));
    }

    @Test
    void anotherLogInTheCatalogIsFollowedThoughTheOldOneLooksSound() {
        look();
        look();
        LogIdentity next = new StreamCatalog(store, stream)
                .changeLog(7, first, "one", 50)
                .route()
                .log();
        assertThat(look()).as("routes are read again").isGreaterThanOrEqualTo(PARTITIONS);
        assertThat(partitions.get(7).tracker.log()).isEqualTo(next);
        assertThat(partitions.get(8).tracker.log()).isEqualTo(first);
        assertThat(look()).isEqualTo(1);
    }

    @Test
    void whatIsCutGoesOnAtNewPositionsWhereThePolicyLetsIt() {
        look();
        look();
        ends[3] = 60;
        look();
        assertThat(partitions.get(3).tracker.problem()).isEqualTo(LogProblem.IN_DOUBT);
        ends[3] = 80;
        look();
        assertThat(partitions.get(3).tracker.problem()).isEqualTo(LogProblem.TRUNCATED);
        look();
        assertThat(partitions.get(3).tracker.log()).isEqualTo(new LogIdentity("one", SECOND_LOG, SECOND_LOG + 60));
        look();
        assertThat(partitions.get(3).tracker.mayRead()).isTrue();
    }

    @Test
    void nothingIsChangedWhenAnotherSpoutKnowsOfALaterLeader() {
        look();
        look();
        new LogMemory(store, stream).raise(Map.of(3, new LogMemory.LeaderEpoch("one", 5)));
        ends[3] = 60;
        look();
        look();
        assertThat(partitions.get(3).tracker.problem()).isEqualTo(LogProblem.TRUNCATED);
        look();
        assertThat(new StreamCatalog(store, stream).route(3).route().log()).isEqualTo(first);
        assertThat(partitions.get(3).tracker.problem()).isEqualTo(LogProblem.NONE);
    }

    @Test
    void anEpochThatTheCatalogDoesNotTakeIsNotRemembered() {
        look();
        LogMemory memory = new LogMemory(store, stream);
        memory.leave("one");
        look();
        assertThat(memory.read(List.of(3)).epochs()).isEmpty();
        assertThat(readable()).isZero();
        assertThat(partitions.get(3).tracker.problem()).isEqualTo(LogProblem.IN_DOUBT);
        assertThat(look()).as("it knows now, and does not ask again").isEqualTo(1);
    }

    @Test
    void whatATopicsStateSaysOfAPartition() {
        SourcePartition one = partitions.get(1);
        assertThat(SourceCheck.look(null, one)).isEqualTo(new LogTracker.Look.Gone());
        TopicState notAllowed = new TopicState("", new long[0], new long[0], new int[0], "not allowed");
        assertThat(SourceCheck.look(notAllowed, one)).isEqualTo(new LogTracker.Look.Unknown());
        TopicState small = new TopicState("two", new long[1], new long[1], new int[1], "");
        assertThat(SourceCheck.look(small, one)).isEqualTo(new LogTracker.Look.NoPartition("two"));
    }
}
