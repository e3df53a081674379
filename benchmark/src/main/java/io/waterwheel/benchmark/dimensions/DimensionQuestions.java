package io.waterwheel.benchmark.dimensions;

import io.waterwheel.benchmark.Options;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.key.KeyMaker;
import io.waterwheel.key.sample.DimensionLearner;
import io.waterwheel.key.sample.ScheduleAdvice;
import io.waterwheel.key.sample.ScheduleAdvisor;
import io.waterwheel.query.Query;
import io.waterwheel.query.plan.ResolvedQuery;
import io.waterwheel.schema.Dimension;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.TupleBlock;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;

/**
 * Which share of the leaves do questions about several fields read, by the kind of key? A key of dimensions whose cells
 * are learned from the rows, the same in the order that {@code stream advise} proposes from the questions, keys of one
 * field, a position, and rows in no order (a key drawn at random, as the random segments of [Colmenares 2017]). All
 * rows are in chunks. Each answer, its number of rows and its aggregate, is compared with a look at every row.
 *
 * <p>Beside it the rate from tuple blocks to synced chunks on one thread, by its processor time: the median of the
 * rounds, in which the keys take turns; and bytes a row. Not of the rows in no order, which have a field more.
 *
 * <pre>
 * java -Xms3g -Xmx3g --add-opens=java.base/java.nio=ALL-UNNAMED \
 *     -cp "benchmark/target/classes:$(cat benchmark/target/classpath.txt)" \
 *     io.waterwheel.benchmark.dimensions.DimensionQuestions
 * </pre>
 *
 * Options (name=value): sets (some of ghcn: the ten questions about weather; ghcn-here: the same with bounds that have
 * rows; trips: the sixteen about taxi trips, which are made up; random: about one to five of eight fields of trips),
 * rows (at most: GHCN has 1.7 million), rounds, questions (random ones), seed, data (the folder of data sets).
 */
public final class DimensionQuestions {
    private static final String RANDOM = "random";
    /** Inserted with each key before anything is timed. */
    private static final int WARM_BLOCKS = 200;

    private DimensionQuestions() {}

    /** What one kind of key came to. */
    private static final class Kind {
        final Schema schema;
        final List<Double> seconds = new ArrayList<>();
        double[] shares = {};
        long bytes;

        Kind(Schema schema) {
            this.schema = schema;
        }

        boolean isRandom() {
            return RANDOM.equals(schema.key().onlyField());
        }

        double mean() {
            return Arrays.stream(shares).average().orElse(0);
        }

        double median() {
            return seconds.stream().sorted().toList().get(seconds.size() / 2);
        }
    }

    public static void main(String[] arguments) throws IOException, InterruptedException {
        Options options = new Options(
                arguments,
                "sets",
                "ghcn,ghcn-here,trips,random",
                "rows",
                "2_000_000",
                "rounds",
                "3",
                "questions",
                "40",
                "seed",
                "1",
                "data",
                "../shared/data");
        options.printMachine();
        for (String name : options.text("sets").split(",", -1)) {
            compare(name, QuestionSet.of(name, options), options);
        }
    }

    private static void compare(String name, QuestionSet set, Options options)
            throws IOException, InterruptedException {
        Map<String, Kind> kinds = kinds(set);
        List<Rows.Found> expected =
                set.questions().stream().map(set.rows()::look).toList();
        for (Kind kind : kinds.values()) {
            if (!kind.isRandom()) {
                List<TupleBlock> some = set.rows().of(kind.schema, null);
                new KeyedRun(kind.schema, some.subList(0, Math.min(WARM_BLOCKS, some.size()))).close();
            }
        }
        for (int round = 0; round < options.integer("rounds"); round++) {
            for (Kind kind : kinds.values()) {
                if (round > 0 && kind.isRandom()) {
                    continue;
                }
                SplittableRandom random = kind.isRandom() ? new SplittableRandom(options.number("seed")) : null;
                try (KeyedRun run = new KeyedRun(kind.schema, set.rows().of(kind.schema, random))) {
                    kind.seconds.add(run.seconds());
                    kind.bytes = run.bytes();
                    if (round == 0) {
                        kind.shares = new double[expected.size()];
                        for (int q = 0; q < expected.size(); q++) {
                            kind.shares[q] = run.share(set.questions().get(q), expected.get(q));
                        }
                    }
                }
            }
        }
        print(name, set, kinds, expected);
    }

