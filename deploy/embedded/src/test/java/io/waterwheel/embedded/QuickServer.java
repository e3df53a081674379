package io.waterwheel.embedded;

import io.waterwheel.embedded.server.RunningServer;
import io.waterwheel.embedded.server.WaterwheelServer;
import io.waterwheel.topology.config.Keys;
import io.waterwheel.topology.config.WaterwheelConfig;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;

/**
 * A server in the test's JVM that answers at once: it does not warm up, which is seconds of processor time for
 * questions that most tests never ask. Servers of tests that start the command warm up as users' do.
 */
public final class QuickServer {
    private QuickServer() {}

    /** Returns when it takes queries. */
    public static RunningServer start(Path folder, WaterwheelConfig config, Set<WaterwheelServer.External> external)
            throws IOException {
        return RunningServer.start(folder, config.with(Keys.QUERY_WARM_UP, Duration.ZERO), external);
    }
}
