package io.waterwheel.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.Rounds;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.Aggregate;
import io.waterwheel.query.NamedExpression;
import io.waterwheel.query.Order;
import io.waterwheel.query.Query;
import io.waterwheel.query.ResultSpec;
import io.waterwheel.query.Verdict;
import io.waterwheel.query.aggregate.AggregateOracle;
import io.waterwheel.query.aggregate.RandomAggregates;
import io.waterwheel.query.compile.RowInterpreter;
import io.waterwheel.query.compile.SmallRows;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.query.expression.ExpressionTypes;
import io.waterwheel.query.expression.RandomExpressions;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.TimeInterval;
import io.waterwheel.tuple.TupleBlock;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every kind of answer, over the tree and chunks at once, is what comes of looking at all rows one by one. */
final class LocalQueriesTest {
    private static final int SEEDS = Rounds.of(6, 30);
    private static final int QUERIES = 40;

    @TempDir
    Path folder;

    private record Row(long key, long time, Map<String, Object> values) {}

    private Random random = new Random(0);
    private List<Field> fields = List.of();
    private final List<Row> rows = new ArrayList<>();

    @Test
    void answersAreThoseOfLookingAtEveryRow() throws Exception {
        long first = Long.getLong("seed", 0);
        for (long seed = first; seed < first + SEEDS; seed++) {
            random = new Random(seed);
            SmallRows small = new SmallRows(random, true);
            fields = small.schema().fields();
            rows.clear();
            try (LocalStream stream =
                    LocalStream.open(folder.resolve("s" + seed), "s", small.schema(), LocalSettings.DEFAULT)) {
                for (int round = 0; round < 4; round++) {
                    insert(stream, small);
                    for (int q = 0; q < QUERIES / 4; q++) {
                        check(stream, "seed " + seed + " round " + round + " query " + q);
                    }
                }
            }
        }
    }

    @Test
    void anOverflowInAChunkFailsTheQueryAtOnce() throws Exception {
        random = new Random(1);
        SmallRows small = new SmallRows(random, false);
        try (LocalStream stream =
                LocalStream.open(folder.resolve("overflow"), "s", small.schema(), LocalSettings.DEFAULT)) {
            stream.insert(small.block(100));
            stream.flush();
            Query query = stream.query().withWhere("k * 9223372036854775807 > 5");
            assertThatThrownBy(() -> stream.answer(query, rows -> true))
                    .isInstanceOf(WaterwheelException.class)
                    .hasMessageContaining("k * 9223372036854775807")
                    .hasMessageContaining("exceeds 64 bits");
            Query many = stream.query()
                    .withAggregates(List.of(Aggregate.parse("sum(9223372036854775807 - k + k) AS all_of_them")));
            assertThatThrownBy(() -> stream.answer(many, rows -> true)).hasMessageContaining("exceeds 64 bits");
        }
    }

    @Test
    void tooManyGroupsAreAClearError() throws Exception {
        Schema schema = new Schema(
                List.of(new Field("k", FieldType.LONG, false), new Field("t", FieldType.TIMESTAMP, false)),
                new KeySpec.Ordered("k"),
                "t");
        try (LocalStream stream = LocalStream.open(folder.resolve("groups"), "s", schema, LocalSettings.DEFAULT)) {
            for (int b = 0; b < 270; b++) {
                TupleBlock block = new TupleBlock(stream.layout(), 1000);
                for (int row = 0; row < 1000; row++) {
                    block.keys()[row] = b * 1000L + row;
                }
                block.setSize(1000);
                stream.insert(block);
                if (b == 100) {
                    stream.flush();
                }
            }
            Query query = stream.query()
                    .withResult(
                            new ResultSpec.Aggregates(List.of(Aggregate.count()), NamedExpression.fields("k"), null));
            assertThatThrownBy(() -> stream.answer(query, rows -> true))
                    .hasMessageContaining("group by k: there are more than 262144 groups");
            long[] groups = {0};
            stream.answer(query.withTimes(TimeInterval.ALL).withWhere("k < 262144"), rows -> {
                groups[0] += rows.size();
                return true;
            });
            assertThat(groups[0]).isEqualTo(262_144);
        }
    }

