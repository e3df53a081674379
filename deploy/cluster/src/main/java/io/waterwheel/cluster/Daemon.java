package io.waterwheel.cluster;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One server process that can be started, killed and started again on the same data. Owner: one thread at a time. */
public final class Daemon {
    private static final Duration STOP_PATIENCE = Duration.ofSeconds(10);
    private static final long POLL_MILLIS = 50;
    private static final int TAIL_BYTES = 6_000;

    /** What a daemon must be able to do before it counts as up, beyond owning its ports. */
    interface Ready {
        boolean now() throws IOException, InterruptedException;
    }

    private final String name;
    private final List<String> command;
    private final List<Integer> ports;
    private final Path log;
    private final Ready ready;
    private final Reaper reaper;
    private @Nullable Process process;

    Daemon(String name, List<String> command, List<Integer> ports, Path log, Ready ready, Reaper reaper) {
        this.name = name;
        this.command = List.copyOf(command);
        this.ports = List.copyOf(ports);
        this.log = log;
        this.ready = ready;
        this.reaper = reaper;
    }

    /** What it is called in logs: {@code zookeeper}, {@code kafka}, {@code namenode} and so on. */
    public String name() {
        return name;
    }

    /** Starts the process; it is up some seconds later, see {@link #awaitReady}. */
    void start() throws IOException {
        if (isAlive()) {
            throw new IllegalStateException(name + " is running already, as process " + pid());
        }
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()));
        // The supervisor starts workers with this Java, and otherwise with the first on the path: one for all.
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        process = builder.start();
        reaper.watch(name, pid());
    }

    /**
     * Waits until the process listens on all its ports and is ready.
     *
     * @throws IOException when it ends, or takes too long; with the end of its log
     */
    void awaitReady(Duration patience) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + patience.toNanos();
        for (int port : ports) {
            await("listen on port " + port, deadline, patience, () -> Ports.ownedBy(pid(), port));
        }
        await("be ready", deadline, patience, ready);
    }

    private void await(String what, long deadline, Duration patience, Ready condition)
            throws IOException, InterruptedException {
        while (!condition.now()) {
            if (!isAlive()) {
                throw new IOException(name + " ended before it could " + what + ":\n" + tail());
            }
            if (System.nanoTime() - deadline >= 0) {
                throw new IOException(
                        name + " did not " + what + " within " + patience.toSeconds() + " s; its log ends:\n" + tail());
            }
            TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
        }
    }

    /** Whether its process runs. */
    public boolean isAlive() {
        Process now = process;
        return now != null && now.isAlive();
    }

    /** The process's id; it must have been started. */
    public long pid() {
        Process now = process;
        if (now == null) {
            throw new IllegalStateException(name + " was not started");
        }
        return now.pid();
    }

    /** Ends the process as a crash would: {@code kill -9}. Returns when it is gone. */
    public void kill() throws InterruptedException {
        Process now = process;
        if (now != null) {
            now.destroyForcibly().waitFor();
            reaper.forget(name);
        }
    }

    /** Ends the process: asks it to, and kills it when it does not listen. */
    void stop() throws InterruptedException {
        Process now = process;
        if (now != null && now.isAlive()) {
            now.destroy();
            if (!now.waitFor(STOP_PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
                kill();
            }
        }
        reaper.forget(name);
    }

    /** The end of its log. */
    public String tail() {
        return tail(log, TAIL_BYTES);
    }

    static String tail(Path file, int most) {
        try {
            byte[] bytes = Files.readAllBytes(file);
            int length = Math.min(bytes.length, most);
            return new String(bytes, bytes.length - length, length, StandardCharsets.UTF_8);
        } catch (IOException e) {
            return "(" + file + " cannot be read: " + e + ")";
        }
    }
}
