package io.waterwheel.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.index.PagePool;
import io.waterwheel.index.Template;
import io.waterwheel.index.TemplateTree;
import io.waterwheel.query.Aggregate;
import io.waterwheel.query.NamedExpression;
import io.waterwheel.query.Order;
import io.waterwheel.query.Query;
import io.waterwheel.query.ResultSpec;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.query.expression.ExpressionParser;
import io.waterwheel.query.result.Gather;
import io.waterwheel.query.result.GatherRows;
import io.waterwheel.query.rows.RowCopy;
import io.waterwheel.query.scan.ScanSpec;
import io.waterwheel.query.scan.TreeScan;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TimeInterval;
import io.waterwheel.tuple.TupleBlock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A tree of many leaves, none of them flushed, answers as a look at each row does; conditions keep few rows, or most.
 */
final class TreeAnswersTest {
    private static final int ROWS = 40_000;
    private static final int MOST_VALUE = 1000;
    private static final int QUESTIONS = 40;

    private static final Schema SCHEMA = schema(0);

    /** @param more fields that may be null behind the five that there are anyway */
    private static Schema schema(int more) {
        List<Field> fields = new ArrayList<>(List.of(
                new Field("k", FieldType.LONG, false),
                new Field("t", FieldType.TIMESTAMP, false),
                new Field("v", FieldType.LONG, true),
                new Field("g", FieldType.INT, false),
                new Field("s", FieldType.STRING, true)));
        for (int f = 0; f < more; f++) {
            fields.add(new Field("e" + f, FieldType.LONG, true));
        }
        return new Schema(fields, new KeySpec.Ordered("k"), "t");
    }

    private record Row(
            long k,
            long t,
            @Nullable Long v,
            int g,
            @Nullable String s,
            List<@Nullable Long> more) {
        String text() {
            String five = k + "|" + t + "|" + v + "|" + g + "|" + s;
            return more.stream().map(value -> "|" + value).collect(Collectors.joining("", five, ""));
        }
    }

    @TempDir
    Path folder;

    private final Random random = new Random(Long.getLong("seed", 1));
    private final List<Row> rows = new ArrayList<>();

    @Test
    void answersAreThoseOfLookingAtEveryRow() throws Exception {
        checkAnswers(SCHEMA, ROWS);
    }

    @Test
    void answersOfWideRowsAreThoseOfLookingAtEveryRow() throws Exception {
        checkAnswers(schema(12), 6000);
    }

    @Test
    void answersOfFewWideRowsAreThoseOfLookingAtEveryRow() throws Exception {
        checkAnswers(schema(50), 1500);
    }

    private void checkAnswers(Schema schema, int size) throws Exception {
        try (LocalStream stream = LocalStream.open(folder, "s", schema, LocalSettings.DEFAULT)) {
            for (int b = 0; b < size / 500; b++) {
                stream.insert(block(RowLayout.of(schema), 500));
            }
            for (int q = 0; q < QUESTIONS; q++) {
                check(stream, "question " + q);
            }
        }
    }

    @Test
    void rowsOfTreesThatAreScannedOneAfterTheOtherAreKeptApart() {
        RowLayout layout = RowLayout.of(SCHEMA);
        PagePool pool = new PagePool(64 << 20);
        long[] sample = LongStream.range(0, ROWS).toArray();
        List<TemplateTree> trees = new ArrayList<>();
        for (int tree = 0; tree < 12; tree++) {
            trees.add(new TemplateTree(layout, Template.divide(sample, sample.length, 1 + random.nextInt(20)), pool));
            int size = 1 + random.nextInt(6000);
            trees.get(tree).insert(block(layout, size), 0, size);
        }
        Gather gather = new GatherRows(layout, RowCopy.identity(layout), Query.NO_LIMIT);
        for (int q = 0; q < QUESTIONS; q++) {
            long low = random.nextInt(MOST_VALUE);
            long high = low + (long) Math.pow(MOST_VALUE, random.nextDouble());
            Expression where = ExpressionParser.parse("v >= " + low + " AND v <= " + high);
            ScanSpec spec = new ScanSpec(List.of(KeyInterval.ALL), TimeInterval.ALL, null, where, gather);
            List<String> found = new ArrayList<>();
            TreeScan scan = new TreeScan(spec, block -> found.addAll(texts(block)));
            trees.forEach(scan::scan);
            scan.finish();
            assertThat(found.stream().sorted().toList())
                    .as("question " + q)
                    .isEqualTo(rows.stream()
                            .filter(row -> row.v != null && row.v >= low && row.v <= high)
                            .map(Row::text)
                            .sorted()
                            .toList());
        }
        trees.forEach(TemplateTree::discard);
    }

