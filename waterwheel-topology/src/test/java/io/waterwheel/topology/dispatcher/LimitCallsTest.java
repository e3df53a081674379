package io.waterwheel.topology.dispatcher;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.Rounds;
import io.waterwheel.Waiting;
import io.waterwheel.catalog.Namespace;
import io.waterwheel.catalog.SnapshotReader;
import io.waterwheel.catalog.StreamCatalog;
import io.waterwheel.catalog.state.IndexerCheckpoint;
import io.waterwheel.catalog.state.LogIdentity;
import io.waterwheel.catalog.state.StartOfTopic;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.catalog.store.CatalogStore;
import io.waterwheel.decode.typed.WriterSchemas;
import io.waterwheel.ingest.dispatch.DeadLetters;
import io.waterwheel.ingest.source.LiveBatch;
import io.waterwheel.ingest.source.RecordBatch;
import io.waterwheel.metrics.Metrics;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.StreamPolicy;
import io.waterwheel.store.LocalChunkStore;
import io.waterwheel.topology.config.WaterwheelConfig;
import io.waterwheel.topology.task.OneOfEach;
import io.waterwheel.topology.worker.ControlBus;
import io.waterwheel.topology.worker.DispatcherServices;
import io.waterwheel.topology.worker.EventLoop;
import io.waterwheel.topology.worker.StreamDirectory;
import io.waterwheel.topology.zookeeper.ZooKeeperCatalogStore;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A coordinator that starts reads the edits of all streams; a dispatcher beside it, in the same worker, raises its
 * limits meanwhile: on a real ZooKeeper. {@code -Dedits=700} is the size that was once seen to starve them; with
 * {@code -Dshared=true} both use the same threads, as they did then, and it fails. At first memory is out: for a thread
 * to route a partition on, on that thread, and for a thread to raise a limit on.
 */
@Timeout(300)
final class LimitCallsTest {
    private static final int STREAMS = 12;
    private static final int EDITS = Rounds.of("edits", 8, 100);
    private static final int RAISES = 8;
    private static final int THREADS = 4;
    private static final long FAR = 1_000_000_000L;
    private static final LogIdentity LOG = LogIdentity.first("AAAAAAAAAAAAAAAAAAAAAA");
    private static final Schema SCHEMA = new Schema(
            List.of(new Field("k", FieldType.LONG, false), new Field("t", FieldType.TIMESTAMP, false)),
            new KeySpec.Ordered("k"),
            "t");

    @TempDir
    Path folder;

    private final ExecutorService blockingCalls = Executors.newFixedThreadPool(THREADS);
    private final ExecutorService limitCalls = Executors.newFixedThreadPool(THREADS);
    private final ScheduledExecutorService schedule = Executors.newScheduledThreadPool(1);

    @Test
    void aLimitDoesNotWaitForACoordinatorThatStarts() throws Exception {
        try (TestingServer server = new TestingServer(true);
                LocalChunkStore files = new LocalChunkStore(folder);
                CatalogStore store =
                        ZooKeeperCatalogStore.connect(server.getConnectString(), "/test", Duration.ofSeconds(60))) {
            Namespace namespace = new Namespace(store);
            List<StreamInfo> streams = new ArrayList<>();
            for (int i = 0; i < STREAMS; i++) {
                streams.add(create(namespace, "s" + i, 1));
                edit(new StreamCatalog(store, streams.get(i)));
            }
            StreamInfo live = create(namespace, "live", 2 * RAISES);
            StreamCatalog catalog = new StreamCatalog(store, live);
            try (StreamDirectory directory = new StreamDirectory(store, namespace, schedule)) {
                Waiting.until("the stream is seen", () -> directory.streams().containsKey(live.id()));
                DispatcherTask dispatcher =
                        new DispatcherTask(services(store, namespace, directory), () -> {}, new OneOfEach());
                EventLoop<DispatcherEvent> loop = dispatcher.start();
                try {
                    for (int p = 0; p < 2 * RAISES; p++) {
                        begin(loop, live, catalog, p);
                    }
                    long[] alone = raises(loop, live, catalog, 0);
                    long begun = System.nanoTime();
                    List<Future<Integer>> loads = new ArrayList<>();
                    for (StreamInfo stream : streams) {
                        loads.add(blockingCalls.submit(() -> new SnapshotReader(store, files, stream)
                                .latest()
                                .checkpoints()
                                .size()));
                    }
                    // Whatever reads last: more than there are threads for, until the limits were raised.
                    AtomicBoolean raised = new AtomicBoolean();
                    for (int i = 0; i < THREADS; i++) {
                        loads.add(blockingCalls.submit(() -> {
                            int count = 0;
                            while (!raised.get() && !Thread.interrupted()) {
                                count += new SnapshotReader(store, files, streams.get(0))
                                        .latest()
                                        .checkpoints()
                                        .size();
                            }
                            return count;
                        }));
                    }
                    long[] beside = raises(loop, live, catalog, RAISES);
                    raised.set(true);
                    for (Future<Integer> load : loads) {
                        assertThat(load.get(2, TimeUnit.MINUTES)).isNotNegative();
                    }
                    System.out.printf(
                            "limits: %d streams of %d edits read in %.2f s; a raise took %.1f ms (longest %.1f) alone,"
                                    + " %.1f ms (longest %.1f) beside it%n",
                            STREAMS,
                            EDITS,
                            (System.nanoTime() - begun) / 1e9,
                            median(alone) / 1e6,
                            alone[RAISES - 1] / 1e6,
                            median(beside) / 1e6,
                            beside[RAISES - 1] / 1e6);
                } finally {
                    dispatcher.close();
                }
            }
        } finally {
            blockingCalls.shutdownNow();
            limitCalls.shutdownNow();
            schedule.shutdownNow();
        }
    }

