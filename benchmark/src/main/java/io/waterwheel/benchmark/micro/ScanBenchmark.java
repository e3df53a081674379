package io.waterwheel.benchmark.micro;

import io.waterwheel.benchmark.data.TaxiTuples;
import io.waterwheel.local.LocalSettings;
import io.waterwheel.local.LocalStream;
import io.waterwheel.query.Aggregate;
import io.waterwheel.query.Query;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TimeInterval;
import io.waterwheel.tuple.TupleBlock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * A query of 10 % of the keys and half of the time, over 466,000 taxi tuples that are in one tree, or in one chunk
 * whose parts are cached, in microseconds: all its rows out, and their number and average longitude. The floors pass
 * over the tuples' arrays, which are in no order, and do the same with those that match; so the share of the tuples
 * that an index does not look at is what may make up for all that a query does besides. Before it is timed, each
 * answer's count and average are compared with the floor's.
 *
 * <pre>
 * java -cp "benchmark/target/classes:$(cat benchmark/target/classpath.txt)" org.openjdk.jmh.Main ScanBenchmark
 * </pre>
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 6, time = 300, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 6, time = 300, timeUnit = TimeUnit.MILLISECONDS)
@Fork(
        value = 1,
        jvmArgsAppend = {"-Xms2g", "-Xmx2g"})
public class ScanBenchmark {
    private static final int TUPLES = TaxiBlocks.TUPLES;
    private static final int LON = 1;

    /** Where the tuples are. */
    public enum Place {
        /** In the tree that rows are inserted into. */
        TREE,
        /** In a chunk, its parts in the cache. */
        CHUNK
    }

    /** A query with its floor on the same tuples. */
    @State(Scope.Thread)
    public static class Stored {
        @Param
        private Place place = Place.TREE;

        private Path folder = Path.of("");
        private LocalStream stream = open();
        private final Floor floor = new Floor();
        private Query rows = floor.narrow(stream.query());
        private Query countAndAvg = rows;

        private LocalStream open() {
            Schema schema = TaxiTuples.stream(RecordFormat.BLOCK, 1).schema();
            try {
                folder = Files.createTempDirectory("scan-benchmark");
                // Nothing is flushed by its size.
                return LocalStream.open(folder, "taxi", schema, new LocalSettings(1L << 30, 1L << 30));
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }

        @Setup(Level.Trial)
        public void fill() throws Exception {
            for (TupleBlock block : floor.taxis.blocks) {
                stream.insert(block);
            }
            if (place == Place.CHUNK) {
                stream.flush();
            }
            countAndAvg = rows.withAggregates(List.of(Aggregate.count(), Aggregate.parse("avg(lon)")));
            double expected = floor.countAndAvg();
            Object[] found = new Object[2];
            stream.answer(countAndAvg, block -> {
                found[0] = block.value(0, 0);
                found[1] = block.value(1, 0);
                return true;
            });
            long count = (Long) Objects.requireNonNull(found[0]);
            double avg = (Double) Objects.requireNonNull(found[1]);
            long out = stream.answer(rows, block -> true).tuples();
            if (count != floor.count || out != floor.count || Math.abs(avg - expected) > 1e-9) {
                throw new AssertionError(place + ": expected " + floor.count + " rows, average " + expected + ", got "
                        + count + ", " + avg + ", and " + out + " rows out");
            }
            System.out.println(count + " rows match");
        }

        @TearDown(Level.Trial)
        public void delete() throws IOException {
            stream.close();
            List<Path> paths;
            try (Stream<Path> walk = Files.walk(folder)) {
                paths = new ArrayList<>(walk.toList());
            }
            Collections.reverse(paths);
            for (Path path : paths) {
                Files.delete(path);
            }
        }
    }

    /** The tuples in plain arrays, in order of arrival. */
    @State(Scope.Thread)
    public static class Floor {
        private final TaxiBlocks taxis = new TaxiBlocks(1, 1);
        private final long[] keys = new long[TUPLES];
        private final long[] times = new long[TUPLES];
        private final byte[][] columns = new byte[TaxiBlocks.LAYOUT.columns()][];
        private final long[] outTimes = new long[TUPLES];
        private final byte[][] outColumns = new byte[TaxiBlocks.LAYOUT.columns()][];
        private final long lowKey;
        private final long highKey;
        private final long fromTime;
        private int count;

        public Floor() {
            for (int c = 0; c < columns.length; c++) {
                columns[c] = new byte[TUPLES * TaxiBlocks.LAYOUT.width(c)];
                outColumns[c] = new byte[columns[c].length];
            }
            int at = 0;
            for (TupleBlock block : taxis.blocks) {
                System.arraycopy(block.keys(), 0, keys, at, block.size());
                System.arraycopy(block.times(), 0, times, at, block.size());
                for (int c = 0; c < columns.length; c++) {
                    int width = TaxiBlocks.LAYOUT.width(c);
                    System.arraycopy(block.column(c), 0, columns[c], at * width, block.size() * width);
                }
                at += block.size();
            }
            long[] sortedKeys = keys.clone();
            Arrays.sort(sortedKeys);
            lowKey = sortedKeys[TUPLES / 2];
            highKey = sortedKeys[TUPLES / 2 + TUPLES / 10];
            long[] sortedTimes = times.clone();
            Arrays.sort(sortedTimes);
            fromTime = sortedTimes[TUPLES / 2];
        }

        private Query narrow(Query all) {
            return all.withKeys(List.of(new KeyInterval(lowKey, highKey)))
                    .withTimes(new TimeInterval(fromTime, Long.MAX_VALUE));
        }

        private boolean matches(int row) {
            return keys[row] >= lowKey && keys[row] <= highKey && times[row] >= fromTime;
        }

        private double countAndAvg() {
            int matching = 0;
            double sum = 0;
            for (int row = 0; row < TUPLES; row++) {
                if (matches(row)) {
                    matching++;
                    sum += LittleEndian.getDouble(columns[LON], row * 8);
                }
            }
            count = matching;
            return sum / matching;
        }

        private int rows() {
            int out = 0;
            for (int row = 0; row < TUPLES; row++) {
                if (matches(row)) {
                    outTimes[out] = times[row];
                    for (int c = 0; c < columns.length; c++) {
                        int width = TaxiBlocks.LAYOUT.width(c);
                        System.arraycopy(columns[c], row * width, outColumns[c], out * width, width);
                    }
                    out++;
                }
            }
            return out;
        }
    }

    @Benchmark
    public long rows(Stored stored) throws InterruptedException {
        return stored.stream.answer(stored.rows, block -> true).tuples();
    }

    @Benchmark
    public long countAndAvg(Stored stored) throws InterruptedException {
        return stored.stream.answer(stored.countAndAvg, block -> true).tuples();
    }

    @Benchmark
    public int rowsFloor(Floor floor) {
        return floor.rows();
    }

    @Benchmark
    public double countAndAvgFloor(Floor floor) {
        return floor.countAndAvg();
    }
}