    private TupleBlock block(RowLayout layout, int size) {
        TupleBlock block = new TupleBlock(layout, size);
        for (int i = 0; i < size; i++) {
            Row row = new Row(
                    random.nextInt(ROWS),
                    rows.size() + random.nextInt(100),
                    random.nextInt(20) == 0 ? null : (long) random.nextInt(MOST_VALUE),
                    random.nextInt(7),
                    random.nextInt(30) == 0 ? null : "text " + random.nextInt(random.nextBoolean() ? 5 : 5000),
                    new ArrayList<>());
            rows.add(row);
            block.keys()[i] = row.k;
            block.times()[i] = row.t;
            long nulls = 0;
            if (row.v == null) {
                nulls |= 1L << block.layout().nullBit(2);
            }
            // What stands under a null is not defined.
            LittleEndian.putLong(
                    block.column(block.layout().columnOf(2)),
                    i * 8,
                    row.v == null ? random.nextInt(MOST_VALUE) : row.v);
            LittleEndian.putInt(block.column(block.layout().columnOf(3)), i * 4, row.g);
            if (row.s == null) {
                nulls |= 1L << block.layout().nullBit(4);
            } else {
                byte[] text = row.s.getBytes(StandardCharsets.UTF_8);
                block.ensureArena(text.length);
                LittleEndian.putLong(
                        block.column(block.layout().columnOf(4)), i * 8, block.addToArena(text, 0, text.length));
            }
            for (int field = 5; field < layout.fields().size(); field++) {
                Long value = random.nextInt(3) == 0 ? null : random.nextLong();
                row.more.add(value);
                if (value == null) {
                    nulls |= 1L << layout.nullBit(field);
                } else {
                    LittleEndian.putLong(block.column(layout.columnOf(field)), i * 8, value);
                }
            }
            block.setSize(i + 1);
            block.setNullMask(i, nulls);
        }
        return block;
    }

