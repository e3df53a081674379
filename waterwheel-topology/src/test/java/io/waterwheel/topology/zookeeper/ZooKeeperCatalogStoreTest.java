package io.waterwheel.topology.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.Waiting;
import io.waterwheel.catalog.CatalogStoreContract;
import io.waterwheel.catalog.store.CatalogStore;
import io.waterwheel.error.WaterwheelException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.curator.test.InstanceSpec;
import org.apache.curator.test.TestingServer;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The contract on a server in this process, and what only a server can do: go away in the middle. */
final class ZooKeeperCatalogStoreTest extends CatalogStoreContract {
    private static final AtomicInteger ROOTS = new AtomicInteger();
    private static final Duration SESSION = Duration.ofSeconds(60);
    private static TestingServer server;

    private String root = "/unset";

    @BeforeAll
    static void startServer() throws Exception {
        server = new TestingServer(true);
    }

    @AfterAll
    static void stopServer() throws Exception {
        server.close();
    }

    @Override
    protected CatalogStore newClient() {
        if (root.equals("/unset")) {
            root = "/waterwheel/test" + ROOTS.incrementAndGet();
        }
        return ZooKeeperCatalogStore.connect(server.getConnectString(), root, SESSION);
    }

    /**
     * The server takes a second connection with the same id and password for the first one's, and its end for an end.
     */
    @Override
    protected void loseSession(CatalogStore client) throws Exception {
        ZooKeeper own =
                ((ZooKeeperCatalogStore) client).curator().getZookeeperClient().getZooKeeper();
        CountDownLatch connected = new CountDownLatch(1);
        ZooKeeper twin = new ZooKeeper(
                server.getConnectString(),
                (int) SESSION.toMillis(),
                event -> connected.countDown(),
                own.getSessionId(),
                own.getSessionPasswd());
        assertThat(connected.await(1, TimeUnit.MINUTES)).isTrue();
        twin.close();
    }

    @Test
    void transactionWithoutAnAnswerHasAnUnknownOutcome() throws Exception {
        try (TestingServer own = new TestingServer(true);
                ZooKeeperCatalogStore store =
                        ZooKeeperCatalogStore.connect(own.getConnectString(), "/w", Duration.ofSeconds(20))) {
            store.commit(List.of(new CatalogStore.Op.Create("/a", new byte[1])));
            byte[] large = new byte[800_000];
            int version = 0;
            boolean unknown = false;
            // The server may go away between two commits: the next is not sent then, and it is for another round.
            for (int round = 0; round < 10 && !unknown; round++) {
                Thread stopper = new Thread(() -> stop(own));
                stopper.start();
                boolean answers = true;
                for (int i = 0; i < 100_000 && answers; i++) {
                    try {
                        store.commit(List.of(new CatalogStore.Op.Set("/a", large, version)));
                        version++;
                    } catch (CatalogStore.UnknownOutcomeException e) {
                        unknown = true;
                        answers = false;
                    } catch (WaterwheelException e) {
                        assertThat(e.code()).isEqualTo("CATALOG_UNAVAILABLE");
                        answers = false;
                    }
                }
                stopper.join();
                own.restart();
                Waiting.until("the store is connected again", () -> {
                    store.sync();
                    return true;
                });
                assertThat(store.read("/a").orElseThrow().version())
                        .as("the last commit was done or not, those before were; unknown: %s", unknown)
                        .isBetween(version, unknown ? version + 1 : version);
            }
            assertThat(unknown).isTrue();
        }
    }

