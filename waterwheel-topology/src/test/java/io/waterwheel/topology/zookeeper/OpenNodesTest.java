package io.waterwheel.topology.zookeeper;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.catalog.store.CatalogStore;
import io.waterwheel.topology.config.WaterwheelConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.curator.test.TestingServer;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The catalog of an older release, whose nodes everyone could change. */
final class OpenNodesTest {
    @TempDir
    Path folder;

    @Test
    void whatWasOpenIsItsOwnersAndClientsStillFindTheServer() throws Exception {
        Path credentials = Files.writeString(folder.resolve("credentials"), "waterwheel:secret\n");
        try (TestingServer server = new TestingServer(true)) {
            String connect = server.getConnectString();
            try (CatalogStore old =
                    ZooKeeperCatalogStore.connect(connect, "/waterwheel/default", Duration.ofSeconds(20))) {
                old.ensure("/streams/s");
                old.ensure("/data/1/edits");
                old.ensure("/peer-secret");
                old.ensure("/coordinators");
                old.commit(List.of(new CatalogStore.Op.Create("/coordinators/0", "grpc://a:1".getBytes(UTF_8))));
            }
            WaterwheelConfig config = WaterwheelConfig.parse(
                    "test",
                    "",
                    List.of(
                            "zookeeper.connect=" + connect,
                            "zookeeper.auth=file:" + credentials,
                            "zookeeper.acl=creator"));
            // As a release left it that closed the root alone.
            try (ZooKeeper owner = session(connect)) {
                owner.addAuthInfo("digest", "waterwheel:secret".getBytes(UTF_8));
                List<ACL> own = new ArrayList<>(ZooDefs.Ids.CREATOR_ALL_ACL);
                own.addAll(ZooDefs.Ids.READ_ACL_UNSAFE);
                owner.setACL("/", own, -1);
            }
            assertThat(OpenNodes.close(config)).isEqualTo(10);
            assertThat(OpenNodes.close(config)).as("once").isZero();

            try (ZooKeeper stranger = session(connect)) {
                String catalog = "/waterwheel/default";
                assertThat(new String(stranger.getData(catalog + "/coordinators/0", false, null), UTF_8))
                        .isEqualTo("grpc://a:1");
                assertThat(stranger.getChildren("/waterwheel", false)).containsExactly("default");
                refused(() -> stranger.getData(catalog + "/peer-secret", false, null));
                refused(() -> stranger.getData(catalog + "/data/1/edits", false, null));
                refused(() -> stranger.setData(catalog + "/coordinators/0", new byte[0], -1));
                refused(() -> stranger.delete(catalog + "/streams/s", -1));
                refused(() -> stranger.setACL(catalog, ZooDefs.Ids.OPEN_ACL_UNSAFE, -1));
                for (String path : List.of("/", "/zookeeper/", "/zookeeper/quota/")) {
                    refused(() -> stranger.create(
                            path + "mine", new byte[0], ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT));
                }
            }
            try (CatalogStore ours = ZooKeeperCatalogStore.connect(config)) {
                assertThat(ours.children("/streams")).containsExactly("s");
                ours.ensure("/streams/t");
            }
        }
    }

    private static ZooKeeper session(String connect) throws Exception {
        CountDownLatch connected = new CountDownLatch(1);
        ZooKeeper session = new ZooKeeper(connect, 10_000, event -> connected.countDown());
        assertThat(connected.await(60, TimeUnit.SECONDS)).isTrue();
        return session;
    }

    private static void refused(ThrowingCallable call) {
        assertThatThrownBy(call).isInstanceOf(KeeperException.NoAuthException.class);
    }
}