    private void insert(LocalStream stream, SmallRows small) throws IOException {
        for (int b = random.nextInt(4); b >= 0; b--) {
            TupleBlock block = small.block(random.nextInt(random.nextInt(4) == 0 ? 3000 : 60));
            stream.insert(block);
            // Only now, because inserting may make the keys.
            for (int row = 0; row < block.size(); row++) {
                rows.add(new Row(block.keys()[row], block.times()[row], SmallRows.row(block, row)));
            }
            if (random.nextInt(3) == 0) {
                stream.flush();
            }
        }
    }

    private void check(LocalStream stream, String seed) throws InterruptedException {
        Query query = query(stream.query());
        String about = seed + ": " + query;
        List<List<String>> answer = new ArrayList<>();
        Verdict verdict;
        List<Row> matching;
        try {
            matching = matching(query);
        } catch (ArithmeticException e) {
            return;
        }
        List<List<String>> expected;
        try {
            expected = expected(query, matching);
        } catch (ArithmeticException e) {
            expected = null;
        }
        try {
            verdict = stream.answer(query, block -> {
                for (int row = 0; row < block.size(); row++) {
                    Map<String, Object> values = SmallRows.row(block, row);
                    List<String> texts = new ArrayList<>();
                    for (Field field : block.layout().fields()) {
                        texts.add(text(values.get(field.name())));
                    }
                    answer.add(texts);
                }
                return true;
            });
        } catch (WaterwheelException e) {
            assertThat(e.code()).as(about).isEqualTo("INTEGER_OVERFLOW");
            assertThat(expected).as(about).isNull();
            return;
        }
        assertThat(expected).as(about).isNotNull();
        if (query.result() instanceof ResultSpec.Rows wanted && wanted.orderBy().isEmpty()) {
            Comparator<List<String>> order = Comparator.comparing(List::toString);
            if (wanted.limit() >= matching.size()) {
                answer.sort(order);
                expected.sort(order);
            } else {
                assertThat(expected).as(about).containsAll(answer);
                assertThat((long) answer.size()).as(about).isEqualTo(wanted.limit());
                return;
            }
        }
        assertThat(answer).as(about).isEqualTo(expected);
        assertThat(verdict.tuples())
                .as(about)
                .isEqualTo(query.result() instanceof ResultSpec.Aggregates ? matching.size() : answer.size());
    }

    private List<Row> matching(Query query) {
        ExpressionTypes types = new ExpressionTypes(fields);
        List<Row> matching = new ArrayList<>();
        for (Row row : rows) {
            boolean condition = query.where() == null
                    || Boolean.TRUE.equals(new RowInterpreter(types, row.values()).value(query.where()));
            boolean key = query.keys().isEmpty() || query.keys().stream().anyMatch(k -> k.contains(row.key()));
            if (condition && key && query.times().contains(row.time())) {
                matching.add(row);
            }
        }
        return matching;
    }

    private Query query(Query all) {
        Query query = all;
        if (random.nextInt(3) == 0) {
            List<KeyInterval> keys = new ArrayList<>();
            for (int i = random.nextInt(3); i >= 0; i--) {
                long low = random.nextInt(9) - 4L;
                keys.add(new KeyInterval(low, random.nextBoolean() ? low : low + random.nextInt(4)));
            }
            query = query.withKeys(keys);
        }
        if (random.nextInt(3) == 0) {
            long from = random.nextInt(9);
            query = query.withTimes(new TimeInterval(from, from + random.nextInt(5)));
        }
        if (random.nextInt(3) != 0) {
            query = query.withWhere(new RandomExpressions(random, fields, false).condition(random.nextInt(3)));
        }
        if (random.nextInt(4) == 0) {
            query = query.withWhere(ofKey() + " AND t >= TIMESTAMP '1970-01-01 00:00:00.00" + random.nextInt(9) + "Z'");
        }
        return query.withResult(result());
    }

    /** A condition on the key's field. */
    private String ofKey() {
        Field key =
                fields.stream().filter(f -> f.name().equals("k")).findFirst().orElseThrow();
        String relation = List.of("=", "<", "<=", ">", ">=", "<>").get(random.nextInt(6));
        String[] literals = new String[2];
        for (int i = 0; i < 2; i++) {
            literals[i] = switch (key.type()) {
                case STRING -> new Expression.Text(RandomExpressions.text(random)).toString();
                case BYTES -> List.of("X''", "X'00'", "X'0101'", "X'02'").get(random.nextInt(4));
                case DOUBLE -> String.valueOf((random.nextInt(17) - 8) / 2.0);
                default -> String.valueOf(random.nextInt(9) - 4);
            };
        }
        return switch (random.nextInt(3)) {
            case 0 -> "k IN (" + literals[0] + ", " + literals[1] + ")";
            case 1 -> literals[0] + " " + relation + " k";
            default -> "k " + relation + " " + literals[0];
        };
    }

