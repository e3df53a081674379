package io.waterwheel.embedded.server;

import java.net.URISyntaxException;
import java.util.Objects;
import org.apache.logging.log4j.core.config.Configurator;

/**
 * Which of this module's log configurations is in force, unless the process was started with one of its own. They are
 * chosen by name: jars on the class path bring configurations too, and which is found first is chance.
 */
public final class LogSettings {
    private static final String KEY = "log4j2.configurationFile";
    private static final String FOLDER = "io/waterwheel/embedded/";

    private LogSettings() {}

    /** Chooses a configuration before anything is logged. */
    public static void choose(String resource) {
        if (areOurs()) {
            System.setProperty(KEY, FOLDER + resource);
        }
    }

    /** The same when something may have been logged: reading the command line and the configuration may do so. */
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
