package io.waterwheel.topology.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.Rounds;
import io.waterwheel.Waiting;
import io.waterwheel.catalog.Namespace;
import io.waterwheel.catalog.store.CatalogStore;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Schema;
import io.waterwheel.topology.worker.StreamDirectory;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.locks.LockSupport;
import org.apache.curator.test.InstanceSpec;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Many streams cost ZooKeeper nothing while nothing changes, and a change costs a read of what changed. For long:
 * {@code -Dstreams=10000 -Dworkers=20}.
 */
@Timeout(600)
class IdleReadsTest {
    private static final int STREAMS = Rounds.of("streams", 300, 10_000);
    private static final int WORKERS = Rounds.of("workers", 5, 20);
    private static final Schema SCHEMA = new Schema(
            List.of(new Field("k", FieldType.LONG, false), new Field("t", FieldType.TIMESTAMP, false)),
            new KeySpec.Ordered("k"),
            "t");

    /** One worker's view of the streams. */
    private record Worker(CatalogStore store, ScheduledExecutorService executor, StreamDirectory streams) {}

    @Test
    void anIdleNamespaceIsNotReadAndAChangeIsReadOnce() throws Exception {
        System.setProperty("zookeeper.4lw.commands.whitelist", "*");
        InstanceSpec spec = InstanceSpec.newInstanceSpec();
        List<Worker> workers = new ArrayList<>();
        try (TestingServer server = new TestingServer(spec, true);
                CatalogStore creator = connect(server)) {
            Namespace namespace = new Namespace(creator);
            create(namespace, "first");
            copyFirst(creator);
            long heap = usedHeap();
            long begin = System.nanoTime();
            try {
                for (int w = 0; w < WORKERS; w++) {
                    CatalogStore store = connect(server);
                    ScheduledExecutorService executor = new ScheduledThreadPoolExecutor(1);
                    workers.add(
                            new Worker(store, executor, new StreamDirectory(store, new Namespace(store), executor)));
                }
                Waiting.until("every worker knows of it", () -> workers.stream()
                        .allMatch(worker -> worker.streams().streams().size() == STREAMS));
                double opened = (System.nanoTime() - begin) / 1e9;
                double bytes = (double) (usedHeap() - heap) / ((double) STREAMS * WORKERS);
                // What the watches' registration brings is read once more.
                long received = settle(server);
                // A second in which nobody was late with what came before; on a busy machine not the first.
                long idle;
                double seconds;
                do {
                    received = settle(server);
                    long idleFrom = System.nanoTime();
                    LockSupport.parkNanos(1_000_000_000);
                    idle = received(server) - received;
                    seconds = (System.nanoTime() - idleFrom) / 1e9;
                } while (idle / seconds >= 2 * WORKERS + 10);
                begin = System.nanoTime();
                assertThat(namespace.entries().readable()).hasSize(STREAMS);
                double listed = (System.nanoTime() - begin) / 1e9;
                received = settle(server);
                begin = System.nanoTime();
                create(namespace, "another");
                double created = (System.nanoTime() - begin) / 1e9;
                Waiting.until("every worker knows of it", () -> workers.stream()
                        .allMatch(worker -> worker.streams().streams().size() == STREAMS + 1));
                double seen = (System.nanoTime() - begin) / 1e9;
                long change = settle(server) - received;
                // Sessions say that they live, and on a busy machine all of this takes longer.
                long meanwhile = (long) Math.ceil(idle / seconds * (System.nanoTime() - begin) / 1e9);
                System.out.printf(
                        "%d streams, %d workers: all known after %.2f s, %.0f bytes of heap a stream and worker; idle: %.1f"
                                + " packets/s at ZooKeeper; all listed in %.2f s; one more: created after %.3f s,"
                                + " everywhere after %.3f s, %d packets%n",
                        STREAMS, WORKERS, opened, bytes, idle / seconds, listed, created, seen, change);
                // Each worker reads the new one, not the others, and so does whoever creates it.
                assertThat(change).isLessThan(10L * WORKERS + 60 + meanwhile);
                assertThat(bytes).isLessThan(STREAMS < 1_000 ? 20_000 : 1_024);
            } finally {
                for (Worker worker : workers) {
                    worker.streams().close();
                    worker.executor().shutdownNow();
                    worker.store().close();
                }
            }
        }
    }

    /** As many streams as asked for: making each in turn would look at all before it. */
    private static void copyFirst(CatalogStore store) throws Exception {
        String entry = new String(store.read("/streams/first").orElseThrow().data(), StandardCharsets.UTF_8);
        List<CatalogStore.Op> ops = new ArrayList<>();
        for (int s = 2; s <= STREAMS; s++) {
            String copy =
                    entry.replace("\"first\"", "\"stream-" + s + "\"").replaceFirst("\"id\" *: *1", "\"id\":" + s);
            ops.add(new CatalogStore.Op.Create("/streams/stream-" + s, copy.getBytes(StandardCharsets.UTF_8)));
            ops.add(new CatalogStore.Op.Create(
                    "/topics/stream-" + s, ("stream-" + s).getBytes(StandardCharsets.UTF_8)));
            if (ops.size() == 200 || s == STREAMS) {
                store.commit(ops);
                ops.clear();
            }
        }
        // The next id is above all of them, and the index of topics is whole.
        byte[] next = String.valueOf(STREAMS + 1).getBytes(StandardCharsets.US_ASCII);
        for (String path : List.of("/next-stream-id", "/topics")) {
            store.commit(List.of(new CatalogStore.Op.Set(
                    path, next, store.read(path).orElseThrow().version())));
        }
    }

    private static long usedHeap() {
        System.gc();
        Runtime runtime = Runtime.getRuntime();
        return runtime.totalMemory() - runtime.freeMemory();
    }

    private static CatalogStore connect(TestingServer server) {
        return ZooKeeperCatalogStore.connect(server.getConnectString(), "/idle", Duration.ofSeconds(20));
    }

    private static void create(Namespace namespace, String name) {
        namespace.create(name, SCHEMA, RecordFormat.CSV, name, new long[1], 1);
    }

    /** Until a quarter of a second has brought next to nothing. */
    private static long settle(TestingServer server) throws Exception {
        long last = received(server);
        while (true) {
            LockSupport.parkNanos(250_000_000);
            long now = received(server);
            if (now - last <= WORKERS + 2) {
                return now;
            }
            last = now;
        }
    }

    /** Packets that the server has received so far. */
    private static long received(TestingServer server) throws Exception {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.getPort())) {
            socket.getOutputStream().write("mntr".getBytes(StandardCharsets.US_ASCII));
            socket.getOutputStream().flush();
            BufferedReader lines =
                    new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
            String line;
            long packets = -1;
            while ((line = lines.readLine()) != null) {
                if (line.startsWith("zk_packets_received")) {
                    packets = (long) Double.parseDouble(
                            line.substring("zk_packets_received".length()).trim());
                }
            }
            assertThat(packets).as("packets that ZooKeeper has received").isNotNegative();
            return packets;
        }
    }
}
