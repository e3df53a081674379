package io.waterwheel.benchmark.dimensions;

import io.waterwheel.benchmark.Options;
import io.waterwheel.catalog.state.ChunkDescriptor;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.catalog.state.StreamSnapshot;
import io.waterwheel.key.KeyMaker;
import io.waterwheel.query.Query;
import io.waterwheel.query.memory.QueryMemory;
import io.waterwheel.query.plan.Planning;
import io.waterwheel.query.plan.PreparedShapes;
import io.waterwheel.query.plan.QueryPlan;
import io.waterwheel.query.plan.ResolvedQuery;
import io.waterwheel.query.scan.QueryClock;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Retention;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.KeyBox;
import io.waterwheel.tuple.KeyDimensions;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.Region;
import io.waterwheel.tuple.TimeInterval;
import io.waterwheel.tuple.TupleBlock;
import io.waterwheel.tuple.WantedCells;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * What does it cost to find the chunks of a question, where there are many? The rows of a set, in the order of their
 * times, become slices of time; each slice is cut by its keys into one chunk for each indexer. So chunks have the
 * regions, and the bounds of each dimension, that real ones have, and are small. The chunks of each plan are compared
 * with those that a look at every chunk leaves. Times are medians of rounds in which all questions take turns; what it
 * takes to make a question ready, with its intervals of keys, is apart.
 *
 * <pre>
 * java -Xms3g -Xmx3g --add-opens=java.base/java.nio=ALL-UNNAMED \
 *     -cp "benchmark/target/classes:$(cat benchmark/target/classpath.txt)" \
 *     io.waterwheel.benchmark.dimensions.ChunkPlans
 * </pre>
 *
 * Options (name=value): sets (some of those of {@link DimensionQuestions}), rows (at most), chunks, indexers (several,
 * with commas), rounds, questions (random ones), seed, data (the folder of data sets).
 */
public final class ChunkPlans {
    /** Entries that a node of the R*-tree has when it is loaded. */
    private static final int NODE = 28;

    private ChunkPlans() {}

    public static void main(String[] arguments) throws IOException {
        Options options = new Options(
                arguments,
                "sets",
                "ghcn-here,trips,random",
                "rows",
                "1_000_000",
                "chunks",
                "10_000",
                "indexers",
                "1,8,64",
                "rounds",
                "200",
                "questions",
                "40",
                "seed",
                "1",
                "data",
                "../shared/data");
        options.printMachine();
        System.out.println(
                "| set | indexers | chunks | left by keys and times | left by cells too | left out with its whole node | ready, us | chunks, us | a scan, us |");
        System.out.println("|---|---|---|---|---|---|---|---|---|");
        for (String name : options.text("sets").split(",", -1)) {
            QuestionSet set = QuestionSet.of(name, options);
            for (String indexers : options.text("indexers").split(",", -1)) {
                measure(name, set, Integer.parseInt(indexers), options);
            }
        }
    }

