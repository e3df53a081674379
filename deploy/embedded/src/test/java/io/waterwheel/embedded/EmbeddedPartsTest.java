package io.waterwheel.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.Waiting;
import io.waterwheel.catalog.store.CatalogStore;
import io.waterwheel.embedded.server.DataFolder;
import io.waterwheel.embedded.server.DiskWatch;
import io.waterwheel.embedded.server.EmbeddedKafka;
import io.waterwheel.embedded.server.EmbeddedZooKeeper;
import io.waterwheel.embedded.server.PortRegistry;
import io.waterwheel.store.DiskSpace;
import io.waterwheel.topology.kafka.KafkaTopics;
import io.waterwheel.topology.zookeeper.ZooKeeperCatalogStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Each service by itself: started, used, and started again on what it left. */
@Tag("embedded")
final class EmbeddedPartsTest {
    @TempDir
    Path folder;

    @Test
    void kafkaKeepsRecordsAndPort() throws Exception {
        int port;
        try (EmbeddedKafka kafka = EmbeddedKafka.start(folder, 0);
                KafkaTopics topics = new KafkaTopics(kafka.bootstrap());
                KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(
                        Map.of("bootstrap.servers", kafka.bootstrap()),
                        new ByteArraySerializer(),
                        new ByteArraySerializer())) {
            port = kafka.port();
            topics.ensure("t", 2);
            producer.send(new ProducerRecord<>("t", 1, null, "kept".getBytes(UTF_8)))
                    .get(5, TimeUnit.MINUTES);
        }
        // By it the next start knows that the logs need no look.
        assertThat(folder.resolve("logs/.kafka_cleanshutdown")).exists();
        try (EmbeddedKafka kafka = EmbeddedKafka.start(folder, 0);
                KafkaTopics topics = new KafkaTopics(kafka.bootstrap())) {
            assertThat(kafka.port()).isEqualTo(port);
            assertThat(topics.states(List.of("t")).get("t").ends()).containsExactly(0, 1);
        }
    }

    /** The controller on what a kill has left takes the killed broker for alive, here for an hour. */
    @Test
    @Timeout(900)
    void kafkaDoesNotWaitForTheSessionOfAKilledBroker() throws Exception {
        Map<String, String> longSession = Map.of("broker.session.timeout.ms", "3600000");
        Path killed = folder.resolve("killed");
        Path left = folder.resolve("left");
        try (EmbeddedKafka kafka = EmbeddedKafka.start(killed, 0, longSession);
                KafkaTopics topics = new KafkaTopics(kafka.bootstrap())) {
            topics.ensure("t", 2);
            while (!isCopied(killed, left)) {
                left = folder.resolve(left.getFileName() + "-again");
            }
        }
        assertThat(left.resolve("logs/.kafka_cleanshutdown")).doesNotExist();
        try (EmbeddedKafka kafka = EmbeddedKafka.start(left, 0, longSession);
                KafkaTopics topics = new KafkaTopics(kafka.bootstrap())) {
            Waiting.until(
                    "the topic is there", () -> topics.states(List.of("t")).containsKey("t"));
        }
    }

