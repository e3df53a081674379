package io.waterwheel.benchmark.endtoend;

import io.waterwheel.benchmark.Options;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What does a process take of the processors, and which of its threads? For a gateway or a server that is idle, or
 * beside a load. Threads whose names differ in their numbers only are one line; the kernel keeps the first 15
 * characters of a name. Linux only.
 *
 * <pre>
 * ./waterwheel server --data FOLDER gateway.in-server=none &amp; ./waterwheel gateway &amp;
 * java -cp benchmark/target/classes io.waterwheel.benchmark.endtoend.ProcessTimes pid=PID
 * </pre>
 *
 * Options: pid, seconds (that are measured), most (lines of threads).
 */
public final class ProcessTimes {
    private static final double CLOCK_TICKS_A_SECOND = 100;

    private ProcessTimes() {}

    /**
     * A line of {@code /proc/PID/task/TID/stat}, or of the process itself.
     *
     * @param name of the thread; its numbers are {@code N}
     * @param user ticks of a hundredth of a second in its own code
     * @param system such ticks in the kernel
     */
    record Ticks(String name, long user, long system) {
        static Ticks parse(String stat) {
            // The name may hold blanks and parentheses: what follows is behind the last one.
            int begin = stat.indexOf('(');
            int end = stat.lastIndexOf(')');
            if (begin < 0 || end < begin) {
                throw new IllegalArgumentException("no line of /proc/PID/stat: '" + stat + "'");
            }
            String[] fields = stat.substring(end + 2).split(" ", -1);
            return new Ticks(
                    stat.substring(begin + 1, end).replaceAll("\\d+", "N"),
                    Long.parseLong(fields[11]),
                    Long.parseLong(fields[12]));
        }

        Ticks since(Ticks before) {
            return new Ticks(name, user - before.user, system - before.system);
        }

        Ticks and(Ticks other) {
            return new Ticks(name, user + other.user, system + other.system);
        }

        long all() {
            return user + system;
        }
    }

    public static void main(String[] arguments) throws Exception {
        Options options = new Options(arguments, "pid", "0", "seconds", "30", "most", "10");
        Path process = Path.of("/proc", options.text("pid"));
        if (!Files.isReadable(process.resolve("stat"))) {
            throw new IllegalArgumentException("pid: expected that of a process of this machine, got '"
                    + options.text("pid") + "'; it has no " + process.resolve("stat"));
        }
        int seconds = options.integer("seconds");
        options.printMachine();
        Ticks processBefore = Ticks.parse(Files.readString(process.resolve("stat")));
        Map<String, Ticks> before = threads(process);
        long begin = System.nanoTime();
        TimeUnit.SECONDS.sleep(seconds);
        Ticks whole = Ticks.parse(Files.readString(process.resolve("stat"))).since(processBefore);
        Map<String, Ticks> after = threads(process);
        double elapsed = (System.nanoTime() - begin) / 1e9;
        // Of the process: the time of threads that have ended is in it, too.
        System.out.printf(
                Locale.ROOT,
                "process %s: %.2f %% of a core in %.1f s, of these %.2f in the kernel%n",
                options.text("pid"),
                percent(whole.all(), elapsed),
                elapsed,
                percent(whole.system(), elapsed));
        for (Ticks one :
                byName(before, after).stream().limit(options.integer("most")).toList()) {
            System.out.printf(
                    Locale.ROOT,
                    "  %-16s %6.2f %%, of these %.2f in the kernel%n",
                    one.name(),
                    percent(one.all(), elapsed),
                    percent(one.system(), elapsed));
        }
    }

    private static double percent(long ticks, double seconds) {
        return 100 * ticks / CLOCK_TICKS_A_SECOND / seconds;
    }

    /** What threads took between two looks, those of a name together; most first. */
    static List<Ticks> byName(Map<String, Ticks> before, Map<String, Ticks> after) {
        Map<String, Ticks> names = new TreeMap<>();
        after.forEach((thread, ticks) -> {
            Ticks first = before.get(thread);
            names.merge(ticks.name(), first == null ? ticks : ticks.since(first), Ticks::and);
        });
        return names.values().stream()
                .filter(ticks -> ticks.all() > 0)
                .sorted(Comparator.comparingLong(Ticks::all).reversed())
                .toList();
    }

    /** Of all threads there are now, by their number. */
    private static Map<String, Ticks> threads(Path process) throws IOException {
        Map<String, Ticks> all = new HashMap<>();
        try (DirectoryStream<Path> tasks = Files.newDirectoryStream(process.resolve("task"))) {
            for (Path task : tasks) {
                Ticks ticks = thread(task);
                if (ticks != null) {
                    all.put(String.valueOf(task.getFileName()), ticks);
                }
            }
        }
        return all;
    }

    /** Of one thread; null where it has ended meanwhile. */
    private static @Nullable Ticks thread(Path task) throws IOException {
        try {
            return Ticks.parse(Files.readString(task.resolve("stat")));
        } catch (IOException e) {
            if (Files.exists(task)) {
                throw e;
            }
            return null;
        }
    }
}
