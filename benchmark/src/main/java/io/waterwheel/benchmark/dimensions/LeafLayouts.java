package io.waterwheel.benchmark.dimensions;

import io.waterwheel.benchmark.Options;
import io.waterwheel.key.KeyCodec;
import io.waterwheel.key.KeyMaker;
import io.waterwheel.query.KeyRange;
import io.waterwheel.schema.Dimension;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.TupleBlock;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Which share of the leaves do questions about several fields read, by the order in which a chunk has its rows? Orders:
 * as they came; at random and by a kd-tree, as [Colmenares 2017] divides chunks; by keys of dimensions, as Waterwheel
 * does, whose bits come in turn, as on a z-order curve, or by the learned schedule. A leaf is read when each field that
 * is asked about has values in it from least to greatest that meet the question: so the orders are compared by nothing
 * but themselves. Of each order and question the rows in the leaves that are read are compared with a look at every
 * row.
 *
 * <p>The kd-tree halves the leaves at the median of a dimension, down to single ones: of each dimension in turn, or of
 * the one in which the rows at hand are spread widest, by the ranks of their values in the chunk.
 *
 * <pre>
 * java -Xms3g -Xmx3g --add-opens=java.base/java.nio=ALL-UNNAMED \
 *     -cp "benchmark/target/classes:$(cat benchmark/target/classpath.txt)" \
 *     io.waterwheel.benchmark.dimensions.LeafLayouts
 * </pre>
 *
 * Options (name=value): sets (as those of {@link DimensionQuestions}), rows (at most), chunk (rows of a chunk),
 * questions (random ones), only (orders whose name begins so), seed, data (the folder of data sets).
 */
public final class LeafLayouts {
    private static final int LEAF_ROWS = 2048;

    private LeafLayouts() {}

    /** Orders the rows of a chunk, given by number; leaves are cut from it. */
    private interface Layout {
        void order(int[] rows);
    }

    /** A set as columns of codes, which keep the order of values. */
    private static final class Columns {
        final Schema schema;
        /** By field; null where no dimension and no question is of it. */
        final long[] @Nullable [] codes;

        final long[] times;

        Columns(Rows rows, QuestionSet set) {
            this.schema = rows.schema();
            int count = Math.toIntExact(rows.count());
            this.codes = new long[schema.fields().size()][];
            this.times = new long[count];
            for (String name : set.dimensions()) {
                codes[schema.indexOf(name)] = new long[count];
            }
            for (Question question : set.questions()) {
                for (KeyRange range : question.ranges()) {
                    codes[schema.indexOf(Objects.requireNonNull(range.field()))] = new long[count];
                }
            }
            int at = 0;
            for (TupleBlock block : rows.blocks()) {
                for (int row = 0; row < block.size(); row++, at++) {
                    times[at] = block.times()[row];
                    for (int f = 0; f < codes.length; f++) {
                        long[] of = codes[f];
                        if (of != null) {
                            of[at] = code(block.value(f, row));
                        }
                    }
                }
            }
        }

        long[] of(int field) {
            return Objects.requireNonNull(codes[field]);
        }

        /** Null is below all values: no bound meets it. */
        private static long code(@Nullable Object value) {
            if (value instanceof Double || value instanceof Float) {
                return KeyCodec.ofDouble(((Number) value).doubleValue());
            } else if (value instanceof Number number) {
                return number.longValue();
            } else if (value == null) {
                return Long.MIN_VALUE;
            }
            byte[] text = value.toString().getBytes(StandardCharsets.UTF_8);
            return KeyCodec.ofBytes(text, 0, text.length);
        }

        long bound(int field, @Nullable String text, long without) {
            if (text == null) {
                return without;
            }
            return code(
                    switch (schema.fields().get(field).type().physical()) {
                        case FLOAT32, FLOAT64 -> Double.valueOf(text);
                        case INT32, INT64 -> Long.valueOf(text);
                        default -> text;
                    });
        }
    }

    public static void main(String[] arguments) throws IOException {
        Options options = new Options(
                arguments,
                "sets",
                "ghcn-here,ghcn,trips,random",
                "rows",
                "2_000_000",
                "chunk",
                "400_000",
                "questions",
                "40",
                "only",
                "",
                "seed",
                "1",
                "data",
                "../shared/data");
        options.printMachine();
        for (String name : options.text("sets").split(",", -1)) {
            compare(name, QuestionSet.of(name, options), options);
        }
    }

