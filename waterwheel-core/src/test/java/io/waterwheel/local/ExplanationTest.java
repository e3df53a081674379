package io.waterwheel.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.Rounds;
import io.waterwheel.query.Explain;
import io.waterwheel.query.Explanation;
import io.waterwheel.query.Order;
import io.waterwheel.query.PruneReason;
import io.waterwheel.query.Pruning;
import io.waterwheel.query.Query;
import io.waterwheel.query.ScanStatistics;
import io.waterwheel.query.Statistics;
import io.waterwheel.query.Verdict;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.TimestampUnit;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TimeInterval;
import io.waterwheel.tuple.TupleBlock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What a query says of itself is what comes of looking at all rows: which chunks and leaves cannot match and by what,
 * and the sums are equal.
 */
final class ExplanationTest {
    private static final int SEEDS = Rounds.of(3, 100);
    private static final int LEAF = 2048;
    private static final TimestampUnit NO_UNIT = TimestampUnit.NANOSECONDS;
    private static final Schema SCHEMA = new Schema(
            List.of(
                    new Field("k", FieldType.LONG, false),
                    new Field("t", FieldType.TIMESTAMP, false),
                    new Field("x", FieldType.LONG, false, NO_UNIT, true),
                    new Field("d", FieldType.DOUBLE, false),
                    new Field("s", FieldType.STRING, false, NO_UNIT, true)),
            new KeySpec.Ordered("k"),
            "t");

    private record Row(long key, long time, long x, double d, String s) {}

    /** What is asked, and what a leaf must have for a row to match, by each of the ways to know. */
    private record Question(
            Query query, Predicate<Row> matches, Predicate<List<Row>> byZones, Predicate<List<Row>> byValues) {}

    @TempDir
    Path folder;

    private Random random = new Random(0);
    /** By chunk the rows in the order of the file. */
    private final List<List<Row>> chunks = new ArrayList<>();

    private final List<Row> fresh = new ArrayList<>();
    private long clock;
    /** Leaves that were pruned in any query. */
    private Pruning seen = Pruning.NOTHING;

    @Test
    void whatIsPrunedIsWhatTheRowsSay() throws Exception {
        long first = Long.getLong("seed", 1);
        for (long seed = first; seed < first + SEEDS; seed++) {
            random = new Random(seed);
            Path place = folder.resolve("s" + seed);
            try (LocalStream stream = fill(place)) {
                for (int q = 0; q < 20; q++) {
                    check(stream, question(stream.query()), "-Dseed=" + seed + " -Dseeds=1 query " + q);
                }
            }
        }
        if (first == 1) {
            // DimensionQueriesTest has streams whose keys have dimensions, LeafZonesTest chunks with filters.
            for (PruneReason reason :
                    EnumSet.complementOf(EnumSet.of(PruneReason.DIMENSION, PruneReason.BLOOM, PruneReason.TEXT))) {
                assertThat(seen.by(reason)).as("leaves pruned by %s", reason).isPositive();
            }
        }
    }

    private LocalStream fill(Path place) throws IOException {
        chunks.clear();
        fresh.clear();
        clock = 1_000_000;
        LocalStream stream = LocalStream.open(place, "s", SCHEMA, LocalSettings.DEFAULT);
        for (int c = 1 + random.nextInt(4); c > 0; c--) {
            List<Row> rows = insert(stream, 1 + random.nextInt(3 * LEAF));
            stream.flush();
            rows.sort(Comparator.comparingLong(Row::key).thenComparingLong(Row::time));
            chunks.add(rows);
        }
        fresh.addAll(insert(stream, random.nextInt(500)));
        return stream;
    }

