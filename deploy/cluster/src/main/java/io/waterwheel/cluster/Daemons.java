package io.waterwheel.cluster;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The daemons of a cluster: what each is, when it may start and when it is ready, and the order in which all end.
 * Owner: one thread at a time.
 */
final class Daemons {
    /** For a machine whose processors are all taken: a quiet one is done in half a minute. */
    static final Duration PATIENCE = Duration.ofMinutes(10);

    private static final Duration NOTICE = Duration.ofMinutes(1);
    private static final long POLL_MILLIS = 100;

    /** How long daemons may take to answer a question. */
    enum Answers {
        /** While they start: their processors are busy. */
        LATE(10_000, 30_000),
        /** For one who looks at a cluster that should be up. */
        SOON(2_000, 10_000);

        private final int httpMillis;
        private final int nimbusMillis;

        Answers(int httpMillis, int nimbusMillis) {
            this.httpMillis = httpMillis;
            this.nimbusMillis = nimbusMillis;
        }
    }

    /** What is told while daemons start and end. */
    interface Progress {
        Progress SILENT = (daemon, what, millis) -> {};

        /** It is up, or has ended; so long it took. */
        void done(String daemon, String what, long millis);

        /** What takes longer, or goes another way, than people expect. */
        default void notice(String text) {}
    }

    private final ClusterLayout layout;
    private final ClusterFiles files;
    private final Commands commands;
    private final Runs runs;
    private final Workers workers;
    private final StormClient storm;
    private final Answers answers;
    /** Hosts of the Supervisors that Nimbus named in this round; null before it is asked. */
    private @Nullable Set<String> supervisors;

    private final Map<String, Daemon> daemons = new LinkedHashMap<>();

    /** @param places of those that run elsewhere than on loopback, by name */
    Daemons(
            ClusterLayout layout,
            ClusterFiles files,
            boolean surviveThisProcess,
            Map<String, ClusterSettings.Place> places,
            Answers answers)
            throws IOException {
        this.layout = layout;
        this.files = files;
        this.commands = new Commands(files);
        this.runs = new Runs(files, commands::prepare);
        this.workers = new Workers(layout, files.mark());
        this.storm = new StormClient(layout.address(ClusterLayout.NIMBUS), answers.nimbusMillis);
        this.answers = answers;
        PidFiles pids = new PidFiles(files.folder);
        Daemon.Manner manner = new Daemon.Manner(surviveThisProcess, commands::prepare);
        for (String name : layout.daemons()) {
            List<Integer> ports = layout.of(name).values().stream()
                    .map(ClusterLayout.Address::port)
                    .toList();
            List<String> command = new ArrayList<>();
            ClusterSettings.Place place = places.get(name);
            if (place != null) {
                command.addAll(place.prefix());
            }
            command.addAll(command(name));
            daemons.put(name, new Daemon(name, command, ports, files.log(name), ready(name), pids, manner));
        }
    }

    private List<String> command(String name) {
        int pair = pair(name);
        return switch (kind(name)) {
            case ClusterLayout.ZOOKEEPER -> commands.zooKeeper();
            case ClusterLayout.KAFKA -> commands.kafka();
            case ClusterLayout.NAMENODE -> commands.nameNode();
            case ClusterLayout.NIMBUS -> commands.nimbus();
            case "datanode" -> commands.dataNode(pair);
            case "supervisor" -> commands.supervisor(pair);
            default -> throw new IllegalArgumentException("no command for " + name);
        };
    }

    private Daemon.Ready ready(String name) {
        return switch (kind(name)) {
            case ClusterLayout.NIMBUS -> storm::answers;
            case "datanode" -> () -> isRegistered(name) && hdfsTakesWrites();
            case "supervisor" ->
                () -> supervisors().contains(layout.address(name).host());
            default -> () -> true;
        };
    }

    /** Asked once for all of them: Nimbus may take long. */
    private Set<String> supervisors() {
        Set<String> named = supervisors;
        if (named == null) {
            named = storm.supervisors();
            supervisors = named;
        }
        return named;
    }

    private static String kind(String name) {
        int hyphen = name.indexOf('-');
        return hyphen < 0 ? name : name.substring(0, hyphen);
    }

    private static int pair(String name) {
        int hyphen = name.indexOf('-');
        return hyphen < 0 ? 0 : Integer.parseInt(name.substring(hyphen + 1));
    }

    /** What must be ready before it starts. */
    private static String needs(String name) {
        return switch (kind(name)) {
            case ClusterLayout.NIMBUS, "supervisor" -> ClusterLayout.ZOOKEEPER;
            case "datanode" -> ClusterLayout.NAMENODE;
            default -> "";
        };
    }

    private boolean isRegistered(String dataNode) {
        ClusterLayout.Address http = layout.address(dataNode + ".http");
        return bean(http, "Hadoop:service=DataNode,name=DataNodeInfo").contains("\\\"ActorState\\\":\\\"RUNNING\\\"");
    }