    private static void compare(String name, QuestionSet set, Options options) {
        Columns columns = new Columns(set.rows(), set);
        int[] fields =
                set.dimensions().stream().mapToInt(columns.schema::indexOf).toArray();
        Map<String, Layout> layouts = new LinkedHashMap<>();
        layouts.put("as they came", rows -> {});
        layouts.put("at random", rows -> shuffle(rows, new SplittableRandom(options.number("seed"))));
        layouts.put("kd, each dimension in turn", rows -> new KdOrder(columns, fields, false).order(rows));
        layouts.put("kd, the widest dimension", rows -> new KdOrder(columns, fields, true).order(rows));
        long[] turns = keys(set, inTurn(set));
        layouts.put("keys, each dimension in turn", rows -> sort(rows, turns));
        long[] keys = keys(set, List.of());
        layouts.put("keys, learned", rows -> sort(rows, keys));
        if (!set.schedule().isEmpty()) {
            long[] scheduled = keys(set, set.schedule());
            layouts.put("keys, scheduled for the questions", rows -> sort(rows, scheduled));
        }
        System.out.printf(
                Locale.ROOT,
                "%n%s: %,d rows, %d questions; each order's leaves that are read have all rows of the answer%n",
                name,
                set.rows().count(),
                set.questions().size());
        System.out.println("| order of a chunk's rows | leaves read | by question, % |");
        System.out.println("|---|---|---|");
        long[] expected = set.questions().stream()
                .mapToLong(question -> set.rows().look(question).rows())
                .toArray();
        layouts.keySet().removeIf(layout -> !layout.startsWith(options.text("only")));
        layouts.forEach((layout, order) -> {
            double[] shares = shares(set, columns, order, options.integer("chunk"), expected);
            StringBuilder each = new StringBuilder();
            for (double share : shares) {
                each.append(String.format(Locale.ROOT, "%.1f ", 100 * share));
            }
            System.out.printf(
                    Locale.ROOT,
                    "| %s | %.2f %% | %s |%n",
                    layout,
                    100 * Arrays.stream(shares).average().orElse(0),
                    shares.length <= 16 ? each.toString().trim() : "");
        });
    }

    /** By question, the share of all leaves that it reads. */
    private static double[] shares(QuestionSet set, Columns columns, Layout layout, int chunk, long[] expected) {
        int count = columns.times.length;
        List<Question> questions = set.questions();
        long[] read = new long[questions.size()];
        long[] found = new long[questions.size()];
        long leaves = 0;
        for (int from = 0; from < count; from += chunk) {
            int[] rows = new int[Math.min(chunk, count - from)];
            for (int i = 0; i < rows.length; i++) {
                rows[i] = from + i;
            }
            layout.order(rows);
            for (int first = 0; first < rows.length; first += LEAF_ROWS, leaves++) {
                int end = Math.min(rows.length, first + LEAF_ROWS);
                for (int q = 0; q < read.length; q++) {
                    if (meets(columns, questions.get(q), rows, first, end)) {
                        read[q]++;
                        found[q] += matching(columns, questions.get(q), rows, first, end);
                    }
                }
            }
        }
        double[] shares = new double[read.length];
        for (int q = 0; q < shares.length; q++) {
            if (found[q] != expected[q]) {
                throw new AssertionError(
                        questions.get(q) + ": expected " + expected[q] + " rows in the leaves, got " + found[q]);
            }
            shares[q] = (double) read[q] / leaves;
        }
        return shares;
    }

    private static boolean meets(Columns columns, Question question, int[] rows, int first, int end) {
        if (!spans(
                columns.times,
                rows,
                first,
                end,
                question.times().from(),
                question.times().to())) {
            return false;
        }
        for (KeyRange range : question.ranges()) {
            int field = columns.schema.indexOf(Objects.requireNonNull(range.field()));
            long low = columns.bound(field, range.low(), Long.MIN_VALUE + 1);
            long high = columns.bound(field, range.high(), Long.MAX_VALUE);
            if (!spans(columns.of(field), rows, first, end, low, high)) {
                return false;
            }
        }
        return true;
    }

    private static boolean spans(long[] codes, int[] rows, int first, int end, long low, long high) {
        long least = Long.MAX_VALUE;
        long greatest = Long.MIN_VALUE;
        for (int i = first; i < end; i++) {
            long code = codes[rows[i]];
            least = code == Long.MIN_VALUE ? least : Math.min(least, code);
            greatest = Math.max(greatest, code);
        }
        return low <= greatest && high >= least;
    }

    private static long matching(Columns columns, Question question, int[] rows, int first, int end) {
        boolean[] matches = new boolean[end - first];
        for (int i = first; i < end; i++) {
            matches[i - first] = question.times().contains(columns.times[rows[i]]);
        }
        for (KeyRange range : question.ranges()) {
            int field = columns.schema.indexOf(Objects.requireNonNull(range.field()));
            long low = columns.bound(field, range.low(), Long.MIN_VALUE + 1);
            long high = columns.bound(field, range.high(), Long.MAX_VALUE);
            long[] codes = columns.of(field);
            for (int i = first; i < end; i++) {
                matches[i - first] &= codes[rows[i]] >= low && codes[rows[i]] <= high;
            }
        }
        int count = 0;
        for (boolean match : matches) {
            count += match ? 1 : 0;
        }
        return count;
    }

