package io.waterwheel.cluster;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * One server process that can be started, killed and started again on the same data. It need not be a child of this
 * process: one that an earlier process started is found by its pid file. Owner: one thread at a time.
 */
public final class Daemon {
    private static final Duration STOP_PATIENCE = Duration.ofSeconds(15);
    private static final Duration KILL_PATIENCE = Duration.ofMinutes(1);
    private static final int TAIL_BYTES = 6_000;

    /** What a daemon must be able to do before it counts as up, beyond owning its ports. */
    interface Ready {
        boolean now() throws IOException, InterruptedException;
    }

    /** How the processes of a cluster are started. */
    record Manner(boolean survivesThisProcess, Consumer<Map<String, String>> environment) {}

    private final String name;
    private final List<String> command;
    private final List<Integer> ports;
    private final Path log;
    private final Ready ready;
    private final PidFiles pids;
    private final Manner manner;

    Daemon(
            String name,
            List<String> command,
            Collection<Integer> ports,
            Path log,
            Ready ready,
            PidFiles pids,
            Manner manner) {
        this.name = name;
        this.command = List.copyOf(command);
        this.ports = List.copyOf(ports);
        this.log = log;
        this.ready = ready;
        this.pids = pids;
        this.manner = manner;
    }

    /** What it is called: {@code zookeeper}, {@code kafka}, {@code namenode}, {@code datanode-1} and so on. */
    public String name() {
        return name;
    }

    Path log() {
        return log;
    }

    /** Starts the process; it is up some seconds later, see {@link #isReady}. */
    void start() throws IOException {
        if (isAlive()) {
            throw new IllegalStateException(name + " is running already, as process " + pid());
        }
        List<String> line = new ArrayList<>();
        if (manner.survivesThisProcess()) {
            // A session of its own: the terminal's hang-up and interrupts are not for it. The process stays the same.
            line.add("setsid");
        }
        line.addAll(command);
        ProcessBuilder builder = new ProcessBuilder(line)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()));
        manner.environment().accept(builder.environment());
        pids.record(name, builder.start().pid());
    }

    /** Whether it can be used: its process listens on all its ports, and it says so. */
    boolean isReady() throws IOException, InterruptedException {
        return isReady(new Ports.Moment());
    }

    /** The same, for one who looks at many at a time: whether it listened at that moment. */
    boolean isReady(Ports.Moment moment) throws IOException, InterruptedException {
        Optional<PidFiles.Entry> now = alive();
        if (now.isEmpty()) {
            return false;
        }
        for (int port : ports) {
            if (!moment.ownedBy(now.get().pid(), port)) {
                return false;
            }
        }
        return ready.now();
    }

    /** Whether some process listens on one of its ports; it itself must not run. */
    boolean isPortTaken() throws IOException {
        for (int port : ports) {
            if (Ports.taker(port).isPresent()) {
                return true;
            }
        }
        return false;
    }

    String howItEnded(boolean wasReady) {
        return name + " ended " + (wasReady ? "after" : "before") + " it was ready";
    }

    /** What to say of one that has ended: who has its ports, and the end of its log. */
    IOException whyItEnded(boolean wasReady) throws IOException {
        StringBuilder text = new StringBuilder(howItEnded(wasReady));
        for (int port : ports) {
            Ports.taker(port).ifPresent(who -> text.append("; its port " + port + " is taken by " + who));
        }
        return new IOException(text + "; its log ends:\n" + tail());
    }

    IOException tooLate(Duration patience) throws IOException {
        Optional<PidFiles.Entry> now = alive();
        for (int port : ports) {
            if (now.isPresent() && !Ports.ownedBy(now.get().pid(), port)) {
                return new IOException(name + " did not listen on port " + port + " within " + patience.toSeconds()
                        + " s; its log ends:\n" + tail());
            }
        }
        return new IOException(
                name + " listens, but was not ready within " + patience.toSeconds() + " s; its log ends:\n" + tail());
    }

    private Optional<PidFiles.Entry> alive() {
        return pids.read(name).filter(PidFiles.Entry::isAlive);
    }

    /** Whether its process runs; a paused one does. */
    public boolean isAlive() {
        return alive().isPresent();
    }

    /** Whether it was started and runs no longer although this process did not end it. */
    boolean endedByItself() {
        return pids.read(name).filter(started -> !started.isAlive()).isPresent();
    }

    /** The process's id; it must have been started. */
    public long pid() {
        return pids.read(name)
                .orElseThrow(() -> new IllegalStateException(name + " was not started"))
                .pid();
    }

    /** Ends the process as a crash would: {@code kill -9}. Returns when it is gone. */
    public void kill() throws InterruptedException {
        Optional<PidFiles.Entry> now = alive();
        if (now.isPresent()) {
            Processes.signal(now.get().pid(), "KILL");
            if (!Processes.awaitGone(now.get().pid(), now.get().started(), KILL_PATIENCE)) {
                throw new IllegalStateException(name + ", process " + now.get().pid() + ", cannot be killed");
            }
        }
        pids.forget(name);
    }

    /** Stops it where it is, as a machine that hangs would be: {@code kill -STOP}. Its connections stay open. */
    public void pause() throws InterruptedException {
        Processes.signal(pid(), "STOP");
    }

    /** Lets a paused process go on. */
    public void resume() throws InterruptedException {
        Processes.signal(pid(), "CONT");
    }

    /** Asks the process to end; a paused one is woken for it. */
    void askToStop() throws InterruptedException {
        Optional<PidFiles.Entry> now = alive();
        if (now.isPresent()) {
            Processes.signal(now.get().pid(), "TERM");
            Processes.signal(now.get().pid(), "CONT");
        }
    }

    /** Ends the process: asks it to, and kills it when it does not listen. */
    void stop() throws InterruptedException {
        askToStop();
        Optional<PidFiles.Entry> now = alive();
        if (now.isPresent() && !Processes.awaitGone(now.get().pid(), now.get().started(), STOP_PATIENCE)) {
            kill();
        }
        pids.forget(name);
    }

    /** The end of its log. */
    public String tail() {
        return tail(log, TAIL_BYTES);
    }

    static String tail(Path file, int most) {
        try (RandomAccessFile reader = new RandomAccessFile(file.toFile(), "r")) {
            long length = reader.length();
            byte[] bytes = new byte[(int) Math.min(length, most)];
            reader.seek(length - bytes.length);
            reader.readFully(bytes);
            return new String(bytes, StandardCharsets.UTF_8);
        } catch (IOException e) {
            return "(" + file + " cannot be read: " + e + ")";
        }
    }
}
