package io.waterwheel.embedded;

import io.waterwheel.embedded.gateway.ServerGateway;
import io.waterwheel.embedded.server.RunningServer;
import io.waterwheel.embedded.server.ServerCommand;
import io.waterwheel.topology.config.WaterwheelConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Starts a whole server once, on a temporary folder and free ports, and ends it again: its classes are then in the
 * archive of {@link ClassArchiveTraining}. To load and verify them from their jars takes a start half of its processor
 * time.
 */
final class ServerRehearsal {
    private ServerRehearsal() {}

    /**
     * Returns when the server has taken queries and has ended.
     *
     * @throws IOException when it does not start
     */
    static void run() throws IOException {
        Path folder = Files.createTempDirectory("waterwheel-rehearsal-");
        try {
            WaterwheelConfig config = ServerCommand.fitted(WaterwheelConfig.defaults(), 0);
            try (ServerGateway gateway = ServerGateway.begin(config, line -> {});
                    RunningServer server = RunningServer.start(folder, config, Set.of(), line -> {})) {
                gateway.serve(server.url(), server::metrics);
            }
        } finally {
            delete(folder);
        }
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
