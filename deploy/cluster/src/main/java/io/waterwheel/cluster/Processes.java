package io.waterwheel.cluster;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The machine's processes, as {@code /proc} shows them. Stateless; ids of processes are used again, so most take two.
 */
final class Processes {
    /** No such process. */
    static final long GONE = -1;

    private static final Path PROC = Path.of("/proc");
    private static final long POLL_MILLIS = 20;
    private static final long PAGE_BYTES = 4096;

    private Processes() {}

    /** When the process started, in the kernel's ticks since it booted; {@link #GONE} when it is not there, or dead. */
    static long started(long pid) {
        String stat;
        try {
            stat = Files.readString(PROC.resolve(pid + "/stat"), StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            return GONE;
        }
        // PID (NAME) STATE ...: a name may hold anything, parentheses too. The start is the 22nd field.
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
        boolean dead = fields[0].equals("Z") || fields[0].equals("X");
        return dead ? GONE : Long.parseLong(fields[19]);
    }

    /** Whether it is stopped by a signal. */
    static boolean isPaused(long pid) {
        try {
            String stat = Files.readString(PROC.resolve(pid + "/stat"), StandardCharsets.ISO_8859_1);
            return stat.startsWith("T", stat.lastIndexOf(')') + 2);
        } catch (IOException e) {
            return false;
        }
    }

    /** Its arguments, the program first; empty when it is not there. */
    static List<String> commandLine(long pid) {
        try {
            String text = Files.readString(PROC.resolve(pid + "/cmdline"), StandardCharsets.ISO_8859_1);
            return text.isEmpty() ? List.of() : List.of(text.split("\0", -1));
        } catch (IOException e) {
            return List.of();
        }
    }

    /** Memory that it holds at present, in bytes; 0 when it is not there. */
    static long residentBytes(long pid) {
        try {
            String text = Files.readString(PROC.resolve(pid + "/statm"), StandardCharsets.ISO_8859_1);
            return Long.parseLong(text.split(" ", -1)[1]) * PAGE_BYTES;
        } catch (IOException e) {
            return 0;
        }
    }

    /** Every living process that was started with exactly this argument. */
    static List<Long> withArgument(String argument) throws IOException {
        List<Long> found = new ArrayList<>();
        for (long pid : all()) {
            if (commandLine(pid).contains(argument) && started(pid) != GONE) {
                found.add(pid);
            }
        }
        return found;
    }

    static List<Long> all() throws IOException {
        List<Long> pids = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(PROC, "[0-9]*")) {
            // Names of a folder are read at once; a process that has ended since is missed when it is looked at.
            for (Path entry : entries) {
                pids.add(Long.parseLong(entry.getFileName().toString()));
            }
        }
        return pids;
    }

    /** Sends a signal by its name, {@code KILL} or {@code STOP} for instance; nothing happens when it is not there. */
    static void signal(long pid, String name) throws InterruptedException {
        try {
            Process kill = new ProcessBuilder("kill", "-" + name, Long.toString(pid))
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            kill.waitFor();
        } catch (IOException e) {
            throw new IllegalStateException("there is no kill program on PATH", e);
        }
    }

    /** Waits until the process that started then is gone; false when it is still there after that time. */
    static boolean awaitGone(long pid, long started, Duration patience) throws InterruptedException {
        long deadline = System.nanoTime() + patience.toNanos();
        while (started(pid) == started) {
            if (System.nanoTime() - deadline >= 0) {
                return false;
            }
            TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
        }
        return true;
    }
}
