package io.waterwheel.embedded.faults;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.Waiting;
import io.waterwheel.client.Appender;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.client.known.KnownRows;
import io.waterwheel.embedded.QuickServer;
import io.waterwheel.embedded.server.EmbeddedZooKeeper;
import io.waterwheel.embedded.server.RunningServer;
import io.waterwheel.embedded.server.ServerCommand;
import io.waterwheel.query.Query;
import io.waterwheel.topology.config.WaterwheelConfig;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Another process fills the disk of the data folder to its last byte: what must write there ends, and comes back. */
@Tag("embedded")
@Timeout(900)
final class LastBytesTest {
    private static final int DISK_MEGABYTES = 300;
    private static final long ROWS = 20_000;
    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final int SESSION_MILLIS = 60_000;

    @TempDir
    Path folder;

    private SmallDisk disk() throws Exception {
        SmallDisk disk = SmallDisk.mount(folder.resolve("disk"), DISK_MEGABYTES);
        Assumptions.assumeTrue(disk != null, "no small disk can be mounted here");
        return Objects.requireNonNull(disk);
    }

    @Test
    void theServerAnswersWhileItsBrokerIsGoneAndStartsItAgain() throws Exception {
        try (SmallDisk disk = disk();
                RunningServer server = QuickServer.start(
                        disk.folder().resolve("data"), ServerCommand.fitted(WaterwheelConfig.defaults(), 0), Set.of());
                WaterwheelClient client = WaterwheelClient.connect(server.url())) {
            client.createStream(KnownRows.definition());
            try (Appender appender = client.appender(KnownRows.STREAM)) {
                append(appender, 0);
                Map<Integer, Long> first = appender.flush();
                assertThat(count(client, first)).isEqualTo(ROWS);

                Path filler = disk.folder().resolve("filler");
                SmallDisk.fill(filler);
                Waiting.until("the broker is gone", () -> !listens(server.kafka()));
                assertThat(count(client, first)).isEqualTo(ROWS);
                Waiting.until("it is told", () -> {
                    String status = client.status().text();
                    return status.contains("DISK_FULL: ")
                            && status.contains("Kafka has ended, and is started again when its disk can be written");
                });

                Files.delete(filler);
                // Waits until the broker is back.
                append(appender, ROWS);
                Map<Integer, Long> all = appender.flush();
                assertThat(count(client, all)).isEqualTo(2 * ROWS);
            }
            assertThat(client.verify(KnownRows.STREAM, PATIENCE).differences()).isEmpty();
            assertThat(server.lives()).as("no task has failed").isEqualTo(1);
        }
    }

    private static void append(Appender appender, long from) {
        for (long id = from; id < from + ROWS; id++) {
            appender.append(KnownRows.row(id));
        }
    }

    private static long count(WaterwheelClient client, Map<Integer, Long> positions) {
        return Waiting.answered(() ->
                client.count(Query.of(KnownRows.STREAM).withAtLeast(positions).withTimeout(PATIENCE)));
    }

    private static boolean listens(String address) {
        int port = Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    @Test
    void zooKeeperEndsAndHasAllThatItConfirmedWhenItIsStartedAgain() throws Exception {
        try (SmallDisk disk = disk()) {
            EmbeddedZooKeeper server = EmbeddedZooKeeper.start(disk.folder().resolve("zookeeper"), 0);
            try (ZooKeeper client = new ZooKeeper(server.connect(), SESSION_MILLIS, event -> {})) {
                Waiting.until("it is connected", () -> client.getState().isConnected());
                long session = client.getSessionId();
                Path filler = disk.folder().resolve("filler");
                SmallDisk.fill(filler);
                List<String> made = new ArrayList<>();
                byte[] data = "some that soon fills what is left of a block"
                        .repeat(20)
                        .getBytes(UTF_8);
                EmbeddedZooKeeper ending = server;
                Waiting.until("it has ended", () -> {
                    if (ending.ended()) {
                        return true;
                    }
                    try {
                        made.add(client.create(
                                "/n" + made.size(), data, ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT));
                    } catch (KeeperException.ConnectionLossException e) {
                        return ending.ended();
                    }
                    return false;
                });
                server.close();
                Files.delete(filler);
                server = server.again();
                Waiting.until("it is connected again", () -> client.getState().isConnected());
                assertThat(client.getSessionId()).isEqualTo(session);
                for (String node : made) {
                    Waiting.until("it says what it has", () -> holds(client, node, data));
                }
                System.err.println("ZooKeeper: " + made.size() + " nodes were confirmed on the last bytes");
                Waiting.until("it takes another", () -> makes(client, "/after", data));
            } finally {
                server.close();
            }
        }
    }

    /** Fails where the node has something else; false where the connection was lost meanwhile. */
    private static boolean holds(ZooKeeper client, String node, byte[] data) throws Exception {
        try {
            assertThat(client.getData(node, false, null)).isEqualTo(data);
            return true;
        } catch (KeeperException.ConnectionLossException e) {
            return false;
        }
    }

    private static boolean makes(ZooKeeper client, String node, byte[] data) throws Exception {
        try {
            client.create(node, data, ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        } catch (KeeperException.ConnectionLossException e) {
            return false;
        } catch (KeeperException.NodeExistsException e) {
            // By the call before, of which the answer was lost.
        }
        return holds(client, node, data);
    }
}
