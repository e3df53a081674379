package io.waterwheel.cluster;

import java.io.PrintWriter;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ParentCommand;

/** Says what runs. */
@Command(
        name = "status",
        description = "Says which daemons and workers run, where they listen and what memory they hold.",
        mixinStandardHelpOptions = true,
        usageHelpAutoWidth = true)
final class StatusCommand implements Callable<Integer> {
    private static final int NOT_ALL_UP = 3;
    private static final String ROW = "%-14s %-9s %8s %8s  %s%n";

    @ParentCommand
    ClusterCommand cluster = new ClusterCommand();

    @Override
    public Integer call() throws Exception {
        PrintWriter out = cluster.out();
        ClusterFolder folder = new ClusterFolder(cluster.folder());
        Optional<ClusterLayout> layout = folder.layout();
        if (layout.isEmpty()) {
            out.printf("there is no cluster in %s%n", cluster.folder());
            out.flush();
            return NOT_ALL_UP;
        }
        Daemons daemons = folder.daemons(layout.get(), Daemons.Answers.SOON);
        boolean allUp = true;
        out.printf(ROW, "NAME", "STATE", "PROCESS", "MEMORY", "ADDRESS");
        for (Daemon each : daemons.all()) {
            String state = state(each);
            allUp &= state.equals("up");
            String address = layout.get().address(each.name()).toString();
            if (each.isAlive()) {
                out.printf(ROW, each.name(), state, each.pid(), memory(each.pid()), address);
            } else {
                out.printf(ROW, each.name(), state, "-", "-", address);
            }
        }
        for (RealCluster.Worker worker : daemons.workers().running()) {
            String host = worker.pair() == 0
                    ? "?"
                    : layout.get()
                            .address(ClusterLayout.supervisor(worker.pair()))
                            .host();
            out.printf(
                    ROW,
                    "worker",
                    Processes.isPaused(worker.pid()) ? "paused" : "runs",
                    worker.pid(),
                    memory(worker.pid()),
                    host + ":" + worker.port() + "  " + worker.topologyId());
        }
        out.flush();
        return allUp ? 0 : NOT_ALL_UP;
    }

    private static String state(Daemon daemon) throws Exception {
        if (!daemon.isAlive()) {
            return "down";
        }
        if (Processes.isPaused(daemon.pid())) {
            return "paused";
        }
        return daemon.isReady() ? "up" : "not ready";
    }

    private static String memory(long pid) {
        return String.format(Locale.ROOT, "%d MB", Processes.residentBytes(pid) >> 20);
    }
}
