package io.waterwheel.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.Waiting;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.Verdict;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.arrow.flight.CallStatus;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.curator.test.TestingServer;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.FourLetterWordMain;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Coordinators that announce themselves in ZooKeeper, and come, go and move while a client lives. */
@Timeout(300)
class DiscoveryTest {
    private static final List<Field> FIELDS = List.of(new Field("n", FieldType.LONG, false));
    private static final FlightRuntimeException LOST =
            CallStatus.UNAVAILABLE.withDescription("the connection broke").toRuntimeException();
    private static final String NODE = "/waterwheel/default/coordinators";

    record Counted(long n) {}

    private TestingServer server;
    private ZooKeeper session;

    @BeforeEach
    void start() throws Exception {
        server = new TestingServer();
        CountDownLatch connected = new CountDownLatch(1);
        session = new ZooKeeper(server.getConnectString(), 60_000, event -> {
            if (event.getState() == KeeperState.SyncConnected) {
                connected.countDown();
            }
        });
        connected.await();
        for (String path : List.of("/waterwheel", "/waterwheel/default", NODE)) {
            session.create(path, new byte[0], ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        }
    }

    @AfterEach
    void stop() throws Exception {
        session.close();
        server.close();
    }

    private void announce(String node, String url) throws InterruptedException, KeeperException {
        session.create(NODE + "/" + node, url.getBytes(UTF_8), ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL);
    }

    private void announceUnchecked(String node, String url) {
        try {
            announce(node, url);
        } catch (InterruptedException | KeeperException e) {
            throw new IllegalStateException(e);
        }
    }

    private void leave(String node) throws InterruptedException, KeeperException {
        session.delete(NODE + "/" + node, -1);
    }

    private WaterwheelClient client() {
        return WaterwheelClient.discover(server.getConnectString(), "default");
    }

    private static List<@Nullable Object[]> rows(int count) {
        List<@Nullable Object[]> rows = new ArrayList<>();
        for (long n = 0; n < count; n++) {
            rows.add(new Object[] {n});
        }
        return rows;
    }

    private static void whole(FakeServer.Answer answer) {
        answer.whole(FIELDS, rows(3), new Verdict(true, List.of(), Map.of(), 3, 3, 1, 2));
    }

    private static void half(FakeServer.Answer answer) {
        answer.start(FIELDS);
        answer.rows(rows(2));
        answer.fail(LOST);
    }

    @Test
    void aQuestionWhoseCoordinatorDiesIsAnsweredOnceByItsSuccessor() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        AtomicReference<@Nullable CompletableFuture<Void>> announced = new AtomicReference<>();
        try (FakeServer successor = FakeServer.answering((query, answer) -> whole(answer));
                FakeServer dying = FakeServer.answering((query, answer) -> {
                    if (asked.incrementAndGet() == 1) {
                        half(answer);
                    } else {
                        // Gone; nobody is announced for a while.
                        leave("0");
                        announced.set(CompletableFuture.runAsync(
                                () -> announceUnchecked("1", successor.url()),
                                CompletableFuture.delayedExecutor(500, TimeUnit.MILLISECONDS)));
                        answer.fail(LOST);
                    }
                });
                WaterwheelClient client = client()) {
            announce("0", dying.url());
            assertThat(client.query("s").list(Counted.class))
                    .as("the rows of the first half are in it once")
                    .containsExactly(new Counted(0), new Counted(1), new Counted(2));
            assertThat(successor.queries).hasSize(1);
            assertThat(client.query("s").count()).isEqualTo(3);
            assertThat(asked).as("who left is not asked again").hasValue(2);
            // The client may see the node before whoever made it is told.
            assertThat(announced.get()).succeedsWithin(Duration.ofMinutes(2));
        }
    }

    @Test
    void whoMayNotReadTheAddressesIsToldSoAtOnce() throws Exception {
        session.addAuthInfo("digest", "wheel:hunter2".getBytes(UTF_8));
        session.setACL(NODE, ZooDefs.Ids.CREATOR_ALL_ACL, -1);
        session.setACL("/waterwheel", ZooDefs.Ids.CREATOR_ALL_ACL, -1);
        try (WaterwheelClient client = client()) {
            assertThatThrownBy(client::listStreams).isInstanceOfSatisfying(WaterwheelException.class, e -> {
                assertThat(e.code()).isEqualTo("ZOOKEEPER_DENIED");
                assertThat(e.kind()).isEqualTo(WaterwheelException.Kind.USER);
                assertThat(e)
                        .hasMessageContaining("does not let a client without credentials read " + NODE)
                        .hasMessageContaining("name a coordinator's address");
            });
        }
        assertThatThrownBy(() -> WaterwheelClient.discover(server.getConnectString(), "elsewhere")
                        .listStreams())
                .hasMessageContaining("which there are cannot be read without credentials");
    }