    private static void measure(String name, QuestionSet set, int indexers, Options options) {
        Schema schema = DimensionQuestions.learned(set, set.schedule());
        StreamSnapshot snapshot = snapshot(set, schema, indexers, options.integer("chunks"));
        List<ChunkDescriptor> all =
                snapshot.allChunks().stream().map(entry -> entry.value()).toList();
        int rounds = options.integer("rounds");
        int questions = set.questions().size();
        long[][] ready = new long[questions][rounds];
        long[][] planned = new long[questions][rounds];
        long[][] scanned = new long[questions][rounds];
        long met = 0;
        long left = 0;
        long withNode = 0;
        List<List<ChunkDescriptor>> nodes = nodes(all);
        PreparedShapes shapes = new PreparedShapes(QueryMemory.unlimited());
        for (int round = 0; round < rounds; round++) {
            for (int q = 0; q < questions; q++) {
                Question question = set.questions().get(q);
                Query query = Query.of("s").withKeyRanges(question.ranges()).withTimes(question.times());
                try (Planning planning = planning(shapes)) {
                    long begin = System.nanoTime();
                    ResolvedQuery resolved = ResolvedQuery.of(query, snapshot, planning);
                    long then = System.nanoTime();
                    QueryPlan plan = QueryPlan.of(query, snapshot, Map.of(), Set.of(), planning);
                    long end = System.nanoTime();
                    List<ChunkDescriptor> looked = look(all, resolved);
                    scanned[q][round] = System.nanoTime() - end;
                    ready[q][round] = then - begin;
                    planned[q][round] = Math.max(0, end - then - (then - begin));
                    if (round == 0) {
                        if (!Set.copyOf(plan.chunks()).equals(Set.copyOf(looked))
                                || plan.chunks().size() != looked.size()) {
                            throw new AssertionError(question + ": expected " + looked.size() + " chunks, got "
                                    + plan.chunks().size());
                        }
                        left += looked.size();
                        met += all.stream()
                                .filter(chunk -> meets(resolved, chunk))
                                .count();
                        withNode += leftOutByNodes(nodes, resolved, KeyDimensions.of(schema));
                    }
                }
            }
        }
        System.out.printf(
                Locale.ROOT,
                "| %s | %d | %,d | %.0f | %.0f | %.0f | %.1f | %.1f | %.1f |%n",
                name,
                indexers,
                all.size(),
                (double) met / questions,
                (double) left / questions,
                (double) withNode / questions,
                mean(ready),
                mean(planned),
                mean(scanned));
    }

    private static Planning planning(PreparedShapes shapes) {
        return new Planning(
                shapes,
                QueryMemory.unlimited().open(),
                QueryClock.SYSTEM,
                System.nanoTime() + Long.MAX_VALUE / 2,
                () -> false);
    }

    /** Microseconds, the mean over the questions of the median over the rounds. */
    private static double mean(long[][] nanos) {
        return Arrays.stream(nanos)
                        .mapToLong(of -> Arrays.stream(of).sorted().toArray()[of.length / 2])
                        .average()
                        .orElse(0)
                / 1e3;
    }

    private static List<ChunkDescriptor> look(List<ChunkDescriptor> all, ResolvedQuery resolved) {
        WantedCells cells = resolved.spec().cells();
        List<ChunkDescriptor> left = new ArrayList<>();
        for (ChunkDescriptor chunk : all) {
            KeyBox box = chunk.box();
            KeyInterval keys = chunk.region().keys();
            if (meets(resolved, chunk)
                    && (cells == null
                            || box == null
                            || cells.missedBy(box, keys.low(), keys.high()) == WantedCells.NONE)) {
                left.add(chunk);
            }
        }
        return left;
    }

    /** Neighbours in time and keys, as many as a node of the R*-tree has when it is loaded at once. */
    private static List<List<ChunkDescriptor>> nodes(List<ChunkDescriptor> all) {
        List<ChunkDescriptor> order = new ArrayList<>(all);
        order.sort(Comparator.comparingLong(chunk -> chunk.region().times().from()));
        int slice = NODE * (int) Math.ceil(Math.sqrt((double) all.size() / NODE));
        for (int from = 0; from < order.size(); from += slice) {
            order.subList(from, Math.min(order.size(), from + slice))
                    .sort(Comparator.comparingLong(
                            chunk -> chunk.region().keys().low()));
        }
        List<List<ChunkDescriptor>> nodes = new ArrayList<>();
        for (int from = 0; from < order.size(); from += NODE) {
            nodes.add(order.subList(from, Math.min(order.size(), from + NODE)));
        }
        return nodes;
    }

    /** Chunks that meet keys and times, and of whose node the cells of all chunks together rule out every row. */
    private static long leftOutByNodes(
            List<List<ChunkDescriptor>> nodes, ResolvedQuery resolved, KeyDimensions dimensions) {
        WantedCells cells = resolved.spec().cells();
        long count = 0;
        for (List<ChunkDescriptor> node : cells == null ? List.<List<ChunkDescriptor>>of() : nodes) {
            KeyBox box = null;
            long low = Long.MAX_VALUE;
            long high = Long.MIN_VALUE;
            for (ChunkDescriptor chunk : node) {
                KeyBox own = Objects.requireNonNull(chunk.box());
                box = dimensions.around(box, new long[] {own.least(), own.greatest()}, 2);
                low = Math.min(low, chunk.region().keys().low());
                high = Math.max(high, chunk.region().keys().high());
            }
            if (box != null && Objects.requireNonNull(cells).missedBy(box, low, high) != WantedCells.NONE) {
                count += node.stream().filter(chunk -> meets(resolved, chunk)).count();
            }
        }
        return count;
    }

