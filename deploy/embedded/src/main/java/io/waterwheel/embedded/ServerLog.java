package io.waterwheel.embedded;

import java.nio.file.Path;

/** Where the server's log goes; to be said before the first class that logs is touched. */
final class ServerLog {
    private static final String CONFIGURATION = "log4j2.configurationFile";

    private ServerLog() {}

    /**
     * Writes the log into {@code logs} of the data folder, unless the process was started with a configuration of its
     * own.
     *
     * @return the log file
     */
    static Path in(Path dataFolder) {
        Path folder = dataFolder.toAbsolutePath().resolve("logs");
        if (System.getProperty(CONFIGURATION) == null) {
            System.setProperty("waterwheel.log.folder", folder.toString());
            System.setProperty(CONFIGURATION, "io/waterwheel/embedded/log4j2-server.xml");
        }
        return folder.resolve("waterwheel.log");
    }
}