    private List<Row> insert(LocalStream stream, int count) throws IOException {
        List<Row> rows = new ArrayList<>();
        TupleBlock block = new TupleBlock(stream.layout(), Math.max(1, count));
        int base = random.nextInt(3) * 3_000;
        long gap = random.nextInt(4) == 0 ? 1_000_000 : 0;
        for (int i = 0; i < count; i++) {
            clock += 1 + (i == count / 2 ? gap : 0);
            long x = base / 10 + random.nextInt(1_000) * 2L;
            long key = (long) base + random.nextInt(4_000);
            Row row = new Row(key, clock, x, 10_000 - key + random.nextDouble(), "v" + x % 300);
            rows.add(row);
            block.keys()[i] = row.key();
            block.times()[i] = row.time();
            byte[] text = row.s().getBytes(StandardCharsets.UTF_8);
            LittleEndian.putLong(block.column(0), i * 8, row.x());
            LittleEndian.putLong(block.column(1), i * 8, Double.doubleToRawLongBits(row.d()));
            LittleEndian.putLong(block.column(2), i * 8, block.addToArena(text, 0, text.length));
        }
        block.setSize(count);
        stream.insert(block);
        return rows;
    }

    private Question question(Query all) {
        Query query = all;
        Predicate<Row> matches = row -> true;
        if (random.nextInt(2) == 0) {
            long low = random.nextInt(9_000);
            long high = low + (random.nextInt(3) == 0 ? 0 : random.nextInt(3_000));
            long second = high + 2 + random.nextInt(2_000);
            query = query.withKeys(List.of(new KeyInterval(low, high), new KeyInterval(second, second + 9)));
            matches = matches.and(
                    row -> (row.key() >= low && row.key() <= high) || (row.key() >= second && row.key() <= second + 9));
        }
        if (random.nextInt(2) == 0) {
            long from = 1_000_000 + (long) (random.nextDouble() * (clock + 1_000 - 1_000_000));
            TimeInterval times = new TimeInterval(from, from + random.nextInt(random.nextBoolean() ? 10 : 20_000));
            query = query.withTimes(times);
            matches = matches.and(row -> times.contains(row.time()));
        }
        long low = random.nextInt(2_400);
        long high = low + 1 + random.nextInt(300);
        double least = random.nextInt(7_000);
        String text = "v" + random.nextInt(330);
        Predicate<List<Row>> ofX = leaf -> leaf.stream().mapToLong(Row::x).min().orElseThrow() <= high
                && leaf.stream().mapToLong(Row::x).max().orElseThrow() >= low;
        Predicate<List<Row>> ofLow =
                leaf -> leaf.stream().mapToLong(Row::x).min().orElseThrow() <= low
                        && leaf.stream().mapToLong(Row::x).max().orElseThrow() >= low;
        Predicate<List<Row>> ofD =
                leaf -> leaf.stream().mapToDouble(Row::d).max().orElseThrow() > least;
        Predicate<List<Row>> ofS = leaf -> leaf.stream()
                                .map(Row::s)
                                .min(Comparator.naturalOrder())
                                .orElseThrow()
                                .compareTo(text)
                        <= 0
                && leaf.stream()
                                .map(Row::s)
                                .max(Comparator.naturalOrder())
                                .orElseThrow()
                                .compareTo(text)
                        >= 0;
        Predicate<List<Row>> hasLow = leaf -> leaf.stream().anyMatch(row -> row.x() == low);
        Predicate<List<Row>> hasS =
                leaf -> leaf.stream().anyMatch(row -> row.s().equals(text));
        return switch (random.nextInt(6)) {
            case 0 -> new Question(query, matches, leaf -> true, leaf -> true);
            case 1 ->
                new Question(
                        query.withWhere("x BETWEEN " + low + " AND " + high),
                        matches.and(row -> row.x() >= low && row.x() <= high),
                        ofX,
                        leaf -> leaf.stream().anyMatch(row -> row.x() >= low && row.x() <= high));
            case 2 -> new Question(query.withWhere("x = " + low), matches.and(row -> row.x() == low), ofLow, hasLow);
            case 3 ->
                new Question(
                        query.withWhere("s = '" + text + "' AND d > " + least),
                        matches.and(row -> row.s().equals(text) && row.d() > least),
                        ofS.and(ofD),
                        hasS);
            case 4 ->
                new Question(
                        query.withWhere("x = " + low + " OR d > " + least),
                        matches.and(row -> row.x() == low || row.d() > least),
                        ofLow.or(ofD),
                        ofD.or(ofLow.and(hasLow)));
            default ->
                new Question(
                        query.withWhere("s IN ('" + text + "', 'none')"),
                        matches.and(row -> row.s().equals(text)),
                        // 'none' lies below every 'v...'.
                        ofS,
                        hasS);
        };
    }