    private ResultSpec result() {
        List<String> names = new ArrayList<>(fields.stream().map(Field::name).toList());
        Collections.shuffle(names, random);
        List<String> select = random.nextInt(3) == 0 ? List.of() : names.subList(0, 1 + random.nextInt(names.size()));
        long limit = random.nextInt(3) == 0 ? Query.NO_LIMIT : random.nextInt(60);
        return switch (random.nextInt(5)) {
            case 0 -> new ResultSpec.Rows(selected(select), List.of(), limit);
            case 1 -> {
                Collections.shuffle(names, random);
                List<Order> orders = new ArrayList<>();
                for (String name : names.subList(0, 1 + random.nextInt(Math.min(3, names.size())))) {
                    orders.add(new Order(name, random.nextBoolean()));
                }
                List<NamedExpression> selected = selected(select);
                NamedExpression last = selected.isEmpty() ? null : selected.get(selected.size() - 1);
                if (last != null && !last.isField() && random.nextBoolean()) {
                    orders.add(random.nextInt(orders.size() + 1), new Order(last.name(), random.nextBoolean()));
                }
                yield new ResultSpec.Rows(selected, orders, limit);
            }
            case 2 -> new ResultSpec.Latest(1 + random.nextInt(random.nextBoolean() ? 3 : 200), select);
            case 3 -> ResultSpec.Aggregates.COUNT;
            default -> {
                List<String> groups = names.subList(0, random.nextInt(Math.min(4, names.size())));
                List<Aggregate> values = new ArrayList<>();
                // None: what is distinct.
                for (int i = groups.isEmpty() ? random.nextInt(4) : random.nextInt(5) - 1; i >= 0; i--) {
                    values.add(new RandomAggregates(random, fields).any("a" + i));
                }
                List<NamedExpression> groupBy = new ArrayList<>(NamedExpression.fields(groups.toArray(String[]::new)));
                if (random.nextInt(3) == 0) {
                    groupBy.add(new NamedExpression(
                            new Expression.IsNull(new Expression.FieldValue(names.get(0)), random.nextBoolean()),
                            "computed"));
                }
                yield new ResultSpec.Aggregates(
                        values, groupBy, random.nextInt(3) == 0 ? Duration.ofMillis(1 + random.nextInt(5)) : null);
            }
        };
    }

    /** These fields, and now and then one that is computed. */
    private List<NamedExpression> selected(List<String> names) {
        List<NamedExpression> selected = new ArrayList<>(NamedExpression.fields(names.toArray(String[]::new)));
        if (!names.isEmpty() && random.nextInt(3) == 0) {
            Expression field = new Expression.FieldValue(names.get(0));
            Expression isNull = new Expression.IsNull(field, false);
            selected.add(new NamedExpression(
                    switch (random.nextInt(4)) {
                        case 0 -> isNull;
                        case 1 -> field;
                        case 2 -> new Expression.Case(List.of(isNull), List.of(new Expression.Text("none")), null);
                        default ->
                            new Expression.Case(
                                    List.of(isNull), List.of(new Expression.Whole(7)), new Expression.Decimal(0.5));
                    },
                    "made"));
        }
        return selected;
    }

    private List<Row> withComputed(List<Row> rows, List<NamedExpression> select) {
        ExpressionTypes types = new ExpressionTypes(fields);
        List<Row> all = new ArrayList<>();
        for (Row row : rows) {
            Map<String, Object> values = new HashMap<>(row.values());
            for (NamedExpression one : select) {
                values.put(one.name(), new RowInterpreter(types, row.values()).value(one.expression()));
            }
            all.add(new Row(row.key(), row.time(), values));
        }
        return all;
    }

