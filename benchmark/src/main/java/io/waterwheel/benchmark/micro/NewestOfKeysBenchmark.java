package io.waterwheel.benchmark.micro;

import io.waterwheel.local.LocalSettings;
import io.waterwheel.local.LocalStream;
import io.waterwheel.query.Query;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
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
 * The newest rows of each of 100,000 devices, of 1,600,000 rows that came from each in turn, in milliseconds: one
 * thread, rows in trees of 400,000 or in chunks of as many whose parts are cached. The floor passes over the rows'
 * arrays from the last to the first, notes which device it has seen, and copies the rows that are new. Each answer's
 * rows and the sum of their numbers are compared with what they must be before it is timed.
 *
 * <pre>
 * java -cp "benchmark/target/classes:$(cat benchmark/target/classpath.txt)" \
 *     org.openjdk.jmh.Main NewestOfKeysBenchmark
 * </pre>
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 4, time = 1)
@Fork(
        value = 1,
        jvmArgsAppend = {"-Xms2g", "-Xmx2g"})
public class NewestOfKeysBenchmark {
    private static final int DEVICES = 100_000;
    private static final int ROWS = 16 * DEVICES;
    private static final int BLOCK_ROWS = 10_000;

    /** Where the rows are. */
    public enum Place {
        /** The last tree in memory, the others in chunks. */
        TREE,
        /** All in chunks. */
        CHUNKS
    }

    @Param
    private Place place = Place.TREE;

    /** The type of a device's name. */
    @Param({"LONG", "STRING"})
    private FieldType.Kind key = FieldType.Kind.LONG;

    @Param({"1", "3"})
    private int perKey = 1;

    private Path folder = Path.of("");
    private LocalStream stream = open();
    private Query query = stream.query();

    private LocalStream open() {
        try {
            folder = Files.createTempDirectory("newest-benchmark");
            Schema schema = new Schema(
                    List.of(
                            new Field("device", FieldType.valueOf(key.name()), false),
                            new Field("at", FieldType.TIMESTAMP, false),
                            new Field("number", FieldType.LONG, false)),
                    new KeySpec.Ordered("device"),
                    "at");
            return LocalStream.open(folder, "newest", schema, new LocalSettings(1L << 40, 1L << 30));
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Inserts, and compares the answer. */
    @Setup(Level.Trial)
    public void fill() throws Exception {
        stream.close();
        stream = open();
        int chunkRows = place == Place.TREE ? ROWS + BLOCK_ROWS : ROWS / 4;
        for (int from = 0; from < ROWS; from += BLOCK_ROWS) {
            if (from == DEVICES || (from > 0 && from % chunkRows == 0)) {
                // The template is learnt from the first tree.
                stream.flush();
            }
            stream.insert(block(from));
        }
        if (place == Place.CHUNKS) {
            stream.flush();
        }
        query = stream.query().withLatest(perKey);
        long[] sum = {0};
        long rows = stream.answer(query, block -> {
                    byte[] numbers = block.column(block.layout().columnOf(2));
                    for (int row = 0; row < block.size(); row++) {
                        sum[0] += LittleEndian.getLong(numbers, row * 8);
                    }
                    return true;
                })
                .tuples();
        long expected = 0;
        for (long number = ROWS - (long) perKey * DEVICES; number < ROWS; number++) {
            expected += number;
        }
        if (rows != (long) perKey * DEVICES || sum[0] != expected) {
            throw new AssertionError(rows + " rows, sum of numbers " + sum[0] + ", expected " + expected);
        }
    }

    private TupleBlock block(int from) {
        TupleBlock block = new TupleBlock(stream.layout(), BLOCK_ROWS);
        int number = stream.layout().columnOf(2);
        for (int i = 0; i < BLOCK_ROWS; i++) {
            int row = from + i;
            // Neighbours in time are none by key.
            long device = row % DEVICES * 7919L % DEVICES;
            if (key == FieldType.Kind.LONG) {
                block.keys()[i] = device;
            } else {
                byte[] name = ("device-" + device).getBytes(StandardCharsets.UTF_8);
                LittleEndian.putLong(
                        block.column(stream.layout().columnOf(0)), i * 8, block.addToArena(name, 0, name.length));
            }
            block.times()[i] = 1_700_000_000_000L + row / 100;
            LittleEndian.putLong(block.column(number), i * 8, row);
        }
        block.setSize(BLOCK_ROWS);
        return block;
    }

    /** Removes the folder. */
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

    @Benchmark
    public long newest() throws InterruptedException {
        return stream.answer(query, block -> true).tuples();
    }

    /** The arrays of the floor. */
    @State(Scope.Thread)
    public static class Floor {
        private final long[] keys = new long[ROWS];
        private final long[] times = new long[ROWS];
        private final long[] numbers = new long[ROWS];
        private final long[][] out = new long[3][DEVICES];
        private final boolean[] seen = new boolean[DEVICES];

        public Floor() {
            for (int row = 0; row < ROWS; row++) {
                keys[row] = row % DEVICES * 7919L % DEVICES;
                times[row] = 1_700_000_000_000L + row / 100;
                numbers[row] = row;
            }
        }
    }

    @Benchmark
    public int newestFloor(Floor floor) {
        java.util.Arrays.fill(floor.seen, false);
        int found = 0;
        for (int row = ROWS - 1; row >= 0; row--) {
            int device = (int) floor.keys[row];
            if (!floor.seen[device]) {
                floor.seen[device] = true;
                floor.out[0][device] = floor.keys[row];
                floor.out[1][device] = floor.times[row];
                floor.out[2][device] = floor.numbers[row];
                found++;
            }
        }
        return found;
    }
}
