package io.waterwheel.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.waterwheel.Waiting;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The command line as a process of its own, which signals can be sent to. */
final class CommandProcess implements AutoCloseable {
    /** On a busy machine a server takes a minute to start. */
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    private static final int END_BYTES = 4096;

    private final Process process;
    private final Path out;
    private final Path err;

    private CommandProcess(Process process, Path out, Path err) {
        this.process = process;
        this.out = out;
        this.err = err;
    }

    /** Starts a command with a heap of 1 GB; what it prints goes to files of the folder. */
    static CommandProcess start(Path folder, String... words) throws IOException {
        return start(folder, List.of("-Xmx1g", "-XX:TieredStopAtLevel=1"), words);
    }

    /** Starts a command with these options of the JVM; what it prints goes to files of the folder. */
    static CommandProcess start(Path folder, List<String> options, String... words) throws IOException {
        return run(folder, options, Main.class.getName(), words);
    }

    /** The same with a class of the tests. */
    static CommandProcess run(Path folder, List<String> options, String mainClass, String... words) throws IOException {
        List<String> all = new ArrayList<>(options);
        all.addAll(List.of("-XX:+UseSerialGC", "--add-opens=java.base/java.nio=ALL-UNNAMED"));
        List<String> command = ChildJvm.command(all, mainClass, List.of(words));
        Path out = Files.createTempFile(folder, "out-", ".txt");
        Path err = Files.createTempFile(folder, "err-", ".txt");
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectOutput(out.toFile()).redirectError(err.toFile());
        // Of these the JVM prints a line that is not the command's.
        builder.environment().keySet().removeAll(List.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS"));
        return new CommandProcess(builder.start(), out, err);
    }

    /** The name of a signal that people end commands with: INT, but where the build itself was told not to heed it. */
    static String interrupt() throws IOException {
        Path status = Path.of("/proc/self/status");
        if (Files.exists(status)) {
            for (String line : Files.readAllLines(status)) {
                if (line.startsWith("SigIgn:")
                        && (Long.parseUnsignedLong(line.substring(7).strip(), 16) & 2) != 0) {
                    return "TERM";
                }
            }
        }
        return "INT";
    }

    void signal(String name) throws Exception {
        new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                .start()
                .waitFor();
    }

    /** What its JVM says to a command of {@code jcmd}. */
    String jcmd(String command) throws Exception {
        return jcmd(process.pid(), command);
    }

    /** What the JVM of a process says to a command of {@code jcmd}. */
    static String jcmd(long pid, String command) throws Exception {
        String jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd").toString();
        Process asked = new ProcessBuilder(
                        jcmd, "-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC", Long.toString(pid), command)
                .redirectErrorStream(true)
                .start();
        String said = new String(asked.getInputStream().readAllBytes(), UTF_8);
        if (asked.waitFor() != 0) {
            throw new IOException("jcmd " + command + ": " + said);
        }
        return said;
    }

    /** Its exit code; -1 when it does not end in time. */
    int code(long seconds) throws InterruptedException {
        return process.waitFor(seconds, TimeUnit.SECONDS) ? process.exitValue() : -1;
    }

    long pid() {
        return process.pid();
    }

    boolean alive() {
        return process.isAlive();
    }

    String out() throws IOException {
        return Files.readString(out, UTF_8);
    }

    String err() throws IOException {
        return Files.readString(err, UTF_8);
    }

    /** The end of what it wrote to standard error; also for a thread that was interrupted, whose channels close. */
    String errEnd() throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(err.toFile(), "r")) {
            long length = file.length();
            byte[] end = new byte[(int) Math.min(length, END_BYTES)];
            file.seek(length - end.length);
            file.readFully(end);
            return new String(end, UTF_8);
        }
    }

    /** Ends its standard input, as the end of this JVM does. */
    void endInput() throws IOException {
        process.getOutputStream().close();
    }

    /** Waits for a line on standard output that begins so; empty when the process ends without one. */
    String line(String beginning) throws Exception {
        return line(beginning, PATIENCE);
    }

    /** The same for so long at most; a failure says what it wrote last to standard error. */
    String line(String beginning, Duration patience) throws Exception {
        String[] found = {""};
        try {
            Waiting.until(beginning, patience, () -> {
                found[0] = out().lines()
                        .filter(line -> line.startsWith(beginning))
                        .findFirst()
                        .orElse("");
                return !found[0].isEmpty() || !process.isAlive();
            });
        } catch (AssertionError e) {
            throw new AssertionError(e.getMessage() + "; its standard error ends:\n" + errEnd(), e);
        }
        return found[0];
    }

    /** kill -9. */
    @Override
    public void close() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }
}
