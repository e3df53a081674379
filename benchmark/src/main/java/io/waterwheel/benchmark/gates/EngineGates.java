package io.waterwheel.benchmark.gates;

import io.waterwheel.benchmark.Options;
import io.waterwheel.benchmark.data.TaxiTuples;
import io.waterwheel.local.LocalSettings;
import io.waterwheel.local.LocalStream;
import io.waterwheel.query.Aggregate;
import io.waterwheel.query.Query;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.TimeInterval;
import io.waterwheel.tuple.TupleBlock;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.stream.Stream;

/**
 * How fast is the engine alone, in one thread: tuples into synced chunks, and the questions that live maps and
 * dashboards ask, over 5 million taxi tuples of which the last ones are in the tree and the rest in chunks? Before they
 * are timed, counts, averages and numbers of rows are compared with a scan over all rows; the rows themselves, and the
 * newest of a key, are for the tests and {@code EngineComparison}.
 *
 * <pre>
 * java -Xms6g -Xmx6g -cp "benchmark/target/classes:$(cat benchmark/target/classpath.txt)" \
 *     io.waterwheel.benchmark.gates.EngineGates
 * </pre>
 *
 * Options (name=value): tuples, rate (tuples a second of event time), rounds (of loading), asked (times each question
 * is asked, with other bounds each time), seed.
 */
public final class EngineGates {
    private static final int BLOCK_ROWS = 1000;

    private final List<TupleBlock> blocks = new ArrayList<>();
    private final Path folder;
    private final int asked;
    private final SplittableRandom random;
    private final int tuples;
    private final long[] times;
    private final int[] ids;
    private final double[] longitudes;
    private final long[] zCodes;
    private final long[] sortedZCodes;
    private long newest = Long.MIN_VALUE;

    private EngineGates(Options options, Path folder) {
        this.folder = folder;
        this.asked = options.integer("asked");
        this.random = new SplittableRandom(options.number("seed"));
        this.tuples = options.integer("tuples");
        this.times = new long[tuples];
        this.ids = new int[tuples];
        this.longitudes = new double[tuples];
        this.zCodes = new long[tuples];
        TaxiTuples taxis = new TaxiTuples(options.number("seed"), options.integer("rate"));
        RowLayout layout = RowLayout.of(position());
        for (int made = 0; made < tuples; ) {
            TupleBlock block = new TupleBlock(layout, BLOCK_ROWS);
            for (int row = 0; row < BLOCK_ROWS && made < tuples; row++, made++) {
                taxis.nextInto(block);
                times[made] = taxis.time();
                ids[made] = taxis.id();
                longitudes[made] = taxis.longitude();
                zCodes[made] = block.keys()[row];
                newest = Math.max(newest, taxis.time());
            }
            blocks.add(block);
        }
        this.sortedZCodes = zCodes.clone();
        Arrays.sort(sortedZCodes);
    }

    public static void main(String[] arguments) throws Exception {
        Options options = new Options(
                arguments, "tuples", "5_000_000", "rate", "49_500", "rounds", "7", "asked", "2000", "seed", "1");
        Path folder = Files.createTempDirectory("waterwheel-gates");
        try {
            options.printMachine();
            EngineGates gates = new EngineGates(options, folder);
            gates.load(options.integer("rounds"));
            gates.ask();
            System.out.printf(
                    Locale.ROOT,
                    "load at the end %.2f%n",
                    ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage());
        } finally {
            delete(folder);
        }
    }

    private static Schema position() {
        return TaxiTuples.stream(RecordFormat.BLOCK, 1).schema();
    }

    private static Schema byId() {
        return new Schema(position().fields(), new KeySpec.Ordered("id"), "time");
    }