    private static Verdict answer(LocalStream stream, Query query, List<Long> rows) throws InterruptedException {
        return stream.answer(query, block -> {
            for (int row = 0; row < block.size(); row++) {
                rows.add((long) block.size());
            }
            return true;
        });
    }

    private void check(LocalStream stream, Question question, String seed) throws InterruptedException {
        Query query = question.query();
        String about = seed + ": " + query;
        List<Long> none = new ArrayList<>();
        Verdict planned = answer(stream, query.withExplain(Explain.PLAN), none);
        assertThat(none).as(about).isEmpty();
        assertThat(planned.tuples()).isZero();
        Explanation plan = explanation(planned);
        assertThat(plan.analysis()).isNull();

        List<Long> rows = new ArrayList<>();
        Explanation cold = explanation(answer(stream, query.withExplain(Explain.ANALYZE), rows));
        long matching = Stream.concat(chunks.stream().flatMap(List::stream), fresh.stream())
                .filter(question.matches())
                .count();
        assertThat((long) rows.size()).as(about).isEqualTo(matching);
        assertThat(cold.with(null)).as(about).isEqualTo(plan);
        sums(cold, about);
        chunks(cold, query, about);
        leaves(cold, question, about);

        Verdict plain = answer(stream, query, new ArrayList<>());
        assertThat(plain.explanation()).isNull();
        Explanation warm = explanation(answer(stream, query.withExplain(Explain.ANALYZE), new ArrayList<>()));
        assertThat(analysis(warm).statistics()).as(about).isEqualTo(plain.statistics());
        bytes(analysis(cold).statistics().inChunks(), plain.statistics().inChunks(), about);

        Explanation limited = explanation(
                answer(stream, query.withLimit(1 + random.nextInt(50)).withExplain(Explain.ANALYZE), rows));
        sums(limited, about);
        Explanation ordered = explanation(answer(
                stream,
                query.withOrderBy(List.of(new Order("d", true))).withLimit(3).withExplain(Explain.ANALYZE),
                rows));
        sums(ordered, about);
        sums(explanation(answer(stream, query.withLatest(1).withExplain(Explain.ANALYZE), rows)), about);
        sums(explanation(answer(stream, query.withCount().withExplain(Explain.ANALYZE), rows)), about);
        assertThat(explanation(answer(stream, query.withCount().withExplain(Explain.PLAN), rows))
                        .text())
                .contains("result     count, at edit ");
    }

    private static Explanation explanation(Verdict verdict) {
        Explanation explanation = verdict.explanation();
        assertThat(explanation).isNotNull();
        return explanation;
    }

    private static Explanation.Analysis analysis(Explanation explanation) {
        Explanation.Analysis analysis = explanation.analysis();
        assertThat(analysis).isNotNull();
        return analysis;
    }

