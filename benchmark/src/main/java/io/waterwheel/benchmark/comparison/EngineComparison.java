package io.waterwheel.benchmark.comparison;

import io.waterwheel.benchmark.Options;
import io.waterwheel.geo.Box;
import io.waterwheel.geo.Circle;
import io.waterwheel.geo.Shape;
import io.waterwheel.key.Area;
import io.waterwheel.local.LocalSettings;
import io.waterwheel.local.LocalStream;
import io.waterwheel.query.Query;
import io.waterwheel.schema.StreamDefinition;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.TimeInterval;
import io.waterwheel.tuple.TupleBlock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Are the engine's answers those of a scan over all rows, tuple by tuple? Random intervals of key and time, boxes and
 * circles, of selectivity 1e-6 to 0.5, asked while rows are inserted, when all are in, after a flush, cold (opened
 * anew, no cache) and repeated (a warm cache), with chunks of 16 MiB and of 64 KiB. The first answer that differs ends
 * it.
 *
 * <pre>
 * java -Xmx6g -cp "benchmark/target/classes:$(cat benchmark/target/classpath.txt)" \
 *     io.waterwheel.benchmark.comparison.EngineComparison set=taxi rows=10_000_000 queries=1000
 * </pre>
 *
 * Options (name=value): set (taxi, network, or a real set: paris, savan, ghcn, zeek, nasa), rows (most of them),
 * queries (at each stage), seed, data (folder of the real sets).
 */
public final class EngineComparison {
    private static final long[] CHUNK_BYTES = {16 << 20, 64 << 10};
    private static final long CACHE_BYTES = 256 << 20;

    /** A question and, as rows are inserted, how many of them it is about. */
    private record Question(
            KeyInterval keys, TimeInterval times, @Nullable Shape shape) {
        Query on(LocalStream stream) {
            Query query = stream.query().withKeys(List.of(keys)).withTimes(times);
            return shape == null ? query : query.withShape(shape);
        }
    }

    private final StreamDefinition stream;
    private final Twin twin;
    private final List<TupleBlock> blocks;
    private final SplittableRandom random;
    private final long seed;

    private EngineComparison(StreamDefinition stream, Twin twin, List<TupleBlock> blocks, long seed) {
        this.stream = stream;
        this.twin = twin;
        this.blocks = blocks;
        this.random = new SplittableRandom(seed);
        this.seed = seed;
    }

    public static void main(String[] arguments) throws Exception {
        Options options = new Options(
                arguments,
                "set",
                "taxi",
                "rows",
                "1_000_000",
                "queries",
                "1000",
                "seed",
                "1",
                "data",
                "../shared/data");
        Path folder = Files.createTempDirectory("waterwheel-comparison");
        try {
            System.out.println(compare(
                    options.text("set"),
                    Path.of(options.text("data")),
                    options.integer("rows"),
                    options.integer("queries"),
                    options.number("seed"),
                    folder));
        } finally {
            SetRows.delete(folder);
        }
    }

    /**
     * Compares one set.
     *
     * @param data folder of the real sets
     * @param folder for the chunks
     * @return what was compared, for people
     * @throws AssertionError when an answer differs
     */
    static String compare(String set, Path data, int rows, int queries, long seed, Path folder) throws Exception {
        List<TupleBlock> blocks = new ArrayList<>();
        StreamDefinition stream = SetRows.load(set, data, rows, seed, blocks);
        Twin twin = new Twin(stream.schema());
        blocks.forEach(twin::add);
        EngineComparison comparison = new EngineComparison(stream, twin, blocks, seed);
        return set + ": " + comparison.run(queries, folder);
    }

    private String run(int queries, Path folder) throws Exception {
        int all = twin.size();
        long[] keys = new long[all];
        long[] times = new long[all];
        for (int row = 0; row < all; row++) {
            keys[row] = twin.key(row);
            times[row] = twin.time(row);
        }
        Arrays.sort(keys);
        Arrays.sort(times);
        List<Question> questions = new ArrayList<>();
        List<Twin.Bag> answers = new ArrayList<>();
        long found = 0;
        for (int q = 0; q < queries; q++) {
            Question question = question(keys, times);
            questions.add(question);
            Twin.Bag answer = expected(all, question);
            answers.add(answer);
            found += answer.rows();
        }
        long compared = 0;
        for (long chunkBytes : CHUNK_BYTES) {
            Path home = folder.resolve(stream.name() + "-" + chunkBytes);
            try (LocalStream local = LocalStream.open(
                    home, stream.name(), stream.schema(), new LocalSettings(chunkBytes, CACHE_BYTES))) {
                compared += insert(local, questions, chunkBytes);
                compared += ask(local, questions, answers, "all in, chunks of " + chunkBytes);
                local.flush();
                compared += ask(local, questions, answers, "flushed, chunks of " + chunkBytes);
            }
            try (LocalStream cold =
                    LocalStream.open(home, stream.name(), stream.schema(), new LocalSettings(chunkBytes, 0))) {
                compared += ask(cold, questions, answers, "cold, chunks of " + chunkBytes);
            }
            try (LocalStream warm = LocalStream.open(
                    home, stream.name(), stream.schema(), new LocalSettings(chunkBytes, CACHE_BYTES))) {
                compared += ask(warm, questions, answers, "warming, chunks of " + chunkBytes);
                compared += ask(warm, questions, answers, "warm, chunks of " + chunkBytes);
            }
        }
        return String.format(
                Locale.ROOT,
                "%,d rows, %,d questions of %,d rows on average: %,d answers equal the scan's (seed %d)",
                all,
                queries,
                found / Math.max(1, queries),
                compared,
                seed);
    }