    /** As a z-order curve has the bits: those that the learned schedule has, one of each dimension after the other. */
    private static List<String> inTurn(QuestionSet set) {
        Schema learned = DimensionQuestions.learned(set, List.of());
        KeySpec.Dimensions key = Objects.requireNonNull(learned.key().dimensional());
        return Arrays.stream(Dimension.inTurn(key.bits(learned.byName())))
                .mapToObj(d -> key.dimensions().get(d).field())
                .toList();
    }

    private static long[] keys(QuestionSet set, List<String> schedule) {
        Schema learned = DimensionQuestions.learned(set, schedule);
        RowLayout layout = RowLayout.of(learned);
        KeyMaker maker = KeyMaker.of(layout, learned);
        long[] keys = new long[Math.toIntExact(set.rows().count())];
        int at = 0;
        for (TupleBlock block : set.rows().of(learned, null)) {
            maker.fill(block, 0, (row, reason) -> {
                throw new AssertionError("a row without a key: " + reason);
            });
            System.arraycopy(block.keys(), 0, keys, at, block.size());
            at += block.size();
        }
        return keys;
    }

    /** By key; rows of one key as they came. */
    private static void sort(int[] rows, long[] keys) {
        long[] byKey = new long[rows.length];
        for (int i = 0; i < rows.length; i++) {
            byKey[i] = keys[rows[i]];
        }
        int[] places = KdOrder.sorted(byKey, 0, rows.length);
        int[] before = rows.clone();
        for (int i = 0; i < rows.length; i++) {
            rows[i] = before[places[i]];
        }
    }

    private static void shuffle(int[] rows, SplittableRandom random) {
        for (int i = rows.length - 1; i > 0; i--) {
            int other = random.nextInt(i + 1);
            int row = rows[i];
            rows[i] = rows[other];
            rows[other] = row;
        }
    }

    /** A kd-tree over the rows of a chunk, whose leaves are those of the chunk. */
    private static final class KdOrder {
        private final Columns columns;
        private final int[] fields;
        private final boolean widest;
        /** By dimension, by place in the chunk, the rank of the row's value: equal values have equal ranks. */
        private int[][] ranks = {};

        KdOrder(Columns columns, int[] fields, boolean widest) {
            this.columns = columns;
            this.fields = fields;
            this.widest = widest;
        }

        void order(int[] rows) {
            ranks = new int[fields.length][rows.length];
            for (int d = 0; d < fields.length; d++) {
                long[] codes = new long[rows.length];
                for (int i = 0; i < rows.length; i++) {
                    codes[i] = columns.of(fields[d])[rows[i]];
                }
                int[] places = sorted(codes, 0, rows.length);
                for (int i = 0; i < places.length; i++) {
                    boolean same = i > 0 && codes[places[i]] == codes[places[i - 1]];
                    ranks[d][places[i]] = same ? ranks[d][places[i - 1]] : i;
                }
            }
            int[] places = new int[rows.length];
            for (int i = 0; i < places.length; i++) {
                places[i] = i;
            }
            divide(places, 0, places.length, 0);
            int[] before = rows.clone();
            for (int i = 0; i < rows.length; i++) {
                rows[i] = before[places[i]];
            }
        }

        private void divide(int[] places, int from, int to, int depth) {
            int leaves = (to - from + LEAF_ROWS - 1) / LEAF_ROWS;
            if (leaves < 2) {
                return;
            }
            int dimension = -1;
            int spread = 0;
            for (int i = 0; i < fields.length && (widest || dimension < 0); i++) {
                int d = (depth + i) % fields.length;
                int wide = spread(ranks[d], places, from, to);
                if (wide > spread) {
                    spread = wide;
                    dimension = d;
                }
            }
            if (dimension < 0) {
                return;
            }
            long[] codes = new long[to - from];
            for (int i = from; i < to; i++) {
                codes[i - from] = ranks[dimension][places[i]];
            }
            int[] order = sorted(codes, 0, codes.length);
            int[] before = Arrays.copyOfRange(places, from, to);
            for (int i = from; i < to; i++) {
                places[i] = before[order[i - from]];
            }
            int middle = from + leaves / 2 * LEAF_ROWS;
            divide(places, from, middle, dimension + 1);
            divide(places, middle, to, dimension + 1);
        }

        private static int spread(int[] ranks, int[] places, int from, int to) {
            int least = Integer.MAX_VALUE;
            int greatest = 0;
            for (int i = from; i < to; i++) {
                least = Math.min(least, ranks[places[i]]);
                greatest = Math.max(greatest, ranks[places[i]]);
            }
            return greatest - least;
        }

        /** The places of codes in their order, equal ones as they are. */
        static int[] sorted(long[] codes, int from, int to) {
            Integer[] places = new Integer[to - from];
            Arrays.setAll(places, i -> from + i);
            Arrays.sort(places, (one, other) -> Long.compare(codes[one], codes[other]));
            return Arrays.stream(places).mapToInt(Integer::intValue).toArray();
        }
    }
}
