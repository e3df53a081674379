package io.waterwheel.embedded.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.Waiting;
import io.waterwheel.catalog.store.CatalogStore;
import io.waterwheel.client.Appender;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.client.known.KnownRows;
import io.waterwheel.embedded.QuickServer;
import io.waterwheel.embedded.server.EmbeddedZooKeeper;
import io.waterwheel.embedded.server.RunningServer;
import io.waterwheel.embedded.server.ServerCommand;
import io.waterwheel.embedded.server.WaterwheelServer;
import io.waterwheel.query.Query;
import io.waterwheel.topology.config.Keys;
import io.waterwheel.topology.config.WaterwheelConfig;
import io.waterwheel.topology.kafka.KafkaTopics;
import io.waterwheel.topology.zookeeper.ZooKeeperCatalogStore;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.arrow.flight.FlightServer;
import org.apache.arrow.flight.Location;
import org.apache.arrow.flight.NoOpFlightProducer;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The folder of a server becomes read-only: what is there is answered, what comes waits until it is mounted anew. */
@Tag("embedded")
@Timeout(900)
final class ReadOnlyDiskTest {
    private static final long ROWS = 20_000;
    /** A topic of no stream. */
    private static final String OTHER = "other";

    private static final Duration PATIENCE = Duration.ofMinutes(5);

    @TempDir
    Path folder;

    @Test
    void theServerReadsAndWritesAgainOnceItMay() throws Exception {
        Path data = Files.createDirectories(folder.resolve("data"));
        // Chunks elsewhere: their store has nothing to tell of the disk.
        Files.createSymbolicLink(data.resolve("chunks"), Files.createDirectory(folder.resolve("chunks")));
        // Of its own, to end when the test wants it: its files stay open, and those the system lets it write.
        EmbeddedZooKeeper zooKeeper = EmbeddedZooKeeper.start(folder.resolve("zookeeper"), 0);
        WaterwheelConfig config =
                ServerCommand.fitted(WaterwheelConfig.defaults(), 0).with(Keys.ZOOKEEPER_CONNECT, zooKeeper.connect());
        try (BufferAllocator allocator = new RootAllocator();
                FlightServer other = announceKilled(allocator, config);
                RunningServer server = QuickServer.start(data, config, Set.of(WaterwheelServer.External.ZOOKEEPER));
                WaterwheelClient client = WaterwheelClient.connect(server.url())) {
            try (KafkaTopics topics = new KafkaTopics(server.kafka())) {
                topics.ensure(OTHER, 1);
            }
            assertThat(server.url()).doesNotEndWith(":" + other.getPort());
            client.createStream(KnownRows.definition());
            Map<Integer, Long> first;
            try (Appender appender = client.appender(KnownRows.STREAM)) {
                append(appender, 0, ROWS);
                first = appender.flush();
            }
            client.flush(KnownRows.STREAM, PATIENCE);
            try (Appender appender = client.appender(KnownRows.STREAM)) {
                // One in each partition. A broker that knows none of a producer takes any of its batches first, after a
                // start the second, say, and then refuses the first until its time is up.
                long before = ROWS;
                for (int p = 0; p < KnownRows.definition().partitions(); p++) {
                    append(appender, before, ++before);
                    first = appender.flush();
                }
                assertThat(first).hasSize(KnownRows.definition().partitions());
                try (AutoCloseable mounted = SmallDisk.readOnly(data)) {
                    Assumptions.assumeTrue(mounted != null, "no folder can be mounted read-only here");
                    Waiting.until("status says so", () -> says(client, "DISK_READ_ONLY: " + data));
                    refused(server.kafka());
                    assertThat(count(client, first)).isEqualTo(before);
                    // Kafka finds out by itself, as soon as it writes a file of its own.
                    Waiting.until("the broker has ended, and status says why", () -> says(client, "Kafka has ended"));
                    assertThat(count(client, first)).isEqualTo(before);
                    zooKeeper.close();
                    Waiting.until("status says that the catalog is away", () -> says(client, "CATALOG_UNAVAILABLE"));
                    assertThat(says(client, "DISK_READ_ONLY: " + data)).isTrue();
                    assertThat(count(client, first)).isEqualTo(before);
                }
                zooKeeper = zooKeeper.again();
                // Waits until the broker is back.
                append(appender, before, 2 * ROWS);
                Map<Integer, Long> all = appender.flush();
                assertThat(count(client, all)).isEqualTo(2 * ROWS);
            }
            client.flush(KnownRows.STREAM, PATIENCE);
            assertThat(client.verify(KnownRows.STREAM, PATIENCE).differences()).isEmpty();
            Waiting.until(
                    "no trouble is left",
                    () -> !says(client, "DISK_READ_ONLY")
                            && !says(client, "Kafka has ended")
                            && !says(client, "CATALOG_UNAVAILABLE"));
            assertThat(server.lives()).as("no task has failed").isEqualTo(1);
        } finally {
            zooKeeper.close();
        }
    }

    /** A coordinator that was killed stays announced for its session; what answers there is not the server to come. */
    private static FlightServer announceKilled(BufferAllocator allocator, WaterwheelConfig config) throws Exception {
        FlightServer other = FlightServer.builder(
                        allocator, Location.forGrpcInsecure("127.0.0.1", 0), new NoOpFlightProducer())
                .build()
                .start();
        try (CatalogStore catalog = ZooKeeperCatalogStore.connect(config)) {
            catalog.ensure("/coordinators");
            catalog.commit(List.of(new CatalogStore.Op.Create(
                    "/coordinators/0", ("grpc://127.0.0.1:" + other.getPort()).getBytes(StandardCharsets.UTF_8))));
        }
        return other;
    }

    private static boolean says(WaterwheelClient client, String what) {
        return client.status().text().contains(what);
    }

    /** Early: before the broker meets it. Within a moment, in which some may be taken. */
    private static void refused(String bootstrap) {
        try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", bootstrap, "request.timeout.ms", 1_000, "delivery.timeout.ms", 2_000),
                new ByteArraySerializer(),
                new ByteArraySerializer())) {
            ProducerRecord<byte[], byte[]> record = new ProducerRecord<>(OTHER, 0, null, new byte[1]);
            Waiting.until("records are refused", () -> isRefused(producer, record));
        }
    }

    private static boolean isRefused(KafkaProducer<byte[], byte[]> producer, ProducerRecord<byte[], byte[]> record)
            throws Exception {
        try {
            producer.send(record).get(30, TimeUnit.SECONDS);
            return false;
        } catch (TimeoutException e) {
            return false;
        } catch (ExecutionException e) {
            return true;
        }
    }

    private static void append(Appender appender, long from, long to) {
        for (long id = from; id < to; id++) {
            appender.append(KnownRows.row(id));
        }
    }

    private static long count(WaterwheelClient client, Map<Integer, Long> positions) {
        return Waiting.answered(() ->
                client.count(Query.of(KnownRows.STREAM).withAtLeast(positions).withTimeout(PATIENCE)));
    }
}