    /** Blocks into the tree, sorted, encoded, written and synced, all on this thread. */
    private void load(int rounds) throws IOException {
        double[] rates = new double[rounds];
        com.sun.management.ThreadMXBean threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        double bytesPerTuple = 0;
        double allocated = 0;
        for (int round = 0; round < rounds; round++) {
            Path home = folder.resolve("load-" + round);
            try (LocalStream stream = LocalStream.open(home, "taxi", position(), LocalSettings.DEFAULT)) {
                long bytesBefore = 0;
                long start = System.nanoTime();
                for (int b = 0; b < blocks.size(); b++) {
                    if (b == blocks.size() / 2) {
                        // By then the pool has pages for a tree and the next.
                        bytesBefore = threads.getCurrentThreadAllocatedBytes();
                    }
                    stream.insert(blocks.get(b));
                }
                stream.flush();
                rates[round] = tuples / ((System.nanoTime() - start) / 1e3);
                allocated = (double) (threads.getCurrentThreadAllocatedBytes() - bytesBefore) / (tuples - tuples / 2);
            }
            bytesPerTuple = (double) bytesBelow(home) / tuples;
            delete(home);
        }
        Arrays.sort(rates);
        System.out.printf(
                Locale.ROOT,
                "block -> tree -> synced chunk: median %.2f M tuples/s of %d rounds (%.2f to %.2f); %.2f bytes a tuple on"
                        + " disk, catalog included; second half of the last round allocated %.2f bytes a tuple%n",
                rates[rounds / 2],
                rounds,
                rates[0],
                rates[rounds - 1],
                bytesPerTuple,
                allocated);
    }

    private void ask() throws Exception {
        try (LocalStream taxis =
                LocalStream.open(folder.resolve("position"), "taxi", position(), LocalSettings.DEFAULT)) {
            for (TupleBlock block : blocks) {
                taxis.insert(block);
            }
            System.out.printf(Locale.ROOT, "%,d tuples, of which %,d in chunks%n", tuples, taxis.flushedTuples());
            List<Aggregate> countAndAvg = List.of(Aggregate.count(), Aggregate.parse("avg(lon)"));
            compare(taxis, countAndAvg);
            time("1 % of keys x last 5 s, rows out", taxis, () -> last(taxis, 0.01, 5_000));
            time(
                    "count, avg of 10 % x 5 s",
                    taxis, () -> last(taxis, 0.1, 5_000).withAggregates(countAndAvg));
            time(
                    "count, avg of 10 % x 60 s",
                    taxis, () -> last(taxis, 0.1, 60_000).withAggregates(countAndAvg));
            timeFloor();
        }
        try (LocalStream taxis = LocalStream.open(folder.resolve("id"), "taxi", byId(), LocalSettings.DEFAULT)) {
            TupleBlock keyed = new TupleBlock(taxis.layout(), BLOCK_ROWS);
            for (TupleBlock block : blocks) {
                rekey(block, keyed);
                taxis.insert(keyed);
            }
            time("latest 10 of an id", taxis, () -> {
                int id = random.nextInt(TaxiTuples.VEHICLES);
                return taxis.query().withKeys(List.of(new KeyInterval(id, id))).withLatest(10);
            });
            time("a point (id, time)", taxis, () -> {
                int row = random.nextInt(tuples);
                return taxis.query()
                        .withKeys(List.of(new KeyInterval(ids[row], ids[row])))
                        .withTimes(new TimeInterval(times[row], times[row]));
            });
        }
    }

    /** The same tuples with the id as key, which then has no column. */
    private static void rekey(TupleBlock from, TupleBlock to) {
        int rows = from.size();
        to.ensureRows(rows);
        byte[] id = from.column(0);
        for (int row = 0; row < rows; row++) {
            to.keys()[row] = io.waterwheel.tuple.LittleEndian.getInt(id, row * 4);
        }
        System.arraycopy(from.times(), 0, to.times(), 0, rows);
        System.arraycopy(from.column(1), 0, to.column(0), 0, rows * 8);
        System.arraycopy(from.column(2), 0, to.column(1), 0, rows * 8);
        to.setSize(rows);
    }

    /** An interval that holds about this share of the tuples, and the last milliseconds, as many as are given. */
    private Query last(LocalStream stream, double share, long millis) {
        int rows = (int) (share * tuples);
        int low = random.nextInt(tuples - rows);
        return stream.query()
                .withKeys(List.of(new KeyInterval(sortedZCodes[low], sortedZCodes[low + rows - 1])))
                .withTimes(new TimeInterval(newest - millis, Long.MAX_VALUE));
    }

