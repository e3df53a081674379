package io.waterwheel.topology.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.catalog.CatalogStore;
import io.waterwheel.catalog.CatalogStoreContract;
import io.waterwheel.model.WaterwheelException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.curator.test.InstanceSpec;
import org.apache.curator.test.TestingServer;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The contract on a server in this process, and what only a server can do: go away in the middle. */
final class ZooKeeperCatalogStoreTest extends CatalogStoreContract {
    private static final AtomicInteger ROOTS = new AtomicInteger();
    private static final Duration SESSION = Duration.ofSeconds(6);
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
        assertThat(connected.await(10, TimeUnit.SECONDS)).isTrue();
        twin.close();
    }

    @Test
    void transactionWithoutAnAnswerHasAnUnknownOutcome() throws Exception {
        try (TestingServer own = new TestingServer(true);
                ZooKeeperCatalogStore store =
                        ZooKeeperCatalogStore.connect(own.getConnectString(), "/w", Duration.ofSeconds(20))) {
            store.commit(List.of(new CatalogStore.Op.Create("/a", new byte[1])));
            byte[] large = new byte[800_000];
            CountDownLatch stop = new CountDownLatch(1);
            Thread stopper = new Thread(() -> {
                try {
                    stop.await();
                    own.stop();
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            });
            stopper.start();
            int version = 0;
            Throwable failure = null;
            stop.countDown();
            for (int i = 0; i < 100_000 && failure == null; i++) {
                try {
                    store.commit(List.of(new CatalogStore.Op.Set("/a", large, version)));
                    version++;
                } catch (CatalogStore.UnknownOutcomeException e) {
                    failure = e;
                }
            }
            stopper.join();
            assertThat(failure).isInstanceOf(CatalogStore.UnknownOutcomeException.class);
            own.restart();
            store.sync();
            assertThat(store.read("/a").orElseThrow().version())
                    .as("the last commit was done or not, those before were")
                    .isBetween(version, version + 1);
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
}
