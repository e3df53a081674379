package io.waterwheel.embedded.faults;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.waterwheel.embedded.ChildJvm;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A JVM of this class path that says a line when it is ready; it can be killed outright, stopped and woken. */
final class ChildProcess implements AutoCloseable {
    private static final Duration START_PATIENCE = Duration.ofMinutes(5);
    private static final int LOG_LINES_SHOWN = 40;

    private final String name;
    private final Process process;
    private final Path log;
    /** The line that it says when it is ready; empty when it ends without. */
    private final CompletableFuture<String> line;

    private boolean stopped;

    private ChildProcess(String name, Process process, Path log, CompletableFuture<String> line) {
        this.name = name;
        this.process = process;
        this.log = log;
        this.line = line;
    }

    /**
     * Starts it; it is not ready yet.
     *
     * @param readyPrefix what the line on its standard output begins with
     */
    static ChildProcess launch(
            String name, Path logs, List<String> jvmOptions, String mainClass, List<String> args, String readyPrefix)
            throws IOException {
        Files.createDirectories(logs);
        List<String> command = ChildJvm.command(jvmOptions, mainClass, args);
        Path log = logs.resolve(name + "-" + System.nanoTime() + ".log");
        Process process =
                new ProcessBuilder(command).redirectError(log.toFile()).start();
        BufferedReader out = process.inputReader(UTF_8);
        CompletableFuture<String> line = CompletableFuture.supplyAsync(() -> out.lines()
                .filter(text -> text.startsWith(readyPrefix))
                .findFirst()
                .orElse(""));
        return new ChildProcess(name, process, log, line);
    }

    /**
     * Waits for its line.
     *
     * @throws IOException with the end of its log when it does not come up
     */
    ChildProcess awaitReady() throws IOException, InterruptedException {
        String ready = "";
        try {
            ready = line.get(START_PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (TimeoutException | ExecutionException e) {
            process.destroyForcibly().waitFor();
            throw new IOException(name + " is not ready after " + START_PATIENCE + "; its log ends:\n" + tail(log), e);
        }
        if (ready.isEmpty()) {
            process.destroyForcibly().waitFor();
            throw new IOException(name + " ended before it was ready; its log ends:\n" + tail(log));
        }
        return this;
    }

    private static String tail(Path log) throws IOException {
        List<String> lines = Files.readAllLines(log);
        return String.join("\n", lines.subList(Math.max(0, lines.size() - LOG_LINES_SHOWN), lines.size()));
    }

    /** The line that it said; for one that is ready. */
    String ready() {
        return line.join();
    }

    long pid() {
        return process.pid();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** The end of what it wrote on standard error. */
    String logTail() throws IOException {
        String state = process.isAlive() ? "" : " (ended with " + process.exitValue() + ")";
        return log + state + ":\n" + tail(log);
    }

    /** kill -9; returns when it is gone. */
    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    /** SIGSTOP: it stands still, its connections and sessions do not know. */
    void pause() throws IOException, InterruptedException {
        signal("STOP");
        stopped = true;
    }

    /** SIGCONT. */
    void wake() throws IOException, InterruptedException {
        signal("CONT");
        stopped = false;
    }

    private void signal(String signal) throws IOException, InterruptedException {
        Process kill = new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid())).start();
        if (kill.waitFor() != 0) {
            throw new IOException("kill -" + signal + " of " + name + " failed: "
                    + new String(kill.getErrorStream().readAllBytes(), UTF_8));
        }
    }

    @Override
    public void close() throws InterruptedException, IOException {
        if (stopped && process.isAlive()) {
            wake();
        }
        kill();
    }
}
