package io.waterwheel.topology.wiring;

import io.waterwheel.topology.config.Keys;
import java.io.UncheckedIOException;
import java.net.UnknownHostException;
import org.apache.storm.utils.Utils;

/**
 * The host that a worker listens on and is known by. One configuration serves every worker, and each is on a host of
 * its own: so a key may name the setting in which each finds its own. Block locations of HDFS are compared with it as
 * text.
 */
final class WorkerHost {
    private WorkerHost() {}

    /**
     * The host for a key's value: itself, or what Storm calls this worker's host, when the value is
     * {@link Keys#STORM_HOST}.
     */
    static String of(String value) {
        if (!value.equals(Keys.STORM_HOST)) {
            return value;
        }
        try {
            // storm.local.hostname of the Supervisor's storm.yaml, which the worker reads too; else the machine's name.
            return Utils.hostname();
        } catch (UnknownHostException e) {
            throw new UncheckedIOException(
                    "this machine's own name cannot be resolved; set storm.local.hostname in the storm.yaml of its"
                            + " Supervisor",
                    e);
        }
    }
}