    private static boolean meets(ResolvedQuery resolved, ChunkDescriptor chunk) {
        if (resolved.isOfNoRow()
                || !resolved.spec().times().overlaps(chunk.region().times())) {
            return false;
        }
        for (KeyInterval keys : resolved.keys()) {
            if (keys.overlaps(chunk.region().keys())) {
                return true;
            }
        }
        return false;
    }

    private static StreamSnapshot snapshot(QuestionSet set, Schema schema, int indexers, int chunks) {
        RowLayout layout = RowLayout.of(schema);
        KeyMaker maker = KeyMaker.of(layout, schema);
        KeyDimensions dimensions = KeyDimensions.of(schema);
        int rows = Math.toIntExact(set.rows().count());
        long[] keys = new long[rows];
        long[] times = new long[rows];
        int at = 0;
        for (TupleBlock block : set.rows().of(schema, null)) {
            maker.fill(block, 0, (row, reason) -> {
                throw new AssertionError("a row without a key: " + reason);
            });
            System.arraycopy(block.keys(), 0, keys, at, block.size());
            System.arraycopy(block.times(), 0, times, at, block.size());
            at += block.size();
        }
        int[] byTime = IntStream.range(0, rows)
                .boxed()
                .sorted((one, other) -> Long.compare(times[one], times[other]))
                .mapToInt(Integer::intValue)
                .toArray();
        long[] sorted = keys.clone();
        Arrays.sort(sorted);
        int slices = chunks / indexers;
        List<ChunkDescriptor> all = new ArrayList<>();
        for (int slice = 0; slice < slices; slice++) {
            int from = (int) ((long) rows * slice / slices);
            int to = (int) ((long) rows * (slice + 1) / slices);
            for (int indexer = 0; indexer < indexers; indexer++) {
                long low = indexer == 0 ? Long.MIN_VALUE : sorted[(int) ((long) rows * indexer / indexers)];
                long high = indexer == indexers - 1
                        ? Long.MAX_VALUE
                        : sorted[(int) ((long) rows * (indexer + 1) / indexers)] - 1;
                ChunkDescriptor chunk = chunk(
                        indexer,
                        slice,
                        dimensions,
                        IntStream.range(from, to)
                                .map(i -> byTime[i])
                                .filter(row -> keys[row] >= low && keys[row] <= high)
                                .toArray(),
                        keys,
                        times);
                if (chunk != null) {
                    all.add(chunk);
                }
            }
        }
        return StreamSnapshot.restored(
                new StreamInfo("s", 1, schema, RecordFormat.BLOCK, "s", 1, indexers),
                1,
                Map.of(),
                List.of(),
                Map.of(),
                Map.of(),
                StreamSnapshot.Unfinished.NOTHING,
                all,
                Retention.NO_HORIZON);
    }

    private static @Nullable ChunkDescriptor chunk(
            int indexer, int slice, KeyDimensions dimensions, int[] rows, long[] keys, long[] times) {
        if (rows.length == 0) {
            return null;
        }
        long[] own = Arrays.stream(rows).mapToLong(row -> keys[row]).toArray();
        long[] when = Arrays.stream(rows).mapToLong(row -> times[row]).toArray();
        return new ChunkDescriptor(
                indexer + "-" + slice + ".chunk",
                indexer,
                1,
                slice,
                0,
                own.length,
                1 << 20,
                new Region(
                        new KeyInterval(
                                Arrays.stream(own).min().orElseThrow(),
                                Arrays.stream(own).max().orElseThrow()),
                        new TimeInterval(
                                Arrays.stream(when).min().orElseThrow(),
                                Arrays.stream(when).max().orElseThrow())),
                dimensions.around(null, own, own.length));
    }
}
