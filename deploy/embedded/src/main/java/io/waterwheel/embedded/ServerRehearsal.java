package io.waterwheel.embedded;

import io.waterwheel.client.Cursor;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.embedded.gateway.ServerGateway;
import io.waterwheel.embedded.server.RunningServer;
import io.waterwheel.embedded.server.ServerCommand;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.topology.config.WaterwheelConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Starts a whole server once, on a temporary folder and free ports, asks it, and ends it again: its classes are then in
 * the archive of {@link ClassArchiveTraining}. To load and verify them from their jars takes a start half of its
 * processor time.
 */
final class ServerRehearsal {
    private static final Logger LOG = LoggerFactory.getLogger(ServerRehearsal.class);

    private ServerRehearsal() {}

    /**
     * Returns when the server has answered and has ended.
     *
     * @throws IOException when it does not start
     */
    static void run() throws IOException {
        Path folder = Files.createTempDirectory("waterwheel-rehearsal-");
        try {
            WaterwheelConfig config = ServerCommand.fitted(WaterwheelConfig.defaults(), 0);
            try (ServerGateway gateway = ServerGateway.begin(config, 0, line -> {});
                    RunningServer server = RunningServer.start(folder, config, Set.of(), line -> {})) {
                gateway.serve(server.url(), server::metrics);
                List<String> unused = ask(server.url());
            }
        } finally {
            delete(folder);
        }
    }

    /**
     * The first statements of clients: one that is one query, and one that DuckDB answers. The archive lacks the
     * classes of one that fails, and nothing of the others.
     *
     * @return those that failed
     */
    static List<String> ask(String url) {
        List<String> failed = new ArrayList<>();
        try (WaterwheelClient client = WaterwheelClient.connect(url)) {
            for (String statement : List.of(
                    "CREATE STREAM rehearsal (id BIGINT, at TIMESTAMP, x DOUBLE) KEY (id) TIME (at)",
                    "SELECT * FROM rehearsal WHERE id = 1",
                    "SELECT a.id, COUNT(*) FROM rehearsal a JOIN rehearsal b ON a.id = b.id GROUP BY a.id")) {
                try (Cursor rows = client.sql(statement)) {
                    while (rows.nextBatch()) {
                        // read, and no more
                    }
                } catch (WaterwheelException e) {
                    LOG.error(
                            "the archive of classes lacks what this statement takes, for it failed: {}", statement, e);
                    failed.add(statement);
                }
            }
        }
        return failed;
    }

    private static void delete(Path folder) throws IOException {
        List<Path> all;
        try (Stream<Path> files = Files.walk(folder)) {
            all = files.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path file : all) {
            Files.deleteIfExists(file);
        }
    }
}
