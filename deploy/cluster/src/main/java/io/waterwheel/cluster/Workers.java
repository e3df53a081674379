package io.waterwheel.cluster;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** The worker processes of a cluster's Supervisors, dead ones' too, found by the cluster's mark on them. */
final class Workers {
    private static final String MAIN = "org.apache.storm.daemon.worker.Worker";
    private static final String LOG_WRITER = "org.apache.storm.LogWriter";

    private final ClusterLayout layout;
    private final String mark;

    Workers(ClusterLayout layout, String mark) {
        this.layout = layout;
        this.mark = mark;
    }

    /** Those that run now, by slot. */
    List<RealCluster.Worker> running() throws IOException {
        List<RealCluster.Worker> found = new ArrayList<>();
        for (long pid : Processes.withArgument(mark)) {
            List<String> command = Processes.commandLine(pid);
            // A worker runs below a small process that has its whole command line as arguments.
            if (command.contains(LOG_WRITER)) {
                continue;
            }
            // ... Worker TOPOLOGY SUPERVISOR SUPERVISOR-PORT PORT WORKER
            int at = command.indexOf(MAIN);
            if (at >= 0 && at + 5 < command.size()) {
                int port = Integer.parseInt(command.get(at + 4));
                found.add(new RealCluster.Worker(pid, command.get(at + 1), port, layout.pairOfSlot(port)));
            }
        }
        found.sort(Comparator.comparingInt(RealCluster.Worker::port));
        return found;
    }
}
