package io.waterwheel.cluster;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;

/** Starts what does not run. */
@Command(
        name = "up",
        description = {
            "Starts the cluster, or of a running one what is missing, and waits until all is ready.",
            "What it holds is kept from one start to the next."
        },
        mixinStandardHelpOptions = true,
        usageHelpAutoWidth = true)
final class UpCommand implements Callable<Integer> {
    private static final int DEFAULT_BASE = 24_000;
    private static final int DEFAULT_PAIRS = 3;
    private static final int DEFAULT_SLOTS = 2;
    private static final int DEFAULT_REPLICATION = 2;

    @ParentCommand
    ClusterCommand cluster = new ClusterCommand();

    @Option(
            names = "--ports",
            paramLabel = "BASE|free",
            description = "The first port, others follow it; or free ones (default: " + DEFAULT_BASE
                    + ", or those that the folder had before).")
    @Nullable
    String ports;

    @Option(
            names = "--pairs",
            paramLabel = "N",
            description = "DataNodes, with a Supervisor beside each (default: " + DEFAULT_PAIRS + ").")
    @Nullable
    Integer pairs;

    @Option(
            names = "--slots",
            paramLabel = "N",
            description = "Workers that each Supervisor may run (default: " + DEFAULT_SLOTS + ").")
    @Nullable
    Integer slots;

    @Option(
            names = "--replication",
            paramLabel = "N",
            description = "Copies of each block in HDFS (default: " + DEFAULT_REPLICATION
                    + " of 3, so that one host has none and locality can be seen).")
    @Nullable
    Integer replication;

    @Option(names = "--ignore-memory", description = "Start although memory may not suffice.")
    boolean ignoreMemory;

    @Override
    public Integer call() throws Exception {
        ClusterFolder folder = new ClusterFolder(cluster.folder());
        try (AutoCloseable lock = folder.lock()) {
            Optional<ClusterLayout> before = folder.layout();
            ClusterSettings settings = settings(before);
            boolean running = before.isPresent()
                    && folder.daemons(before.get(), Daemons.Answers.LATE).all().stream()
                            .anyMatch(Daemon::isAlive);
            ClusterLayout layout;
            if (running) {
                layout = before.get();
                refuseChanges(layout, settings);
            } else {
                layout = samePorts(before, settings) ? before.get() : ClusterLayout.of(settings);
            }
            start(folder, layout, settings, running);
        }
        return 0;
    }

    private void start(ClusterFolder folder, ClusterLayout layout, ClusterSettings settings, boolean running)
            throws Exception {
        Daemons daemons = folder.daemons(layout, Daemons.Answers.LATE);
        List<String> missing = daemons.missing().stream().map(Daemon::name).toList();
        PrintWriter out = cluster.out();
        ClusterFiles files = new ClusterFiles(cluster.folder(), layout);
        if (running) {
            files.renewTopologyJar(settings.dist());
        }
        if (missing.isEmpty()) {
            out.printf("the cluster in %s is up already%n", cluster.folder());
        } else {
            Assembly.check(settings.dist());
            checkPorts(layout, missing, running);
            checkMemory(missing);
            if (!running) {
                files.write(settings);
            }
            long begun = System.nanoTime();
            daemons.startMissing(progress(daemons, layout));
            out.printf(Locale.ROOT, "all is up after %.1f s%n", (System.nanoTime() - begun) / 1e9);
        }
        out.println(next(files));
        out.flush();
    }

    private Daemons.Progress progress(Daemons daemons, ClusterLayout layout) {
        return new Daemons.Progress() {
            @Override
            public void done(String name, String what, long millis) {
                cluster.out()
                        .printf(
                                Locale.ROOT,
                                "%-14s %s after %4.1f s   process %d   %s%n",
                                name,
                                what,
                                millis / 1000.0,
                                daemons.get(name).pid(),
                                layout.address(name));
                cluster.out().flush();
            }

            @Override
            public void notice(String text) {
                cluster.err().println("cluster: " + text);
                cluster.err().flush();
            }
        };
    }

    private ClusterSettings settings(Optional<ClusterLayout> before) {
        int count = choose(pairs, before.map(ClusterLayout::pairs), DEFAULT_PAIRS);
        int copies = choose(replication, before.map(ClusterLayout::replication), DEFAULT_REPLICATION);
        return new ClusterSettings(
                cluster.dist(),
                cluster.folder(),
                count,
                choose(slots, before.map(ClusterLayout::slotsOfEach), DEFAULT_SLOTS),
                replication == null ? Math.min(copies, count) : copies,
                base(),
                Map.of(),
                Map.of(),
                List.of());
    }