    private List<List<String>> expected(Query query, List<Row> matching) {
        if (query.result() instanceof ResultSpec.Aggregates wanted) {
            return aggregates(wanted, matching);
        } else if (query.result() instanceof ResultSpec.Latest wanted) {
            List<Row> latest = new ArrayList<>();
            // The keys of texts are only their beginnings.
            Map<Object, List<Row>> byKey = new TreeMap<>(LocalQueriesTest::compare);
            boolean field = fields.stream()
                    .anyMatch(f -> f.name().equals("k") && f.type().variable());
            matching.forEach(
                    row -> byKey.computeIfAbsent(field ? row.values().get("k") : row.key(), key -> new ArrayList<>())
                            .add(row));
            for (List<Row> ofKey : byKey.values()) {
                ofKey.sort(Comparator.comparingLong(Row::time).reversed().thenComparing(by(names(wanted.select()))));
                latest.addAll(ofKey.subList(0, Math.min(ofKey.size(), wanted.perKey())));
            }
            return texts(latest, names(wanted.select()));
        }
        ResultSpec.Rows wanted = (ResultSpec.Rows) query.result();
        List<String> names =
                names(wanted.select().stream().map(NamedExpression::name).toList());
        List<Row> sorted = withComputed(matching, wanted.select());
        if (wanted.orderBy().isEmpty()) {
            return texts(sorted, names);
        }
        // A stable sort by the last first.
        sorted.sort(by(names));
        for (int o = wanted.orderBy().size() - 1; o >= 0; o--) {
            Comparator<Row> next = by(List.of(wanted.orderBy().get(o).field()));
            sorted.sort(wanted.orderBy().get(o).descending() ? next.reversed() : next);
        }
        return texts(sorted.subList(0, (int) Math.min(sorted.size(), wanted.limit())), names);
    }

    private List<String> names(List<String> select) {
        return select.isEmpty() ? fields.stream().map(Field::name).toList() : select;
    }

    private static Comparator<Row> by(List<String> names) {
        return (a, b) -> {
            for (String name : names) {
                int compared = compare(a.values().get(name), b.values().get(name));
                if (compared != 0) {
                    return compared;
                }
            }
            return 0;
        };
    }

    private static int compare(Object left, Object right) {
        if (left == null || right == null) {
            return Boolean.compare(left != null, right != null);
        }
        return RowInterpreter.compare(left, right);
    }

    private static List<List<String>> texts(List<Row> rows, List<String> names) {
        List<List<String>> texts = new ArrayList<>();
        for (Row row : rows) {
            List<String> text = new ArrayList<>();
            names.forEach(name -> text.add(text(row.values().get(name))));
            texts.add(text);
        }
        return texts;
    }

    private static String text(Object value) {
        if (value instanceof Double number) {
            return String.valueOf(number + 0.0); // one zero
        }
        return value instanceof byte[] bytes ? Arrays.toString(bytes) : String.valueOf(value);
    }

    private List<List<String>> aggregates(ResultSpec.Aggregates wanted, List<Row> matching) {
        Map<List<Object>, List<Row>> groups = new TreeMap<>((a, b) -> {
            int compared = 0;
            for (int i = 0; i < a.size() && compared == 0; i++) {
                compared = compare(a.get(i), b.get(i));
            }
            return compared;
        });
        Duration bucket = wanted.bucket();
        for (Row row : matching) {
            List<Object> group = new ArrayList<>();
            wanted.groupBy()
                    .forEach(by -> group.add(
                            new RowInterpreter(new ExpressionTypes(fields), row.values()).value(by.expression())));
            if (bucket != null) {
                group.add(java.time.Instant.ofEpochMilli(
                        Math.floorDiv(row.time(), bucket.toMillis()) * bucket.toMillis()));
            }
            groups.computeIfAbsent(group, key -> new ArrayList<>()).add(row);
        }
        if (wanted.groupBy().isEmpty() && bucket == null && groups.isEmpty()) {
            groups.put(List.of(), List.of());
        }
        List<List<String>> answer = new ArrayList<>();
        groups.forEach((group, ofGroup) -> {
            List<String> text = new ArrayList<>();
            group.forEach(value -> text.add(text(value)));
            wanted.values().forEach(aggregate -> text.add(text(value(aggregate, ofGroup))));
            answer.add(text);
        });
        return answer;
    }

    private Object value(Aggregate aggregate, List<Row> group) {
        return AggregateOracle.value(
                aggregate, group.stream().map(Row::values).toList(), new ExpressionTypes(fields), "t");
    }
}