    /** Inserts everything; as often as there are questions, and blocks, one of them is asked in between. */
    private long insert(LocalStream local, List<Question> questions, long chunkBytes) throws Exception {
        int next = 0;
        int rows = 0;
        for (int b = 0; b < blocks.size(); b++) {
            TupleBlock block = blocks.get(b);
            local.insert(block);
            rows += block.size();
            if ((long) (b + 1) * questions.size() / blocks.size() > (long) b * questions.size() / blocks.size()) {
                Question question = questions.get(next++ % questions.size());
                check(
                        local,
                        question,
                        expected(rows, question),
                        "after " + rows + " rows, chunks of " + chunkBytes + ", question " + next);
            }
        }
        return next;
    }

    private long ask(LocalStream local, List<Question> questions, List<Twin.Bag> answers, String stage)
            throws Exception {
        for (int q = 0; q < questions.size(); q++) {
            check(local, questions.get(q), answers.get(q), stage + ", question " + q);
        }
        return questions.size();
    }

    private void check(LocalStream local, Question question, Twin.Bag expected, String where)
            throws InterruptedException {
        Query query = question.on(local);
        Twin.Bag[] bag = {Twin.Bag.EMPTY};
        RowHashes[] hashes = {null};
        local.answer(query, block -> {
            if (hashes[0] == null) {
                hashes[0] = new RowHashes(block.layout());
            }
            long count = block.size();
            long sum = 0;
            long mixed = 0;
            for (int row = 0; row < count; row++) {
                long hash = hashes[0].of(block, row);
                sum += hash;
                mixed += RowHashes.mix(~hash);
            }
            bag[0] = new Twin.Bag(bag[0].rows() + count, bag[0].sum() + sum, bag[0].mixed() + mixed);
            return true;
        });
        long counted = local.answer(query.withCount(), block -> true).tuples();
        if (!bag[0].equals(expected) || counted != expected.rows()) {
            throw new AssertionError("seed " + seed + ", " + where + ": " + question + ": expected " + expected
                    + ", got " + bag[0] + ", counted " + counted);
        }
    }

    private Twin.Bag expected(int rows, Question question) {
        Shape shape = question.shape();
        return twin.answer(rows, question.keys(), question.times(), shape == null ? null : Area.of(shape));
    }

    /** An interval of keys or a shape, and one of times, that together hold 1e-6 to 0.5 of the rows, more or less. */
    private Question question(long[] keys, long[] times) {
        double share = Math.exp(random.nextDouble() * Math.log(0.5 / 1e-6)) * 1e-6;
        double ofTimes = Math.exp(random.nextDouble() * Math.log(share));
        double ofKeys = share / ofTimes;
        int timeRows = (int) Math.max(1, ofTimes * times.length);
        int fromRow = random.nextInt(times.length - timeRows + 1);
        TimeInterval interval = new TimeInterval(times[fromRow], times[fromRow + timeRows - 1]);
        if (twin.hasPositions() && random.nextBoolean()) {
            return new Question(KeyInterval.ALL, interval, shape(ofKeys));
        }
        int keyRows = (int) Math.max(1, ofKeys * keys.length);
        int lowRow = random.nextInt(keys.length - keyRows + 1);
        return new Question(new KeyInterval(keys[lowRow], keys[lowRow + keyRows - 1]), interval, null);
    }

    /** Around a row's position, as large as the share of some other row's distance. */
    private Shape shape(double share) {
        int middle = random.nextInt(twin.size());
        int other = random.nextInt(twin.size());
        double longitude = twin.longitude(middle);
        double latitude = twin.latitude(middle);
        double side = Math.sqrt(share);
        double width = Math.abs(longitude - twin.longitude(other)) * side;
        double height = Math.abs(latitude - twin.latitude(other)) * side;
        if (random.nextBoolean()) {
            return new Circle(longitude, latitude, (width + height) * 50_000);
        }
        return new Box(longitude - width / 2, latitude - height / 2, longitude + width / 2, latitude + height / 2);
    }
}
