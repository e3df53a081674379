package io.waterwheel.embedded;

import io.waterwheel.client.cli.Cli;
import io.waterwheel.client.cli.Terminal;
import java.util.List;

/** Entry point of the {@code waterwheel} launcher: the client's commands, and those of this module. */
public final class Main {
    private static final String LOG_CONFIGURATION = "log4j2.configurationFile";
    private static final String FOLDER = "io/waterwheel/embedded/";

    private Main() {}

    public static void main(String[] args) {
        configureLog("log4j2-command.xml");
        // Explicit: Storm in this process leaves threads behind.
        System.exit(run(args, Terminal.ofProcess()));
    }

    /**
     * Names one of this package's log configurations, unless the process was started with one of its own. By name: jars
     * on the class path bring configurations too, and which is found first is chance.
     */
    static void configureLog(String resource) {
        String present = System.getProperty(LOG_CONFIGURATION);
        if (present == null || present.startsWith(FOLDER)) {
            System.setProperty(LOG_CONFIGURATION, FOLDER + resource);
        }
    }

    static int run(String[] args, Terminal terminal) {
        return Cli.run(args, terminal, List.of(new ServerCommand(terminal), new DemoCommand(terminal)));
    }
}