    /** Everything that is there is in one of the parts. */
    private void sums(Explanation explanation, String about) {
        Explanation.Chunks chunks = explanation.chunks();
        assertThat(chunks.pruned().total() + chunks.toRead()).as(about).isEqualTo(chunks.total());
        Explanation.Indexers indexers = explanation.indexers();
        assertThat(indexers.byKeys() + indexers.byReports() + indexers.asked().size())
                .as(about)
                .isEqualTo(indexers.total());
        Explanation.Analysis analysis = analysis(explanation);
        Statistics statistics = analysis.statistics();
        assertThat(statistics.chunks()).as(about).isEqualTo(chunks.total());
        assertThat(statistics.chunksMeeting()).as(about).isEqualTo(chunks.toRead());
        assertThat(statistics.chunksRead()).as(about).isBetween(0L, chunks.toRead());
        ScanStatistics inChunks = ScanStatistics.NOTHING;
        ScanStatistics fresh = ScanStatistics.NOTHING;
        long read = 0;
        Duration scanning = Duration.ZERO;
        for (Explanation.Server server : analysis.servers()) {
            boolean indexer = server.name().startsWith("indexer");
            inChunks = indexer ? inChunks : inChunks.plus(server.scanned());
            fresh = indexer ? fresh.plus(server.scanned()) : fresh;
            read += indexer ? 0 : server.parts();
            scanning = scanning.plus(server.time());
            assertThat(server.inVain()).isZero();
        }
        assertThat(inChunks).as(about).isEqualTo(statistics.inChunks());
        assertThat(fresh).as(about).isEqualTo(statistics.fresh());
        assertThat(read).as(about).isEqualTo(statistics.chunksRead());
        assertThat(analysis.work().scanning()).isEqualTo(scanning);
        assertThat(analysis.steps())
                .extracting(Explanation.Step::name)
                .containsExactly("planning", "waiting", "asking", "fresh", "chunks", "finishing");
        for (ScanStatistics scanned : List.of(inChunks, fresh)) {
            assertThat(scanned.left()).as(about).isNotNegative();
            assertThat(scanned.unmatched()).as(about).isBetween(0L, scanned.read());
        }
        seen = seen.plus(inChunks.pruned()).plus(fresh.pruned());
        assertThat(explanation.text()).hasLineCount(12 + analysis.servers().size() + (isTested(explanation) ? 1 : 0));
    }

    private static boolean isTested(Explanation explanation) {
        return !explanation.asked().condition().isEmpty();
    }

    /** Which chunks are pruned by which of their bounds. */
    private void chunks(Explanation explanation, Query query, String about) {
        long byKey = 0;
        long byTime = 0;
        for (List<Row> chunk : chunks) {
            if (!meetsKeys(chunk, query)) {
                byKey++;
            } else if (!meetsTimes(chunk, query)) {
                byTime++;
            }
        }
        assertThat(explanation.chunks().total()).isEqualTo(chunks.size());
        assertThat(explanation.chunks().pruned().by(PruneReason.KEY)).as(about).isEqualTo(byKey);
        assertThat(explanation.chunks().pruned().by(PruneReason.TIME)).as(about).isEqualTo(byTime);
    }

    private static boolean meetsKeys(List<Row> rows, Query query) {
        long low = rows.stream().mapToLong(Row::key).min().orElseThrow();
        long high = rows.stream().mapToLong(Row::key).max().orElseThrow();
        return query.keys().isEmpty()
                || query.keys().stream().anyMatch(keys -> keys.low() <= high && low <= keys.high());
    }

    private static boolean meetsTimes(List<Row> rows, Query query) {
        long from = rows.stream().mapToLong(Row::time).min().orElseThrow();
        long to = rows.stream().mapToLong(Row::time).max().orElseThrow();
        return query.times().from() <= to && from <= query.times().to();
    }