    private void compare(LocalStream stream, List<Aggregate> countAndAvg) throws InterruptedException {
        for (int i = 0; i < 20; i++) {
            Query query = last(stream, 0.1, i % 2 == 0 ? 5_000 : 60_000);
            KeyInterval keys = query.keys().get(0);
            long count = 0;
            double sum = 0;
            for (int row = 0; row < tuples; row++) {
                if (keys.contains(zCodes[row]) && times[row] >= query.times().from()) {
                    count++;
                    sum += longitudes[row];
                }
            }
            Object[] found = new Object[2];
            stream.answer(query.withAggregates(countAndAvg), block -> {
                found[0] = block.value(0, 0);
                found[1] = block.value(1, 0);
                return true;
            });
            long rows = stream.answer(query, block -> true).tuples();
            if (count != (Long) java.util.Objects.requireNonNull(found[0])
                    || rows != count
                    || Math.abs(sum / count - (Double) java.util.Objects.requireNonNull(found[1])) > 1e-9) {
                throw new AssertionError(query + ": expected " + count + " and " + sum / count + ", got " + found[0]
                        + ", " + found[1] + " and " + rows + " rows");
            }
        }
    }

    private interface Questions {
        Query next();
    }

    private void time(String name, LocalStream stream, Questions questions) throws InterruptedException {
        com.sun.management.ThreadMXBean threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        long[] nanos = new long[asked];
        Query[] queries = new Query[asked];
        for (int i = 0; i < asked; i++) {
            queries[i] = questions.next();
        }
        long rows = 0;
        long cpu = 0;
        long allocated = 0;
        // As many again before, for the compiler and the cache.
        for (int i = -asked; i < asked; i++) {
            if (i == 0) {
                cpu = threads.getCurrentThreadCpuTime();
                allocated = threads.getCurrentThreadAllocatedBytes();
            }
            Query query = i < 0 ? questions.next() : queries[i];
            long start = System.nanoTime();
            long found = stream.answer(query, block -> true).tuples();
            if (i >= 0) {
                nanos[i] = System.nanoTime() - start;
                rows += found;
            }
        }
        cpu = threads.getCurrentThreadCpuTime() - cpu;
        allocated = threads.getCurrentThreadAllocatedBytes() - allocated;
        Arrays.sort(nanos);
        System.out.printf(
                Locale.ROOT,
                "%-36s p50 %8.3f ms  p99 %8.3f ms  on average: CPU %8.4f ms  %,d bytes allocated  %,d rows%n",
                name,
                nanos[asked / 2] / 1e6,
                nanos[asked * 99 / 100] / 1e6,
                cpu / 1e6 / asked,
                allocated / asked,
                rows / asked);
    }

    /** What a loop over plain arrays of exactly the last 60 seconds' tuples takes for a count and a sum. */
    private void timeFloor() {
        int from = 0;
        while (times[from] < newest - 60_000) {
            from++;
        }
        long[] nanos = new long[200];
        double kept = 0;
        for (int i = 0; i < nanos.length; i++) {
            int rows = (int) (0.1 * tuples);
            int low = random.nextInt(tuples - rows);
            long lowKey = sortedZCodes[low];
            long highKey = sortedZCodes[low + rows - 1];
            long start = System.nanoTime();
            long count = 0;
            double sum = 0;
            for (int row = from; row < tuples; row++) {
                if (zCodes[row] >= lowKey && zCodes[row] <= highKey && times[row] >= newest - 60_000) {
                    count++;
                    sum += longitudes[row];
                }
            }
            nanos[i] = System.nanoTime() - start;
            kept += count + sum;
        }
        Arrays.sort(nanos);
        System.out.printf(
                Locale.ROOT,
                "%-36s p50 %8.3f ms (%.0f)%n",
                "floor: 10 % x 60 s by plain arrays",
                nanos[nanos.length / 2] / 1e6,
                kept);
    }

    private static long bytesBelow(Path folder) throws IOException {
        try (Stream<Path> walk = Files.walk(folder)) {
            long bytes = 0;
            for (Path path : walk.filter(Files::isRegularFile).toList()) {
                bytes += Files.size(path);
            }
            return bytes;
        }
    }

    private static void delete(Path folder) throws IOException {
        List<Path> paths;
        try (Stream<Path> walk = Files.walk(folder)) {
            paths = new ArrayList<>(walk.toList());
        }
        Collections.reverse(paths);
        for (Path path : paths) {
            Files.deleteIfExists(path);
        }
    }
}