    /** Says false where a file was renamed meanwhile: a new topic's files are written under other names first. */
    private static boolean isCopied(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.toList()) {
                Files.copy(file, to.resolve(from.relativize(file)));
            }
            return true;
        } catch (NoSuchFileException | UncheckedIOException e) {
            return false;
        }
    }

    /** Strangers that connect and say nothing: those who come later wait, and the server itself is none of them. */
    @Test
    void idleConnectionsDoNotKeepTheServerOutOfItsKafka() throws Exception {
        List<Socket> strangers = new ArrayList<>();
        try (EmbeddedKafka kafka = EmbeddedKafka.start(folder, 0)) {
            for (int i = 0; i < 250; i++) {
                Socket stranger = new Socket();
                strangers.add(stranger);
                stranger.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), kafka.port()), 30_000);
            }
            Map<String, Object> own =
                    Map.of("bootstrap.servers", kafka.ownBootstrap(), "default.api.timeout.ms", 120_000);
            try (Admin admin = Admin.create(own)) {
                admin.createTopics(List.of(new NewTopic("t", 1, (short) 1)))
                        .all()
                        .get(5, TimeUnit.MINUTES);
                // What it is told of leads back by the same port.
                assertThat(admin.describeCluster().nodes().get(5, TimeUnit.MINUTES))
                        .extracting(node -> node.host() + ":" + node.port())
                        .containsExactly(kafka.ownBootstrap());
            }
        } finally {
            for (Socket stranger : strangers) {
                stranger.close();
            }
        }
    }

    @Test
    void whereTheDiskIsFullKafkaRefusesRecordsAndGoesOnByItself() throws Exception {
        AtomicLong free = new AtomicLong(1 << 30);
        DiskSpace space = new DiskSpace(folder, 256 << 20, new DiskSpace.Gauge() {
            @Override
            public long freeBytes() {
                return free.get();
            }

            @Override
            public long totalBytes() {
                return 1L << 40;
            }

            @Override
            public boolean isWritable() {
                return true;
            }
        });
        try (DiskWatch watch = DiskWatch.start(space);
                EmbeddedKafka kafka = EmbeddedKafka.start(folder, 0, watch::trouble);
                KafkaTopics topics = new KafkaTopics(kafka.bootstrap());
                KafkaProducer<byte[], byte[]> patient = producer(kafka, Map.of());
                KafkaProducer<byte[], byte[]> producer =
                        producer(kafka, Map.of("request.timeout.ms", 1_000, "delivery.timeout.ms", 2_000))) {
            topics.ensure("t", 1);
            ProducerRecord<byte[], byte[]> record = new ProducerRecord<>("t", 0, null, "x".getBytes(UTF_8));
            // By one that gives up nothing: what an impatient one has given up may still come, and be counted.
            assertThat(taken(patient, record)).isTrue();
            long[] ends = topics.states(List.of("t")).get("t").ends();
            free.set(255 << 20);
            watch.look();
            assertThat(watch.trouble()).startsWith("DISK_FULL: the disk of " + folder);
            assertThat(taken(producer, record)).isFalse();
            assertThat(topics.states(List.of("t")).get("t").ends()).isEqualTo(ends);
            free.set(257 << 20);
            watch.look();
            assertThat(watch.trouble()).as("not on and off with every record").isNotEmpty();
            free.set(300 << 20);
            watch.look();
            assertThat(watch.trouble()).isEmpty();
            Waiting.until("records are taken again", () -> taken(producer, record));
        }
    }

    private static KafkaProducer<byte[], byte[]> producer(EmbeddedKafka kafka, Map<String, Object> more) {
        Map<String, Object> settings = new HashMap<>(more);
        settings.put("bootstrap.servers", kafka.bootstrap());
        return new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
    }

    private static boolean taken(KafkaProducer<byte[], byte[]> producer, ProducerRecord<byte[], byte[]> record)
            throws Exception {
        try {
            return producer.send(record).get(5, TimeUnit.MINUTES).offset() >= 0;
        } catch (ExecutionException e) {
            assertThat(e.getCause()).isInstanceOf(RetriableException.class);
            return false;
        }
    }

    @Test
    void zooKeeperKeepsNodesAndPort() throws Exception {
        int port;
        try (EmbeddedZooKeeper zooKeeper = EmbeddedZooKeeper.start(folder, 0);
                CatalogStore store = ZooKeeperCatalogStore.connect(zooKeeper.connect(), "/w", Duration.ofSeconds(60))) {
            port = zooKeeper.port();
            store.commit(List.of(new CatalogStore.Op.Create("/a", "kept".getBytes(UTF_8))));
        }
        try (EmbeddedZooKeeper zooKeeper = EmbeddedZooKeeper.start(folder, 0);
                CatalogStore store = ZooKeeperCatalogStore.connect(zooKeeper.connect(), "/w", Duration.ofSeconds(60))) {
            assertThat(zooKeeper.port()).isEqualTo(port);
            try (Stream<Path> files = Files.list(folder)) {
                assertThat(files.filter(file -> file.getFileName().toString().startsWith("zookeeper.configuration")))
                        .as("settings of this start alone")
                        .hasSize(1);
            }
            assertThat(store.read("/a"))
                    .map(node -> new String(node.data(), UTF_8))
                    .contains("kept");
        }
    }

    /** It says so only in its log, and lets the one who starts it wait. */
    @Test
    @Timeout(900)
    void aZooKeeperThatDiesWhileItStartsIsNotWaitedFor() throws Exception {
        int port = new PortRegistry(folder).port("zookeeper", 0);
        Path state = Files.createDirectories(folder.resolve("data")).resolve("version-2");
        Files.writeString(state, "in the way");
        assertThatThrownBy(() -> EmbeddedZooKeeper.start(folder, 0))
                .isInstanceOf(IOException.class)
                .hasMessageContainingAll("ZooKeeper in " + folder + " did not start", "ended while it was starting");
        Files.delete(state);
        try (EmbeddedZooKeeper zooKeeper = EmbeddedZooKeeper.start(folder, port)) {
            assertThat(zooKeeper.ended()).isFalse();
        }
    }

    @Test
    void takenPortIsRefusedWhenNamedAndReplacedWhenKept() throws Exception {
        PortRegistry ports = new PortRegistry(folder);
        int kept = ports.port("x", 0);
        assertThat(new PortRegistry(folder).port("x", 0)).isEqualTo(kept);
        try (ServerSocket taken = new ServerSocket(kept, 1, InetAddress.getLoopbackAddress())) {
            assertThat(taken.isBound()).isTrue();
            assertThatThrownBy(() -> ports.port("x", kept))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("port " + kept + " of 127.0.0.1 is taken");
            assertThat(new PortRegistry(folder).port("x", 0)).isNotEqualTo(kept);
        }
        Files.writeString(folder.resolve("ports.properties"), "x=many");
        assertThatThrownBy(() -> new PortRegistry(folder).port("x", 0))
                .hasMessageContaining("expected a port, got 'many'");
    }

    /** Nothing listens at a port that was chosen just now; another process keeps away from it all the same. */
    @Test
    void aPortThatWasChosenIsNotChosenByOthers() throws Exception {
        int chosen = new PortRegistry(folder).port("x", 0);
        assertThatThrownBy(() -> new DatagramSocket(chosen, InetAddress.getLoopbackAddress()))
                .as("what tells others")
                .isInstanceOf(BindException.class);
        int other;
        try (DatagramSocket elsewhere = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
            other = elsewhere.getLocalPort();
            Files.writeString(folder.resolve("ports.properties"), "x=" + other);
            assertThat(new PortRegistry(folder).port("x", 0)).isNotEqualTo(other);
        }
    }

    @Test
    void dataFolderHasOneOwner() throws Exception {
        try (DataFolder first = DataFolder.take(folder)) {
            assertThat(first.resolve("x")).isEqualTo(folder.resolve("x"));
            assertThatThrownBy(() -> DataFolder.take(folder))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("data folder " + folder + " is in use by process "
                            + ProcessHandle.current().pid());
        }
        DataFolder.take(folder).close();
    }

    @Test
    void dataFolderIsOfThisVersionAndHasRoom() throws Exception {
        assertThatThrownBy(() -> DataFolder.take(folder.resolve("full"), Long.MAX_VALUE))
                .isInstanceOf(IOException.class)
                .hasMessageMatching(
                        "data folder .*full: expected at least \\d+ MiB free on its disk, got \\d+ MiB; free"
                                + " some, or take another folder with --data");
        Path other = folder.resolve("other");
        DataFolder.take(other).close();
        Files.writeString(other.resolve("version"), "2\n");
        assertThatThrownBy(() -> DataFolder.take(other)).hasMessageContaining("expected version 1, got '2'");
        Path foreign = Files.createDirectories(folder.resolve("foreign"));
        Files.writeString(foreign.resolve("thesis.doc"), "x");
        assertThatThrownBy(() -> DataFolder.take(foreign)).hasMessageContaining("thesis.doc in it");
        assertThat(foreign.resolve("lock")).doesNotExist();
    }

    @Test
    void dataFolderMayBeALinkAndHaveWhatSystemsPutThere() throws Exception {
        Path real = Files.createDirectories(folder.resolve("real"));
        Files.writeString(real.resolve(".DS_Store"), "x");
        Files.writeString(real.resolve("version.new"), ""); // of a start that was killed
        Path link = Files.createSymbolicLink(folder.resolve("link"), real);
        DataFolder.take(link).close();
        assertThat(real.resolve("version")).hasContent("1");
        assertThat(real.resolve("version.new")).doesNotExist();
        FileTime written = FileTime.fromMillis(0);
        Files.setLastModifiedTime(real.resolve("version"), written);
        DataFolder.take(link).close();
        assertThat(Files.getLastModifiedTime(real.resolve("version")))
                .as("a marked folder is not marked again")
                .isEqualTo(written);
    }
}