    private static void stop(TestingServer own) {
        try {
            own.stop();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** An interrupt is a failure without an answer that leaves the session alive. */
    @Test
    void announcementThatCouldNotBeRemovedIsRemovedLater() throws Exception {
        try (ZooKeeperCatalogStore store = ZooKeeperCatalogStore.connect(server.getConnectString(), "/later", SESSION);
                CatalogStore other = ZooKeeperCatalogStore.connect(server.getConnectString(), "/later", SESSION)) {
            AutoCloseable announcement = store.announce("/standing/spout-0", new byte[] {1});
            Thread.currentThread().interrupt();
            announcement.close();
            assertThat(Thread.interrupted()).as("the interrupt is kept").isTrue();
            CountDownLatch gone = new CountDownLatch(1);
            Runnable look = () -> {
                if (other.read("/standing/spout-0").isEmpty()) {
                    gone.countDown();
                }
            };
            try (AutoCloseable watch = other.watch("/standing/spout-0", look)) {
                assertThat(watch).isNotNull();
                look.run();
                assertThat(gone.await(2, TimeUnit.MINUTES)).isTrue();
            }
        }
    }

    @Test
    void announcementThatCouldNotBeRemovedIsReplacedByTheNext() throws Exception {
        try (ZooKeeperCatalogStore store =
                ZooKeeperCatalogStore.connect(server.getConnectString(), "/replaced", SESSION)) {
            AutoCloseable before = store.announce("/standing/spout-0", new byte[] {1});
            Thread.currentThread().interrupt();
            before.close();
            assertThat(Thread.interrupted()).isTrue();
            try (AutoCloseable announcement = store.announce("/standing/spout-0", new byte[] {2})) {
                assertThat(announcement).isNotNull();
                assertThat(store.read("/standing/spout-0").orElseThrow().data()).containsExactly(2);
            }
            assertThat(store.read("/standing/spout-0")).isEmpty();
        }
    }

    @Test
    void serverThatIsNotThereIsNamed() {
        String nowhere = "127.0.0.1:" + InstanceSpec.getRandomPort();
        assertThatThrownBy(() -> ZooKeeperCatalogStore.connect(nowhere, "/w", Duration.ofSeconds(1)))
                .isInstanceOf(WaterwheelException.class)
                .hasMessageContaining("no ZooKeeper server at " + nowhere);
    }

    @Test
    void rootKeepsNamespacesApart() throws Exception {
        try (CatalogStore one = ZooKeeperCatalogStore.connect(server.getConnectString(), "/apart/one", SESSION);
                CatalogStore two = ZooKeeperCatalogStore.connect(server.getConnectString(), "/apart/two", SESSION)) {
            one.commit(List.of(new CatalogStore.Op.Create("/a", new byte[1])));
            two.sync();
            assertThat(two.read("/a")).isEmpty();
            assertThat(two.children("/")).isEmpty();
        }
    }

    @Test
    void nodesOfACreatorAreNoOneElses(@TempDir Path folder) throws Exception {
        Path secret = Files.writeString(folder.resolve("secret"), "wheel:hunter2\n");
        CatalogAccess ours = CatalogAccess.of("file:" + secret, "creator", name -> null);
        CatalogAccess others = CatalogAccess.of("env:SECRET", "creator", name -> "other:" + name);
        assertThat(ours.toString())
                .contains("creator")
                .doesNotContain("hunter2")
                .doesNotContain("wheel");
        try (CatalogStore store = ZooKeeperCatalogStore.connect(server.getConnectString(), "/closed", SESSION, ours)) {
            store.commit(List.of(new CatalogStore.Op.Create("/a", new byte[1])));
            store.announce("/live/x", new byte[1]);
            assertThat(store.read("/a")).isPresent();
        }
        for (CatalogAccess access : List.of(CatalogAccess.OPEN, others)) {
            try (CatalogStore store =
                    ZooKeeperCatalogStore.connect(server.getConnectString(), "/closed", SESSION, access)) {
                assertThatThrownBy(() -> store.read("/a"))
                        .isInstanceOfSatisfying(WaterwheelException.class, e -> assertThat(e.code())
                                .isEqualTo("CATALOG_DENIED"))
                        .hasMessageContaining("set zookeeper.auth to those")
                        .hasMessageNotContaining("hunter2");
                assertThatThrownBy(() -> store.commit(List.of(new CatalogStore.Op.Set("/a", new byte[2], 0))))
                        .isInstanceOfSatisfying(WaterwheelException.class, e -> assertThat(e.code())
                                .isEqualTo("CATALOG_DENIED"));
            }
        }
        try (CatalogStore again = ZooKeeperCatalogStore.connect(server.getConnectString(), "/closed", SESSION, ours)) {
            assertThat(again.read("/a").orElseThrow().data()).hasSize(1);
        }
    }

    /** Whoever has no credentials, as clients. */
    private static ZooKeeper anybody() throws Exception {
        CountDownLatch connected = new CountDownLatch(1);
        ZooKeeper session =
                new ZooKeeper(server.getConnectString(), (int) SESSION.toMillis(), event -> connected.countDown());
        assertThat(connected.await(1, TimeUnit.MINUTES)).isTrue();
        return session;
    }

    private static void denied(ThrowingCallable call) {
        assertThatThrownBy(call).isInstanceOf(KeeperException.NoAuthException.class);
    }

    @Test
    void whereCoordinatorsAnswerMayBeReadByAll() throws Exception {
        CatalogAccess ours = CatalogAccess.of("env:SECRET", "creator", name -> "wheel:hunter2");
        String root = "/shop/rain";
        try (CatalogStore store = ZooKeeperCatalogStore.connect(server.getConnectString(), root, SESSION, ours);
                ZooKeeper client = anybody()) {
            store.ensure("/coordinators");
            store.announce("/coordinators/0", new byte[] {7});
            store.announce("/live/spout-0", new byte[1]);
            assertThat(client.getChildren("/shop", false)).containsExactly("rain");
            assertThat(client.getChildren(root + "/coordinators", false)).containsExactly("0");
            assertThat(client.getData(root + "/coordinators/0", false, null)).containsExactly(7);
            denied(() -> client.setData(root + "/coordinators/0", new byte[1], -1));
            denied(() -> client.delete(root + "/coordinators/0", -1));
            denied(() -> client.create(
                    root + "/coordinators/1", new byte[1], ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL));
            denied(() -> client.getData(root + "/live/spout-0", false, null));
            denied(() -> client.getChildren(root, false));
        }
    }

    @Test
    void addressesThatOnlyTheirCreatorCouldReadAreOpenedToAll() throws Exception {
        CatalogAccess ours = CatalogAccess.of("env:SECRET", "creator", name -> "wheel:hunter2");
        try (ZooKeeperCatalogStore store =
                        ZooKeeperCatalogStore.connect(server.getConnectString(), "/older", SESSION, ours);
                ZooKeeper client = anybody()) {
            store.curator().create().withACL(ZooDefs.Ids.CREATOR_ALL_ACL).forPath("/older/coordinators");
            denied(() -> client.getChildren("/older/coordinators", false));
            store.ensure("/coordinators");
            assertThat(client.getChildren("/older/coordinators", false)).isEmpty();
            denied(() -> client.delete("/older/coordinators", -1));
        }
    }

    @Test
    void badCredentialsAreNamedAndNotShown(@TempDir Path folder) throws Exception {
        Path file = Files.writeString(folder.resolve("secret"), "hunter2");
        assertThatThrownBy(() -> CatalogAccess.of("file:" + file, "open", name -> null))
                .hasMessageContaining("expected one line user:password")
                .hasMessageNotContaining("hunter2");
        assertThatThrownBy(() -> CatalogAccess.of("file:" + file + "x", "open", name -> null))
                .hasMessageContaining("the file cannot be read");
        assertThatThrownBy(() -> CatalogAccess.of("env:NONE", "open", name -> null))
                .hasMessageContaining("the variable is not set");
        assertThatThrownBy(() -> CatalogAccess.of("none", "creator", name -> null))
                .hasMessageContaining("zookeeper.acl creator needs credentials");
    }
}