    private static Map<String, Kind> kinds(QuestionSet set) {
        Schema base = set.rows().schema();
        Map<String, Kind> kinds = new LinkedHashMap<>();
        kinds.put(set.dimensions().size() + " dimensions", new Kind(learned(set, List.of())));
        if (!set.schedule().isEmpty()) {
            kinds.put("the same, scheduled for the questions", new Kind(learned(set, set.schedule())));
        }
        kinds.put("the same, as advised from the questions", new Kind(learned(set, advised(set))));
        kinds.put("position", new Kind(base));
        for (String field : set.fields()) {
            kinds.put(field, new Kind(base.withKey(new KeySpec.Ordered(field))));
        }
        List<Field> more = new ArrayList<>(base.fields());
        more.add(new Field(RANDOM, FieldType.LONG, false));
        kinds.put("no order", new Kind(new Schema(more, new KeySpec.Ordered(RANDOM), base.timeField())));
        return kinds;
    }

    /** The key that {@code stream create --like} would learn, of this schedule, or of its own where that is empty. */
    static Schema learned(QuestionSet set, List<String> schedule) {
        Rows rows = set.rows();
        List<Dimension> open = set.dimensions().stream()
                .map(field -> new Dimension(field, 0, List.of(), List.of()))
                .toList();
        Schema draft = new Schema(
                rows.schema().fields(),
                new KeySpec.Dimensions(open, schedule, set.position()),
                rows.schema().timeField());
        DimensionLearner learner = new DimensionLearner(draft);
        // Evenly from all of the set.
        int step = (int) Math.max(1, rows.count() / DimensionLearner.ROWS);
        for (int block = 0; block < rows.blocks().size(); block += step) {
            learner.add(rows.blocks().get(block));
        }
        return learner.learned();
    }

    /** The schedule that {@code stream advise} proposes once the questions were asked of the learned key. */
    private static List<String> advised(QuestionSet set) {
        Schema learned = learned(set, List.of());
        StreamInfo stream = new StreamInfo("s", 1, learned, RecordFormat.BLOCK, "s", 1, 1);
        long[] shapes = set.questions().stream()
                .map(question -> ResolvedQuery.of(
                                Query.of("s").withKeyRanges(question.ranges()).withTimes(question.times()), stream)
                        .spec()
                        .cells())
                .filter(Objects::nonNull)
                .mapToLong(cells -> cells.shape().code())
                .toArray();
        KeyMaker maker = KeyMaker.of(RowLayout.of(learned), learned);
        long[] keys = new long[ScheduleAdvisor.KEYS];
        List<TupleBlock> blocks = set.rows().of(learned, null);
        blocks.forEach(block -> maker.fill(block, 0, (row, reason) -> {
            throw new AssertionError("a row without a key: " + reason);
        }));
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < keys.length; i++) {
            TupleBlock block = blocks.get(random.nextInt(blocks.size()));
            keys[i] = block.keys()[random.nextInt(block.size())];
        }
        ScheduleAdvice advice = ScheduleAdvisor.advise(learned, shapes, keys);
        System.out.printf(
                Locale.ROOT,
                "%nadvised from %d questions, estimated %.2f %% of the leaves in place of %.2f %%: %s%n",
                shapes.length,
                100 * advice.proposedMean(),
                100 * advice.presentMean(),
                String.join(" ", advice.proposed()));
        return advice.proposed();
    }

    private static void print(String name, QuestionSet set, Map<String, Kind> kinds, List<Rows.Found> expected) {
        Kind ours = kinds.values().iterator().next();
        System.out.printf(
                Locale.ROOT,
                "%n%s: %,d rows, %d questions, %d of which have rows; all answers are those of a look at every row%n",
                name,
                set.rows().count(),
                expected.size(),
                expected.stream().filter(found -> found.rows() > 0).count());
        System.out.println("learned schedule: "
                + String.join(
                        " ",
                        Objects.requireNonNull(ours.schema.key().dimensional()).schedule()));
        System.out.println(
                "| key | leaves read | first key's of it | bytes a row | M rows a second of CPU | by question, % |");
        System.out.println("|---|---|---|---|---|---|");
        kinds.forEach((key, kind) -> {
            StringBuilder each = new StringBuilder();
            for (double share : kind.shares) {
                each.append(String.format(Locale.ROOT, "%.1f ", 100 * share));
            }
            System.out.printf(
                    Locale.ROOT,
                    "| %s | %.2f %% | %.2f | %s | %s | %s |%n",
                    key,
                    100 * kind.mean(),
                    ours.mean() / kind.mean(),
                    kind.isRandom()
                            ? "-"
                            : String.format(
                                    Locale.ROOT,
                                    "%.2f",
                                    (double) kind.bytes / set.rows().count()),
                    kind.isRandom()
                            ? "-"
                            : String.format(Locale.ROOT, "%.2f", set.rows().count() / kind.median() / 1e6),
                    set.questions().size() <= 16 ? each.toString().trim() : "");
        });
    }
}