    @Test
    void rowsThatWereHandedOutAreNeverHandedOutAgain() throws Exception {
        try (FakeServer successor = FakeServer.answering((query, answer) -> whole(answer));
                FakeServer dying = FakeServer.answering((query, answer) -> {
                    leave("0");
                    announce("1", successor.url());
                    half(answer);
                });
                WaterwheelClient client = client()) {
            announce("0", dying.url());
            try (Cursor cursor = client.query("s").rows()) {
                assertThat(cursor.next()).isTrue();
                assertThat(cursor.next()).isTrue();
                assertThatThrownBy(cursor::next)
                        .isInstanceOfSatisfying(WaterwheelException.class, e -> assertThat(e.code())
                                .isEqualTo("ANSWER_CUT_OFF"));
            }
            assertThat(successor.queries).isEmpty();
        }
    }

    @Test
    void anAnswerThatIsNotClosedKeepsItsMemoryAfterItsCoordinatorIsGone() throws Exception {
        FakeServer dying = FakeServer.answering((query, answer) -> half(answer));
        announce("0", dying.url());
        try (FakeServer successor = FakeServer.answering((query, answer) -> whole(answer));
                WaterwheelClient client = client();
                Cursor cursor = client.query("s").rows()) {
            assertThat(cursor.next()).isTrue();
            leave("0");
            dying.close();
            announce("1", successor.url());
            assertThat(client.query("s").list(Counted.class)).hasSize(3);
            assertThat(cursor.getLong(0)).isZero();
            assertThat(cursor.next()).isTrue();
            assertThatThrownBy(cursor::next).isInstanceOfSatisfying(WaterwheelException.class, e -> assertThat(e.code())
                    .isEqualTo("ANSWER_CUT_OFF"));
        }
    }

    /** They end beside the look, which does not wait for that. */
    @Test
    void looksLeaveNoSession() throws Exception {
        announce("0", "grpc://127.0.0.1:1");
        ZooKeeperAddresses addresses = new ZooKeeperAddresses(server.getConnectString(), "default");
        for (int look = 0; look < 3; look++) {
            assertThat(addresses.now()).containsExactly("grpc://127.0.0.1:1");
        }
        Waiting.until("the test's own connection and that of the question itself are left", () -> connections() == 2);
    }

    private int connections() throws Exception {
        String told = FourLetterWordMain.send4LetterWord("127.0.0.1", server.getPort(), "srvr");
        return told.lines()
                .filter(line -> line.startsWith("Connections: "))
                .mapToInt(line -> Integer.parseInt(line.substring("Connections: ".length())))
                .sum();
    }

    @Test
    void saysWhatIsWrongWithWhatItFinds() throws Exception {
        ZooKeeperAddresses addresses = new ZooKeeperAddresses(server.getConnectString(), "default");
        assertThatThrownBy(addresses::now)
                .hasMessage("no coordinator of namespace default has announced itself in ZooKeeper at "
                        + server.getConnectString() + " under " + NODE + "; is its topology running?");
        announce("0", "grpc://10.0.0.1:7070");
        announce("1", "grpc://10.0.0.2:7070");
        assertThat(addresses.now()).containsExactlyInAnyOrder("grpc://10.0.0.1:7070", "grpc://10.0.0.2:7070");
        announce("2", "http://10.0.0.3");
        assertThatThrownBy(addresses::now)
                .hasMessageContaining(NODE + "/2: server 'http://10.0.0.3': expected grpc://HOST:PORT");
        try (WaterwheelClient client = WaterwheelClient.discover(server.getConnectString(), "city")) {
            assertThatThrownBy(client::listStreams)
                    .hasMessageContaining("no topology of namespace city was ever there; namespaces there: default");
        }
        try (WaterwheelClient client = WaterwheelClient.discover(server.getConnectString() + "/rain", "city")) {
            assertThatThrownBy(client::listStreams)
                    .hasMessageContaining("nor is there a /rain, which zookeeper.root of the configuration names");
        }
        assertThatThrownBy(() -> WaterwheelClient.discover("zk1", "default"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("ZooKeeper 'zk1': expected HOST:PORT");
        assertThatThrownBy(() -> WaterwheelClient.discover("zk1:2181", "a/b"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("namespace 'a/b': expected letters");
    }
}