    /** Which leaves of the chunks that were read are pruned by what. */
    private void leaves(Explanation explanation, Question question, String about) {
        Query query = question.query();
        ScanStatistics scanned = analysis(explanation).statistics().inChunks();
        long leaves = 0;
        long byKey = 0;
        long byTime = 0;
        long bySketch = 0;
        long byZone = 0;
        long byIndex = 0;
        long matching = 0;
        for (List<Row> chunk : chunks) {
            if (!meetsKeys(chunk, query) || !meetsTimes(chunk, query)) {
                continue;
            }
            for (int from = 0; from < chunk.size(); from += LEAF) {
                List<Row> leaf = chunk.subList(from, Math.min(chunk.size(), from + LEAF));
                leaves++;
                matching += leaf.stream().anyMatch(question.matches()) ? 1 : 0;
                if (!meetsKeys(leaf, query)) {
                    byKey++;
                } else if (!meetsTimes(leaf, query)) {
                    byTime++;
                } else if (leaf.stream().noneMatch(row -> query.times().contains(row.time()))) {
                    bySketch++;
                } else if (!question.byZones().test(leaf)) {
                    byZone++;
                } else if (!question.byValues().test(leaf)) {
                    byIndex++;
                }
            }
        }
        assertThat(scanned.leaves()).as(about).isEqualTo(leaves);
        assertThat(scanned.left()).as(about).isZero();
        assertThat(scanned.pruned().by(PruneReason.KEY)).as(about).isEqualTo(byKey);
        assertThat(scanned.pruned().by(PruneReason.TIME)).as(about).isEqualTo(byTime);
        // A sketch and a filter may let pass what they could stop; what a sketch lets pass a zone may stop.
        assertThat(scanned.pruned().by(PruneReason.SKETCH)).as(about).isBetween(0L, bySketch);
        long passed = bySketch - scanned.pruned().by(PruneReason.SKETCH);
        assertThat(scanned.pruned().by(PruneReason.ZONE)).as(about).isBetween(byZone, byZone + passed);
        long indexed =
                scanned.pruned().by(PruneReason.DICTIONARY) + scanned.pruned().by(PruneReason.BLOOM);
        assertThat(indexed).as(about).isBetween(0L, byIndex + passed);
        assertThat(scanned.read() - scanned.unmatched()).as(about).isEqualTo(matching);
    }

    /** Cold and warm, the same columns are wanted, and the same bytes. */
    private static void bytes(ScanStatistics cold, ScanStatistics warm, String about) {
        assertThat(warm.parts().read()).as(about).isZero();
        assertThat(warm.parts().bytesRead()).as(about).isZero();
        assertThat(warm.parts().directoriesRead()).as(about).isZero();
        assertThat(warm.parts().cached())
                .as(about)
                .isEqualTo(cold.parts().read() + cold.parts().cached());
        assertThat(warm.parts().bytesCached())
                .as(about)
                .isEqualTo(cold.parts().bytesRead() + cold.parts().bytesCached());
        assertThat(cold.parts().directoryBytesRead() > 0).isEqualTo(cold.parts().directoriesRead() > 0);
    }

    @Test
    void aPlanReadsNoFile() throws Exception {
        random = new Random(7);
        Path place = folder.resolve("nofiles");
        try (LocalStream stream = fill(place)) {
            deleteFiles(place.resolve("chunks"));
            Explanation plan = explanation(
                    answer(stream, stream.query().withWhere("x = 7").withExplain(Explain.PLAN), new ArrayList<>()));
            assertThat(plan.chunks().toRead()).isEqualTo(chunks.size());
            assertThat(plan.asked().condition()).isEqualTo("x = 7");
            assertThat(plan.cost().tuples())
                    .isEqualTo(chunks.stream().mapToLong(List::size).sum());
            assertThat(plan.cost().lane()).isEqualTo("light");
        }
    }

    private static void deleteFiles(Path chunks) throws IOException {
        try (Stream<Path> files = Files.walk(chunks)) {
            files.filter(Files::isRegularFile).forEach(file -> {
                try {
                    Files.delete(file);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        }
    }

    @Test
    void whatCannotMatchIsSaid() throws Exception {
        random = new Random(8);
        try (LocalStream stream = fill(folder.resolve("none"))) {
            for (String never : List.of(
                    "k > 5 AND k < 3",
                    "t < TIMESTAMP '1970-01-01 00:00:00Z' AND t > TIMESTAMP '1971-01-01 00:00:00Z'")) {
                Explanation plan = explanation(answer(
                        stream, stream.query().withWhere(never).withExplain(Explain.ANALYZE), new ArrayList<>()));
                sums(plan, never);
                assertThat(plan.chunks().toRead()).as(never).isZero();
                assertThat(plan.text()).contains("none: nothing can match");
            }
        }
    }
}