    /** Out of safe mode: the port is open long before. */
    private boolean hdfsTakesWrites() {
        return bean(layout.address(ClusterLayout.NAMENODE_HTTP), "Hadoop:service=NameNode,name=FSNamesystemState")
                .contains("\"FSState\":\"Operational\"");
    }

    /** What a Hadoop daemon says of itself, without blanks; empty when it does not answer. */
    private String bean(ClusterLayout.Address http, String name) {
        try {
            var connection =
                    URI.create("http://" + http + "/jmx?qry=" + name).toURL().openConnection();
            connection.setConnectTimeout(answers.httpMillis);
            connection.setReadTimeout(answers.httpMillis);
            try (InputStream answer = connection.getInputStream()) {
                return new String(answer.readAllBytes(), StandardCharsets.UTF_8).replace(" ", "");
            }
        } catch (IOException e) {
            return "";
        }
    }

    Daemon get(String name) {
        Daemon daemon = daemons.get(name);
        if (daemon == null) {
            throw new IllegalArgumentException("there is no daemon '" + name + "', only " + daemons.keySet());
        }
        return daemon;
    }

    Collection<Daemon> all() {
        return daemons.values();
    }

    Workers workers() {
        return workers;
    }

    StormClient storm() {
        return storm;
    }

    Runs runs() {
        return runs;
    }

    Commands commands() {
        return commands;
    }

    /** Those that do not run. */
    List<Daemon> missing() {
        return daemons.values().stream().filter(daemon -> !daemon.isAlive()).toList();
    }

    /**
     * Starts those that do not run, each as soon as what it needs is ready, and waits until all are ready.
     *
     * @throws IOException when one does not come up, with the end of its log; the others keep running
     */
    void startMissing(Progress progress) throws IOException, InterruptedException {
        List<Daemon> missing = missing();
        format(missing);
        start(missing, progress);
    }

    /** Starts these, as {@link #startMissing} does. */
    void start(Collection<Daemon> some, Progress progress) throws IOException, InterruptedException {
        new Startup(new Rules(), PATIENCE, NOTICE, progress).run(some);
    }

    private final class Rules implements Startup.Rules {
        @Override
        public Optional<Daemon> needs(Daemon daemon) {
            return Optional.of(Daemons.needs(daemon.name()))
                    .filter(needed -> !needed.isEmpty())
                    .map(Daemons.this::get);
        }

        @Override
        public boolean startsAgain(Daemon daemon) {
            return isStorm(daemon);
        }

        @Override
        public void newRound() {
            supervisors = null;
        }
    }

    private static boolean isStorm(Daemon daemon) {
        return needs(daemon.name()).equals(ClusterLayout.ZOOKEEPER);
    }

    /** Two write their first files before their first start; neither runs anything afterwards. */
    private void format(List<Daemon> waiting) throws IOException, InterruptedException {
        List<Runs.Run> running = new ArrayList<>();
        for (Daemon each : waiting) {
            if (!files.isFormatted(each.name())) {
                boolean kafka = each.name().equals(ClusterLayout.KAFKA);
                running.add(runs.start(
                        each.name() + "-format", kafka ? commands.kafkaFormat() : commands.nameNodeFormat()));
            }
        }
        for (Runs.Run run : running) {
            run.await(PATIENCE);
        }
    }

    /** Ends every process, whichever of them still run: also workers whose Supervisor is gone. */
    void stopAll(Progress progress) throws IOException, InterruptedException {
        List<Daemon> storms = new ArrayList<>();
        List<Daemon> others = new ArrayList<>();
        for (Daemon each : daemons.values()) {
            (isStorm(each) ? storms : others).add(0, each);
        }
        // Supervisors before their workers, or they start others; what workers write to after them.
        stop(storms, progress);
        endWorkers(progress);
        stop(others, progress);
        endStrays();
    }

    private static void stop(List<Daemon> group, Progress progress) throws InterruptedException {
        List<Daemon> alive = group.stream().filter(Daemon::isAlive).toList();
        long begun = System.nanoTime();
        for (Daemon each : alive) {
            each.askToStop();
        }
        for (Daemon each : group) {
            each.stop();
            if (alive.contains(each)) {
                progress.done(each.name(), "down", (System.nanoTime() - begun) / 1_000_000);
            }
        }
    }

    private void endWorkers(Progress progress) throws IOException, InterruptedException {
        for (RealCluster.Worker worker : workers.running()) {
            Processes.signal(worker.pid(), "KILL");
            progress.done("worker " + worker.port(), "down", 0);
        }
    }

    /** Whatever is left: the processes through which workers run, a daemon whose start was interrupted. */
    private void endStrays() throws IOException, InterruptedException {
        long self = ProcessHandle.current().pid();
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        List<Long> left = Processes.withArgument(files.mark());
        while (left.stream().anyMatch(pid -> pid != self)) {
            for (long pid : left) {
                if (pid != self) {
                    Processes.signal(pid, "KILL");
                }
            }
            if (System.nanoTime() - deadline >= 0) {
                throw new IOException("these processes cannot be ended: " + left);
            }
            TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
            left = Processes.withArgument(files.mark());
        }
    }
}
