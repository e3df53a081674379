package io.waterwheel.embedded.server;

import java.net.URISyntaxException;
import java.util.Map;
import java.util.Objects;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.logging.log4j.core.config.Configurator;

/**
 * Which of this module's log configurations is in force, unless the process was started with one of its own. They are
 * chosen by name: jars on the class path bring configurations too, and which is found first is chance.
 */
public final class LogSettings {
    private static final String KEY = "log4j2.configurationFile";
    private static final String FOLDER = "io/waterwheel/embedded/";
    private static final String SIMPLE = "org.apache.logging.log4j.simplelog.";

    /** What commands of the client log with: what log4j2-command.xml says, for Log4j without its core. */
    private static final Map<String, String> OF_CLIENT = Map.of(
            // Named, so that it is not looked for.
            "log4j.provider",
            "org.apache.logging.log4j.simple.internal.SimpleProvider",
            "slf4j.provider",
            "org.apache.logging.slf4j.SLF4JServiceProvider",
            "slf4j.internal.verbosity",
            "WARN",
            SIMPLE + "level",
            "WARN",
            SIMPLE + "showdatetime",
            "true",
            SIMPLE + "dateTimeFormat",
            "HH:mm:ss.SSS",
            // Two warnings for each try of each record that a full disk refuses: append says it once, and what fails
            // for good.
            SIMPLE + "org.apache.kafka.clients.producer.internals.Sender.level",
            "ERROR",
            // A warning for each partition whose offsets are asked for before it is read, as tail does.
            SIMPLE + "org.apache.kafka.clients.consumer.internals.OffsetFetcherUtils.level",
            "ERROR");

    private LogSettings() {}

    /** What gRPC's failures mean we say ourselves. */
    public static void quietGrpc() {
        Grpc.LOGGER.setLevel(Level.SEVERE);
    }

    /** Held, because the library that it belongs to would forget its level; made when it is first wanted. */
    private static final class Grpc {
        static final Logger LOGGER = Logger.getLogger("io.grpc");
    }

    /** Chooses a configuration before anything is logged. */
    public static void choose(String resource) {
        if (areOurs()) {
            System.setProperty(KEY, FOLDER + resource);
        }
    }

    /**
     * Chooses what a command of the client logs with, before anything is logged: warnings go to standard error, for
     * standard output belongs to its data. By the API of Log4j alone: to start its core takes as long as a question.
     */
    public static void chooseForClient() {
        if (System.getProperty(KEY) == null) {
            OF_CLIENT.forEach((key, value) -> System.setProperty(key, System.getProperty(key, value)));
        }
    }

    /**
     * The same as {@link #choose} when something may have been logged: reading the command line and the configuration
     * may do so.
     */
    static void change(String resource) {
        if (!areOurs()) {
            return;
        }
        choose(resource);
        String path = "/" + FOLDER + resource;
        try {
            Configurator.reconfigure(Objects.requireNonNull(LogSettings.class.getResource(path), path)
                    .toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException("the log configuration " + resource + " lies where no URI leads", e);
        }
        StrangersLog.apply();
    }

    private static boolean areOurs() {
        String present = System.getProperty(KEY);
        return present == null || present.startsWith(FOLDER);
    }
}
