package io.waterwheel.embedded;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.storm.Config;
import org.apache.storm.DaemonConfig;
import org.apache.storm.LocalCluster;
import org.apache.storm.daemon.supervisor.StandaloneSupervisor;
import org.apache.storm.daemon.supervisor.Supervisor;
import org.apache.storm.messaging.IContext;
import org.apache.storm.messaging.local.Context;

/**
 * A local cluster of Storm, in a process of its own: when an event of Storm, a task or one of its timers fails, it ends
 * the JVM that it is in.
 */
final class LocalStorm {
    /** For what the process says: longer than all that it waits for itself. */
    static final Duration PATIENCE = Duration.ofMinutes(12);

    private static final int FIRST_SLOT = 1024;

    private LocalStorm() {}

    /** Starts the process; what is temporary to Storm lies in the folder, since it is killed. */
    static CommandProcess start(Path folder, Class<?> main, String... args) throws IOException {
        Path temporary = Files.createDirectories(folder.resolve("storm"));
        List<String> options = new ArrayList<>(List.of("-Xmx1g", "-Djava.io.tmpdir=" + temporary.toAbsolutePath()));
        options.addAll(ChildJvm.QUICK);
        return CommandProcess.run(folder, options, main.getName(), args);
    }

    /** What is done in that process before it waits for its end. */
    interface Body {
        void run() throws Exception;
    }

    /**
     * In that process: runs the body, and goes on until it is killed or its standard input ends, as it does when the
     * test's JVM ends in whatever way. Where the body fails the process ends: the threads of Storm would keep it.
     */
    static void serve(Body body) throws InterruptedException {
        Thread parent = new Thread(LocalStorm::awaitParentsEnd, "parent");
        parent.setDaemon(true);
        parent.start();
        try {
            body.run();
        } catch (Throwable e) {
            e.printStackTrace();
            Runtime.getRuntime().halt(1);
        }
        parent.join();
    }

    /** Ends the process at once: to stop in order, Storm waits for its timers. */
    private static void awaitParentsEnd() {
        try {
            long unused = System.in.transferTo(OutputStream.nullOutputStream());
        } catch (IOException e) {
            System.err.println("standard input: " + e);
        }
        Runtime.getRuntime().halt(0);
    }

    /**
     * In that process: the cluster. Its own way to start a supervisor tells it of Nimbus only when it runs already: one
     * that asks for its assignments before ends the process.
     *
     * @param builder of a cluster without supervisors
     * @param slots for workers
     */
    @SuppressWarnings("deprecation") // LocalCluster itself prepares the context so
    static LocalCluster cluster(LocalCluster.Builder builder, int slots) throws Exception {
        LocalCluster cluster = builder.withSupervisors(0).build();
        Map<String, Object> conf = new HashMap<>(cluster.getDaemonConf());
        List<Integer> ports = new ArrayList<>();
        for (int slot = 0; slot < slots; slot++) {
            ports.add(FIRST_SLOT + slot);
        }
        conf.put(DaemonConfig.SUPERVISOR_SLOTS_PORTS, ports);
        conf.put(Config.STORM_LOCAL_DIR, Files.createTempDirectory("supervisor").toString());
        // As LocalCluster has it: topologies stop sooner so.
        conf.put(DaemonConfig.SUPERVISOR_MONITOR_FREQUENCY_SECS, 1);
        IContext context = new Context();
        context.prepare(conf);
        Supervisor supervisor = new Supervisor(conf, context, new StandaloneSupervisor(), cluster.getMetricRegistry());
        supervisor.setLocalNimbus(cluster.getNimbus());
        supervisor.launch();
        cluster.getNimbus().addSupervisor(supervisor);
        return cluster;
    }
}