    private static int choose(@Nullable Integer asked, Optional<Integer> before, int otherwise) {
        return asked != null ? asked : before.orElse(otherwise);
    }

    private int base() {
        if (ports == null) {
            return DEFAULT_BASE;
        }
        if (ports.equals("free")) {
            return 0;
        }
        try {
            return Integer.parseInt(ports);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("--ports: expected a number or 'free', got '" + ports + "'", e);
        }
    }

    private boolean samePorts(Optional<ClusterLayout> before, ClusterSettings settings) {
        return ports == null
                && before.isPresent()
                && before.get().pairs() == settings.pairs()
                && before.get().slotsOfEach() == settings.slots()
                && before.get().replication() == settings.replication();
    }

    private void refuseChanges(ClusterLayout running, ClusterSettings asked) {
        if (ports != null && asked.basePort() != running.port(ClusterLayout.ZOOKEEPER) && asked.basePort() != 0) {
            throw changed("--ports", running.port(ClusterLayout.ZOOKEEPER), ports);
        }
        if (running.pairs() != asked.pairs()) {
            throw changed("--pairs", running.pairs(), pairs);
        }
        if (running.slotsOfEach() != asked.slots()) {
            throw changed("--slots", running.slotsOfEach(), slots);
        }
        if (running.replication() != asked.replication()) {
            throw changed("--replication", running.replication(), replication);
        }
    }

    private static IllegalArgumentException changed(String option, int is, @Nullable Object asked) {
        return new IllegalArgumentException(
                option + ": the cluster runs with " + is + ", asked for " + asked + "; take it down first");
    }

    private static void checkPorts(ClusterLayout layout, Collection<String> missing, boolean running)
            throws IOException {
        Set<Integer> wanted = new HashSet<>();
        for (String name : missing) {
            layout.of(name).values().forEach(address -> wanted.add(address.port()));
        }
        List<String> taken = new ArrayList<>();
        for (Map.Entry<Integer, String> use : layout.uses().entrySet()) {
            // The slots of a Supervisor that died may well be taken: by its workers.
            if (wanted.contains(use.getKey()) || !running) {
                Optional<String> taker = Ports.taker(use.getKey());
                taker.ifPresent(
                        who -> taken.add("port " + use.getKey() + " (" + use.getValue() + ") is taken by " + who));
            }
        }
        if (!taken.isEmpty()) {
            throw new IOException(String.join("\n         ", taken)
                    + "\n         End that, or start with --ports BASE or --ports free"
                    + (running ? " after taking the cluster down." : "."));
        }
    }

    private void checkMemory(List<String> missing) throws IOException {
        OptionalLong available = Memory.available();
        if (available.isEmpty() || ignoreMemory) {
            return;
        }
        long needed = Memory.needed(missing);
        int workers = (int)
                missing.stream().filter(name -> name.startsWith("supervisor")).count();
        if (available.getAsLong() < needed) {
            throw new IOException("the " + missing.size() + " processes to be started need " + megabytes(needed)
                    + " of memory, and " + megabytes(available.getAsLong()) + " are available; end something, take"
                    + " fewer (--pairs 1 --replication 1), or --ignore-memory");
        }
        if (available.getAsLong() < needed + workers * Memory.WORKER) {
            cluster.err()
                    .println("cluster: memory suffices for the daemons, but hardly for a topology with a worker on each"
                            + " Supervisor: that takes "
                            + megabytes(workers * Memory.WORKER)
                            + " more than the "
                            + megabytes(available.getAsLong() - needed)
                            + " that stay free");
            cluster.err().flush();
        }
    }

    private static String megabytes(long bytes) {
        return (bytes >> 20) + " MB";
    }

    private static String next(ClusterFiles files) {
        return """

                Submit the topology:  %1$s/bin/storm jar --jars %2$s %3$s \
                                      io.waterwheel.topology.WaterwheelTopology --config %4$s
                See topologies:       %1$s/bin/storm list
                See the daemons:      deploy/cluster/cluster status""".formatted(files.stormHome, files.executorJar(), files.topologyJar(), files.waterwheelYaml());
    }
}
