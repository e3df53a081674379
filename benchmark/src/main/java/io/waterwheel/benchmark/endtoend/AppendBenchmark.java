package io.waterwheel.benchmark.endtoend;

import io.waterwheel.benchmark.Options;
import io.waterwheel.benchmark.data.TaxiTuples;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What does {@code waterwheel append} of a file take, the client's start included: how many rows a second, how much of
 * the processors in the client and in the server until queries see all of it, how much memory? Into a stream that is
 * there, of a server of its own. Several checkouts can be compared: they take turns, so that what else the machine does
 * meets all of them. Each turn counts the stream's rows by a query before its figures are printed. Linux only.
 *
 * <pre>
 * java -cp "benchmark/target/classes:$(cat benchmark/target/classpath.txt)" \
 *     io.waterwheel.benchmark.endtoend.AppendBenchmark homes=OTHER_CHECKOUT,.
 * </pre>
 *
 * Options: homes (checkouts, whose launchers are run; the first is what the others are compared with), rows (of
 * {@link TaxiTuples}, as lines such as those of T-Drive), file (taken instead of made rows; with a first line that
 * names its columns), turns (that count; one before them does not, in which the server becomes warm), options (of
 * append, with blanks between), folder (for the file and the servers' data).
 */
public final class AppendBenchmark {
    private static final int HEAD_LINES = 20_000;
    private static final int LOOK_MILLIS = 20;
    private static final Pattern CPU = Pattern.compile("(?m)^processor ([\\d.]+) ([\\d.]+)$");
    private static final Pattern SENT = Pattern.compile("(?m)^(\\d+) tuples accepted, 0 rejected");

    private final Options options;
    private final Path folder;
    private final Path file;
    private final List<Home> homes = new ArrayList<>();

    private AppendBenchmark(Options options) throws IOException {
        this.options = options;
        this.folder = options.text("folder").isEmpty()
                ? Files.createTempDirectory("append-benchmark")
                : Files.createDirectories(Path.of(options.text("folder")));
        this.file = options.text("file").isEmpty() ? made() : Path.of(options.text("file"));
    }

    /** A checkout, its server, and what its turns took. */
    private record Home(Path path, String launcher, LaunchedServer server, List<Turn> turns) {
        String median(ToDoubleFunction<Turn> of) {
            double[] sorted = turns.stream().mapToDouble(of).sorted().toArray();
            return String.format(Locale.ROOT, "%,.2f", sorted[sorted.length / 2]);
        }
    }

    /**
     * What one append took.
     *
     * @param seconds from the command's start to its end
     * @param clientKb the most memory that the client had, and the server until then
     */
    private record Turn(long rows, double seconds, double clientCpu, double serverCpu, long clientKb, long serverKb) {
        double rowsASecond() {
            return rows / seconds;
        }

        double clientMicros() {
            return clientCpu * 1e6 / rows;
        }

        double serverMicros() {
            return serverCpu * 1e6 / rows;
        }

        double micros() {
            return clientMicros() + serverMicros();
        }
    }

    /** What a command said, and how long it took. */
    private record Ran(String said, double seconds, double cpu, long peakKb) {}

    public static void main(String[] arguments) throws Exception {
        Options options = new Options(
                arguments, "homes", ".", "rows", "5_700_000", "file", "", "turns", "3", "options", "", "folder", "");
        new AppendBenchmark(options).run();
    }

    private void run() throws Exception {
        options.printMachine();
        System.out.printf(Locale.ROOT, "file: %s, %,d bytes%n", file, Files.size(file));
        try {
            for (String home : options.text("homes").split(",", -1)) {
                Path path = Path.of(home).toAbsolutePath().normalize();
                String launcher = path.resolve("waterwheel").toString();
                // Builds what is out of date, and makes the archive of classes, before anything is measured.
                run(path, List.of(launcher, "status", "--help"));
                Path data = Files.createDirectories(folder.resolve("server-" + homes.size()));
                homes.add(new Home(path, launcher, LaunchedServer.start(launcher, data, ""), new ArrayList<>()));
            }
            for (int turn = 0; turn <= options.integer("turns"); turn++) {
                for (Home home : homes) {
                    Turn took = turn(home, "taxi" + turn);
                    System.out.printf(
                            Locale.ROOT,
                            "%-11s %s: %,.0f rows/s; client %.2f + server %.2f = %.2f us a row; peak memory client %d MiB,"
                                    + " server %d MiB%n",
                            turn == 0 ? "before them" : "turn " + turn,
                            home.path,
                            took.rowsASecond(),
                            took.clientMicros(),
                            took.serverMicros(),
                            took.micros(),
                            took.clientKb >> 10,
                            took.serverKb >> 10);
                    if (turn > 0) {
                        home.turns.add(took);
                    }
                }
            }
            for (Home home : homes) {
                System.out.println("medians " + home.path + ": " + home.median(Turn::rowsASecond) + " rows/s; client "
                        + home.median(Turn::clientMicros) + ", server " + home.median(Turn::serverMicros)
                        + ", together " + home.median(Turn::micros) + " us a row; peak memory of the client "
                        + home.median(turn -> turn.clientKb / 1024.0) + " MiB");
            }
        } finally {
            for (Home home : homes) {
                home.server.close();
                // Of all turns' rows.
                remove(folder.resolve("server-" + homes.indexOf(home)));
            }
        }
    }

    private static void remove(Path data) throws IOException {
        try (Stream<Path> all = Files.walk(data)) {
            for (Path one : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(one);
            }
        }
    }

    private Turn turn(Home home, String stream) throws Exception {
        Path head = folder.resolve(stream + ".csv");
        try (var lines = Files.lines(file, StandardCharsets.ISO_8859_1)) {
            Files.write(head, lines.limit(HEAD_LINES).toList(), StandardCharsets.ISO_8859_1);
        }
        Path yaml = folder.resolve(stream + ".yaml");
        Files.writeString(
                yaml, run(home.path, command(home, "stream create --like " + head)).said, StandardCharsets.UTF_8);
        run(home.path, command(home, "stream create " + yaml));
        long before = home.server.cpuMillis();
        Ran ran = run(home.path, command(home, "append " + stream + " " + file + " " + options.text("options")));
        double serverCpu = (home.server.cpuMillis() - before) / 1e3;
        Matcher sent = SENT.matcher(ran.said);
        if (!sent.find()) {
            throw new IllegalStateException("append said: " + ran.said);
        }
        long rows = Long.parseLong(sent.group(1));
        String count = run(home.path, command(home, "query " + stream + " --count")).said;
        if (!count.contains(Long.toString(rows))) {
            throw new IllegalStateException("appended " + rows + " rows, and a query counts " + count);
        }
        long serverKb = peakKb(home.server.process().toHandle());
        run(home.path, command(home, "stream drop " + stream));
        return new Turn(rows, ran.seconds, ran.cpu, serverCpu, ran.peakKb, serverKb);
    }

    private static List<String> command(Home home, String words) {
        List<String> command = new ArrayList<>(List.of(home.launcher));
        command.addAll(Arrays.asList(words.strip().split(" +", -1)));
        command.addAll(List.of("--server", home.server.url()));
        return command;
    }

    /** Runs a command to its end, which must be good. */
    private static Ran run(Path home, List<String> words) throws IOException, InterruptedException {
        // The shell knows the processor time of what has ended.
        List<String> command =
                new ArrayList<>(List.of("bash", "-c", "TIMEFORMAT='processor %U %S'; time \"$@\"", "bash"));
        command.addAll(words);
        Path said = Files.createTempFile("append-benchmark", ".txt");
        try {
            long begun = System.nanoTime();
            Process process = new ProcessBuilder(command)
                    .directory(home.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(said.toFile())
                    .start();
            long peak = 0;
            while (!process.waitFor(LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
                peak = Math.max(
                        peak,
                        process.descendants()
                                .mapToLong(AppendBenchmark::peakKb)
                                .max()
                                .orElse(0));
            }
            double seconds = (System.nanoTime() - begun) / 1e9;
            String text = Files.readString(said);
            Matcher cpu = CPU.matcher(text);
            if (process.exitValue() != 0 || !cpu.find()) {
                throw new IllegalStateException(words + " ended with " + process.exitValue() + ": " + text);
            }
            double used = Double.parseDouble(cpu.group(1)) + Double.parseDouble(cpu.group(2));
            return new Ran(text.substring(0, cpu.start()), seconds, used, peak);
        } finally {
            Files.delete(said);
        }
    }

    /** The most memory that a process has had, in KiB; 0 where it has ended. */
    private static long peakKb(ProcessHandle process) {
        try {
            return Files.readAllLines(Path.of("/proc", Long.toString(process.pid()), "status")).stream()
                    .filter(line -> line.startsWith("VmHWM:"))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
                    .sum();
        } catch (IOException e) {
            return 0;
        }
    }

    /** Lines such as those of T-Drive: {@code 1,2008-02-02 15:36:08,116.51172,39.92123}. */
    private Path made() throws IOException {
        int rows = options.integer("rows");
        Path csv = folder.resolve("taxis-" + rows + ".csv");
        if (Files.exists(csv)) {
            return csv;
        }
        TaxiTuples tuples = new TaxiTuples(1, 10_000);
        Path part = folder.resolve("taxis.part");
        try (BufferedWriter out = Files.newBufferedWriter(part, StandardCharsets.US_ASCII)) {
            out.write("id,time,longitude,latitude\n");
            for (int row = 0; row < rows; row++) {
                tuples.next();
                LocalDateTime time = LocalDateTime.ofInstant(
                        Instant.ofEpochSecond(Math.floorDiv(tuples.time(), 1000)), ZoneOffset.UTC);
                out.append(Integer.toString(tuples.id())).append(',');
                out.append(time.toLocalDate().toString()).append(' ');
                int second = time.toLocalTime().toSecondOfDay();
                two(out, second / 3600, ':');
                two(out, second / 60 % 60, ':');
                two(out, second % 60, ',');
                fiveDigits(out, tuples.longitude());
                out.append(',');
                fiveDigits(out, tuples.latitude());
                out.append('\n');
            }
        }
        return Files.move(part, csv);
    }

    private static void two(BufferedWriter out, int number, char behind) throws IOException {
        out.append((char) ('0' + number / 10))
                .append((char) ('0' + number % 10))
                .append(behind);
    }

    private static void fiveDigits(BufferedWriter out, double value) throws IOException {
        long scaled = Math.round(value * 100_000);
        String fraction = Long.toString(100_000 + scaled % 100_000);
        out.append(Long.toString(scaled / 100_000)).append('.').append(fraction, 1, fraction.length());
    }
}