    private static StreamInfo create(Namespace namespace, String name, int partitions) {
        return namespace.create(
                name,
                SCHEMA,
                RecordFormat.BLOCK,
                new StartOfTopic(name, new long[partitions], LOG),
                1,
                StreamPolicy.DEFAULT);
    }

    private static void edit(StreamCatalog catalog) {
        StreamCatalog.IndexerStart start = catalog.startIndexer(0);
        IndexerCheckpoint last = start.checkpoint();
        int version = start.nodeVersion();
        for (int i = 0; i < EDITS; i++) {
            last = new IndexerCheckpoint(last.epoch(), last.flushed() + 1, last.watermarks(), last.rejected());
            StreamCatalog.CommitOutcome done = catalog.commitFlush(0, version, last, List.of());
            assertThat(done).isInstanceOf(StreamCatalog.CommitOutcome.Done.class);
            version++;
        }
    }

    /** Lets the dispatcher route a partition, as its spout's heartbeats do, until it has its first limit. */
    private static void begin(EventLoop<DispatcherEvent> loop, StreamInfo stream, StreamCatalog catalog, int partition)
            throws InterruptedException {
        long before = catalog.route(partition).route().limit();
        Waiting.until("a first limit of partition " + partition, () -> {
            loop.offer(new DispatcherEvent.Records(
                    new LiveBatch(RecordBatch.heartbeat(stream.id(), partition, 0), 1, 0, 0, 0)));
            return catalog.route(partition).route().limit() > before;
        });
    }

    /** Reads far beyond the limits of partitions, and waits until each is above that; nanoseconds, ascending. */
    private static long[] raises(EventLoop<DispatcherEvent> loop, StreamInfo stream, StreamCatalog catalog, int from)
            throws InterruptedException {
        long[] nanos = new long[RAISES];
        for (int i = 0; i < RAISES; i++) {
            int partition = from + i;
            RecordBatch read = new RecordBatch(stream.id(), partition, 0, FAR, 0, new long[0], new ByteBuffer[0]);
            long begun = System.nanoTime();
            loop.put(new DispatcherEvent.Records(new LiveBatch(read, 1, 0, 0, 0)));
            Waiting.until(
                    "a limit of partition " + partition,
                    () -> catalog.route(partition).route().limit() > FAR);
            nanos[i] = System.nanoTime() - begun;
        }
        Arrays.sort(nanos);
        return nanos;
    }

    private static long median(long[] sorted) {
        return sorted[sorted.length / 2];
    }

    private DispatcherServices services(CatalogStore store, Namespace namespace, StreamDirectory directory) {
        WaterwheelConfig config = WaterwheelConfig.defaults();
        ControlBus bus = (ControlBus) Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {ControlBus.class},
                (proxy, method, args) -> method.getName().equals("register") ? (AutoCloseable) () -> {} : null);
        CatalogStore full = (CatalogStore) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {CatalogStore.class}, (proxy, method, args) -> {
                    throw new OutOfMemoryError("made up");
                });
        AtomicInteger stores = new AtomicInteger();
        ExecutorService routing = onceFull(blockingCalls);
        ExecutorService raising = onceFull(limitCalls);
        // Nothing is refused here.
        DeadLetters letters = (DeadLetters) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {DeadLetters.class}, (proxy, method, args) -> "");
        return (DispatcherServices) Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {DispatcherServices.class},
                (proxy, method, args) -> switch (method.getName()) {
                    case "config" -> config;
                    case "catalogStore" -> stores.getAndIncrement() < 2 ? full : store;
                    case "namespace" -> namespace;
                    case "streams" -> directory;
                    case "controlBus" -> bus;
                    case "metrics" -> Metrics.unread();
                    case "deadLetters" -> letters;
                    case "writerSchemas" -> WriterSchemas.NONE;
                    case "logWarning" -> "";
                    case "blockingCalls" -> routing;
                    case "limitCalls" -> Boolean.getBoolean("shared") ? blockingCalls : raising;
                    default -> throw new UnsupportedOperationException(method.getName());
                });
    }

    /** Has no memory for its first thread. */
    private static ExecutorService onceFull(Executor threads) {
        AtomicInteger calls = new AtomicInteger();
        return (ExecutorService) Proxy.newProxyInstance(
                LimitCallsTest.class.getClassLoader(),
                new Class<?>[] {ExecutorService.class},
                (proxy, method, args) -> {
                    assertThat(method.getName()).isEqualTo("execute");
                    if (calls.getAndIncrement() == 0) {
                        throw new OutOfMemoryError("made up");
                    }
                    threads.execute((Runnable) args[0]);
                    return null;
                });
    }
}