    private void check(LocalStream stream, String about) throws InterruptedException {
        // From a few rows in all to nearly all rows.
        long low = random.nextInt(MOST_VALUE);
        long high = low + (long) Math.pow(MOST_VALUE, random.nextDouble());
        long fromKey = random.nextInt(3) == 0 ? random.nextInt(ROWS) : 0;
        long fromTime = random.nextInt(3) == 0 ? random.nextInt(ROWS) : 0;
        boolean unlike = random.nextBoolean();
        List<Row> matching = rows.stream()
                .filter(row -> row.k >= fromKey && row.t >= fromTime && row.v != null && row.v >= low && row.v <= high)
                .filter(row -> !unlike || (row.s != null && !row.s.endsWith("1")))
                .toList();
        Query query = stream.query()
                .withKeys(List.of(new KeyInterval(fromKey, Long.MAX_VALUE)))
                .withTimes(new TimeInterval(fromTime, Long.MAX_VALUE))
                .withWhere("v >= " + low + " AND v <= " + high + (unlike ? " AND s NOT LIKE '%1'" : ""));

        assertThat(answer(stream, query.withCount())).as(about).containsExactly(String.valueOf(matching.size()));
        List<String> all = matching.stream().map(Row::text).sorted().toList();
        assertThat(answer(stream, query).stream().sorted().toList()).as(about).isEqualTo(all);

        List<Long> values = rows.stream()
                .filter(row -> row.k >= fromKey && row.t >= fromTime && row.v != null)
                .map(Row::v)
                .toList();
        Query unconditioned = stream.query().withKeys(query.keys()).withTimes(query.times());
        List<Aggregate> ofAll =
                List.of(Aggregate.parse("sum(v)"), Aggregate.parse("min(v)"), Aggregate.parse("count(v)"));
        assertThat(answer(stream, unconditioned.withResult(new ResultSpec.Aggregates(ofAll, List.of(), null))))
                .as(about)
                .containsExactly((values.isEmpty()
                                ? null
                                : values.stream().mapToLong(v -> v).sum()) + "|"
                        + values.stream().min(Comparator.naturalOrder()).orElse(null) + "|" + values.size());

        int limit = 1 + random.nextInt(300);
        List<String> some = answer(stream, query.withLimit(limit));
        assertThat(some).as(about).hasSize(Math.min(limit, all.size()));
        assertThat(new HashSet<>(all).containsAll(some)).as(about).isTrue();

        Comparator<Row> others = Comparator.comparing(Row::k)
                .thenComparing(Row::t)
                .thenComparing(row -> row.v, Comparator.nullsLast(Comparator.naturalOrder()))
                .thenComparing(Row::g)
                .thenComparing(row -> row.s, Comparator.nullsLast(Comparator.naturalOrder()));
        List<String> first = matching.stream()
                .sorted(Comparator.comparing((Row row) -> -row.v).thenComparing(others))
                .limit(limit)
                .map(Row::text)
                .toList();
        Query ordered = query.withOrderBy(List.of(new Order("v", true))).withLimit(limit);
        assertThat(answer(stream, ordered)).as(about).isEqualTo(first);
        List<String> firstOfAll = rows.stream()
                .sorted(Comparator.comparing((Row row) -> -row.g).thenComparing(others))
                .limit(limit)
                .map(Row::text)
                .toList();
        Query unconditional =
                stream.query().withOrderBy(List.of(new Order("g", true))).withLimit(limit);
        assertThat(answer(stream, unconditional)).as(about).isEqualTo(firstOfAll);

        List<NamedExpression> computed = List.of(NamedExpression.parse("v + g as a"), NamedExpression.parse("k"));
        List<String> sums = answer(stream, query.withResult(new ResultSpec.Rows(computed, List.of(), Query.NO_LIMIT)));
        assertThat(sums.stream().sorted().toList())
                .as(about)
                .isEqualTo(matching.stream()
                        .map(row -> (row.v + row.g) + "|" + row.k)
                        .sorted()
                        .toList());

        Map<Integer, List<Row>> groups =
                matching.stream().collect(Collectors.groupingBy(Row::g, TreeMap::new, Collectors.toList()));
        List<String> summed = groups.entrySet().stream()
                .map(group -> group.getKey() + "|"
                        + group.getValue().stream().mapToLong(Row::v).sum() + "|"
                        + group.getValue().stream().mapToLong(Row::t).max().orElseThrow() + "|"
                        + group.getValue().stream()
                                .filter(row -> row.k < ROWS / 3)
                                .count())
                .toList();
        List<Aggregate> aggregates = List.of(
                Aggregate.parse("sum(v)"),
                Aggregate.parse("max(t)"),
                Aggregate.parse("count(*) FILTER (WHERE k < " + ROWS / 3 + ")"));
        assertThat(answer(
                        stream,
                        query.withResult(new ResultSpec.Aggregates(aggregates, NamedExpression.fields("g"), null))))
                .as(about)
                .containsExactlyInAnyOrderElementsOf(summed);
    }

    private static List<String> answer(LocalStream stream, Query query) throws InterruptedException {
        List<String> rows = new ArrayList<>();
        stream.answer(query, block -> rows.addAll(texts(block)));
        return rows;
    }

    private static List<String> texts(TupleBlock block) {
        List<String> rows = new ArrayList<>();
        for (int row = 0; row < block.size(); row++) {
            int at = row;
            rows.add(IntStream.range(0, block.layout().fields().size())
                    .mapToObj(field -> block.value(field, at))
                    .map(value -> value instanceof Instant time ? time.toEpochMilli() : value)
                    .map(String::valueOf)
                    .collect(Collectors.joining("|")));
        }
        return rows;
    }
}
