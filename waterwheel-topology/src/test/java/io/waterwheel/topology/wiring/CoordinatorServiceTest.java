package io.waterwheel.topology.wiring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.topology.config.DataSize;
import io.waterwheel.topology.config.Keys;
import io.waterwheel.topology.config.WaterwheelConfig;
import io.waterwheel.topology.worker.CoordinatorServices;
import io.waterwheel.topology.worker.WorkerServices;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A coordinator's server on a real ZooKeeper; Kafka is not there, and not asked for. */
@Timeout(120)
final class CoordinatorServiceTest {
    @TempDir
    Path folder;

    private WaterwheelConfig config(TestingServer zooKeeper) throws Exception {
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        return WaterwheelConfig.defaults()
                .with(Keys.ZOOKEEPER_CONNECT, zooKeeper.getConnectString())
                .with(Keys.KAFKA_BOOTSTRAP, "127.0.0.1:9")
                .with(Keys.CHUNK_STORE_URI, folder.toUri().toString())
                .with(Keys.COORDINATOR_PORTS, List.of(port))
                .with(Keys.QUERY_SERVER_CACHE_SIZE, DataSize.parse("64 MiB"))
                .with(Keys.QUERY_MEMORY, DataSize.parse("64 MiB"))
                .with(Keys.QUERY_SPILL, DataSize.parse("0 B"))
                .with(Keys.QUERY_WARM_UP, Duration.ZERO);
    }

    /** As when tasks are closed while one of them opens: its thread is interrupted while it warms up. */
    @Test
    void aServerThatCouldNotBeAnnouncedLeavesItsPort() throws Exception {
        CoordinatorServices.QueryHandler coordinator = (CoordinatorServices.QueryHandler) Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {CoordinatorServices.QueryHandler.class},
                (proxy, method, arguments) -> null);
        try (TestingServer zooKeeper = new TestingServer(true)) {
            WaterwheelConfig config = config(zooKeeper);
            try (WorkerServices services = new SharedServices().open("announced", config)) {
                try {
                    Thread.currentThread().interrupt();
                    assertThatThrownBy(() -> services.serve(0, coordinator)).hasMessageContaining("/coordinators");
                } finally {
                    assertThat(Thread.interrupted()).as("still interrupted").isTrue();
                }
                try (CoordinatorServices.CoordinatorServer server = services.serve(0, coordinator)) {
                    assertThat(server.url())
                            .isEqualTo("grpc://127.0.0.1:"
                                    + config.get(Keys.COORDINATOR_PORTS).get(0));
                }
            }
        }
    }
}
