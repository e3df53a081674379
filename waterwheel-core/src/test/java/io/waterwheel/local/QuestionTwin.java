package io.waterwheel.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.error.WaterwheelException;
import io.waterwheel.geo.Box;
import io.waterwheel.geo.Circle;
import io.waterwheel.geo.Polygon;
import io.waterwheel.geo.Shape;
import io.waterwheel.key.Area;
import io.waterwheel.query.Aggregate;
import io.waterwheel.query.KeyTime;
import io.waterwheel.query.NamedExpression;
import io.waterwheel.query.NeighbourValue;
import io.waterwheel.query.Order;
import io.waterwheel.query.Query;
import io.waterwheel.query.ResultSpec;
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
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * All rows of a stream of {@link SmallRows}, one by one: asks random questions of every kind, and says what the answer
 * is by looking at each row. One thread.
 */
public final class QuestionTwin {
    private final Random random;
    private final KeySpec key;
    private final List<Field> fields;
    private final List<Row> rows = new ArrayList<>();

    private record Row(long key, long time, Map<String, Object> values) {}

    /**
     * An answer.
     *
     * @param rows by {@link #text}
     * @param tuples as the verdict says
     */
    public record Answer(List<List<String>> rows, long tuples) {}

    /** What answers. */
    public interface Engine {
        /** The answer; fails with a WaterwheelException when there is none. */
        Answer answer(Query query) throws Exception;
    }

    public QuestionTwin(Random random, Schema schema) {
        this.random = random;
        this.key = schema.key();
        this.fields = schema.fields();
    }

    /** Takes rows with their keys and times. */
    public void add(TupleBlock block) {
        for (int row = 0; row < block.size(); row++) {
            rows.add(new Row(block.keys()[row], block.times()[row], SmallRows.row(block, row)));
        }
    }

    /** Asks one question, and compares. */
    public void check(Query question, Engine engine, String seed) throws Exception {
        String about = seed + ": " + question;
        List<Row> matching;
        try {
            matching = matching(question);
        } catch (ArithmeticException e) {
            return;
        }
        List<List<String>> expected;
        try {
            expected = expected(question, matching);
        } catch (ArithmeticException e) {
            expected = null;
        }
        Answer given;
        try {
            given = engine.answer(question);
        } catch (WaterwheelException e) {
            assertThat(e.code()).as(about).isEqualTo("INTEGER_OVERFLOW");
            assertThat(expected).as(about).isNull();
            return;
        }
        assertThat(expected).as(about).isNotNull();
        List<List<String>> answer = new ArrayList<>(given.rows());
        if (question.result() instanceof ResultSpec.Rows wanted
                && wanted.orderBy().isEmpty()) {
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
        assertThat(given.tuples())
                .as(about)
                .isEqualTo(question.result() instanceof ResultSpec.Aggregates ? matching.size() : answer.size());
    }

    private List<Row> matching(Query query) {
        ExpressionTypes types = new ExpressionTypes(fields);
        Area area = query.shape() == null ? null : Area.of(query.shape());
        List<Row> matching = new ArrayList<>();
        for (Row row : rows) {
            boolean inside = area == null
                    || area.contains((Double) row.values().get("x"), (Double)
                            row.values().get("y"));
            boolean condition = query.where() == null
                    || Boolean.TRUE.equals(new RowInterpreter(types, row.values()).value(query.where()));
            boolean ofKey = query.keys().isEmpty() || query.keys().stream().anyMatch(k -> k.contains(row.key()));
            if (inside && condition && ofKey && query.times().contains(row.time())) {
                matching.add(row);
            }
        }
        return matching;
    }

    /** A random question, which narrows this one. */
    public Query query(Query all) {
        Query query = all;
        if (random.nextInt(3) == 0) {
            List<KeyInterval> keys = new ArrayList<>();
            for (int i = random.nextInt(3); i >= 0; i--) {
                keys.add(keyInterval());
            }
            query = query.withKeys(keys);
        }
        if (!key.position().isEmpty() && random.nextInt(3) != 0) {
            query = query.withShape(shape());
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

    private KeyInterval keyInterval() {
        if (key.onlyField() == null && !rows.isEmpty()) {
            long one = rows.get(random.nextInt(rows.size())).key();
            long other = random.nextBoolean()
                    ? one
                    : rows.get(random.nextInt(rows.size())).key();
            return new KeyInterval(Math.min(one, other), Math.max(one, other));
        }
        long low = random.nextInt(9) - 4L;
        return new KeyInterval(low, random.nextBoolean() ? low : low + random.nextInt(4));
    }

    /** Often with rows on its border: positions are halves of degrees. */
    private Shape shape() {
        double west = (random.nextInt(17) - 8) / 2.0;
        double south = (random.nextInt(17) - 8) / 2.0;
        double east = west + random.nextInt(9) / 2.0;
        double north = south + random.nextInt(9) / 2.0;
        return switch (random.nextInt(4)) {
            case 0 -> new Circle(west, south, random.nextInt(4) * Circle.distance(west, south, west, south + 0.5));
            case 1 ->
                new Polygon("POLYGON((" + west + " " + south + ", " + (east + 1) + " " + south + ", "
                        + (east + random.nextInt(2)) + " " + (north + 1) + ", " + west + " " + south + "))");
            default -> new Box(west, south, east, north);
        };
    }

    /** A condition on a field that is the key, or part of it or not. */
    private String ofKey() {
        Field key =
                fields.stream().filter(f -> f.name().equals("k")).findFirst().orElseThrow();
        String relation = List.of("=", "<", "<=", ">", ">=", "<>").get(random.nextInt(6));
        String[] literals = new String[2];
        for (int i = 0; i < 2; i++) {
            literals[i] = switch (key.type().kind()) {
                case STRING -> new Expression.Text(RandomExpressions.text(random)).toString();
                case BYTES -> List.of("X''", "X'00'", "X'0101'", "X'02'").get(random.nextInt(4));
                case DOUBLE -> String.valueOf((random.nextInt(17) - 8) / 2.0);
                case UUID, IPV6 ->
                    key.type() + " '" + key.type().textOfSixteen(RandomExpressions.sixteen(random), 0) + "'";
                case DECIMAL ->
                    random.nextBoolean()
                            ? String.valueOf(random.nextInt(9) - 4)
                            : "DECIMAL '"
                                    + RandomExpressions.decimal(key.type(), random)
                                            .toPlainString() + "'";
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
        // What is said of single keys is refused where several values make one.
        List<Integer> kinds = key.onlyField() == null ? List.of(0, 1, 3, 4) : List.of(0, 1, 2, 3, 4, 5, 6);
        return switch (kinds.get(random.nextInt(kinds.size()))) {
            case 5 -> lookup(select);
            case 6 -> series(select);
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
            case 2 ->
                new ResultSpec.Latest(
                        1 + random.nextInt(random.nextBoolean() ? 3 : 200), 1 + random.nextInt(3) / 2, select);
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
                yield chosen(new ResultSpec.Aggregates(
                        values, groupBy, random.nextInt(3) == 0 ? Duration.ofMillis(1 + random.nextInt(5)) : null));
            }
        };
    }

    /** Some of the groups, in some order. */
    private ResultSpec chosen(ResultSpec.Aggregates all) {
        List<String> names = answerNames(all);
        ResultSpec.Aggregates chosen = all;
        if (random.nextInt(4) == 0) {
            chosen = chosen.withHaving(new Expression.IsNull(
                    new Expression.FieldValue(names.get(random.nextInt(names.size()))), random.nextBoolean()));
        }
        if (random.nextInt(3) == 0) {
            List<Order> orders = random.nextBoolean()
                    ? List.of()
                    : List.of(new Order(names.get(random.nextInt(names.size())), random.nextBoolean()));
            chosen = chosen.withOrder(orders, random.nextBoolean() ? Query.NO_LIMIT : random.nextInt(20));
        }
        return chosen;
    }

    private static List<String> answerNames(ResultSpec.Aggregates of) {
        List<String> names = new ArrayList<>();
        of.groupBy().forEach(group -> names.add(group.name()));
        if (of.bucket() != null) {
            names.add(ResultSpec.Aggregates.BUCKET);
        }
        of.values().forEach(value -> names.add(value.name()));
        return names;
    }

    private ResultSpec lookup(List<String> select) {
        List<KeyTime> pairs = new ArrayList<>();
        for (int i = random.nextInt(5); i >= 0 && !rows.isEmpty(); i--) {
            Row some = rows.get(random.nextInt(rows.size()));
            Instant time = Instant.ofEpochMilli(some.time() + random.nextInt(3) - 1);
            pairs.add(new KeyTime(keyText(some), time));
        }
        return pairs.isEmpty()
                ? ResultSpec.Aggregates.COUNT
                : new ResultSpec.Lookup(pairs, random.nextBoolean(), select);
    }

    private FieldType keyType() {
        return fields.stream()
                .filter(field -> field.name().equals("k"))
                .findFirst()
                .orElseThrow()
                .type();
    }

    /** The key as a lookup names it. */
    private String keyText(Row row) {
        Object key = row.values().get("k");
        if (key instanceof byte[] bytes) {
            return keyType().hasSixteenBytes()
                    ? keyType().textOfSixteen(bytes, 0)
                    : Base64.getEncoder().encodeToString(bytes);
        }
        return text(key);
    }

    private ResultSpec series(List<String> select) {
        List<NeighbourValue> values = new ArrayList<>();
        for (int i = random.nextInt(2); i >= 0; i--) {
            String of = fields.get(random.nextInt(fields.size())).name();
            values.add(new NeighbourValue(NeighbourValue.Kind.LAG, new Expression.FieldValue(of), "lag" + i));
        }
        return new ResultSpec.Series(
                List.of(),
                NamedExpression.fields(select.toArray(String[]::new)),
                values,
                null,
                random.nextBoolean() ? Query.NO_LIMIT : random.nextInt(40));
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
            Map<Object, List<Row>> byKey = new TreeMap<>(QuestionTwin::compare);
            boolean field = fields.stream()
                    .anyMatch(f -> f.name().equals("k") && f.type().variable());
            matching.forEach(
                    row -> byKey.computeIfAbsent(field ? row.values().get("k") : row.key(), key -> new ArrayList<>())
                            .add(row));
            for (List<Row> ofKey : byKey.values()) {
                ofKey.sort(Comparator.comparingLong(Row::time).reversed().thenComparing(by(names(wanted.select()))));
                for (int i = 0; i < Math.min(ofKey.size(), wanted.perKey()); i += wanted.every()) {
                    latest.add(ofKey.get(i));
                }
            }
            return texts(latest, names(wanted.select()));
        }
        if (query.result() instanceof ResultSpec.Lookup wanted) {
            return found(wanted, matching);
        } else if (query.result() instanceof ResultSpec.Series wanted) {
            return neighbours(wanted, matching);
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

    private List<List<String>> found(ResultSpec.Lookup wanted, List<Row> matching) {
        List<List<String>> answer = new ArrayList<>();
        List<String> names = names(wanted.select());
        for (int p = 0; p < wanted.pairs().size(); p++) {
            KeyTime pair = wanted.pairs().get(p);
            long time = pair.time().toEpochMilli();
            Row first = matching.stream()
                    .filter(row -> keyText(row).equals(pair.key()))
                    .filter(row -> wanted.asOf() ? row.time() <= time : row.time() == time)
                    .min(Comparator.comparingLong(Row::time).reversed().thenComparing(by(names)))
                    .orElse(null);
            List<String> texts = new ArrayList<>(List.of(Integer.toString(p + 1), Boolean.toString(first != null)));
            names.forEach(name ->
                    texts.add(first == null ? "null" : text(first.values().get(name))));
            answer.add(texts);
        }
        return answer;
    }

    private List<List<String>> neighbours(ResultSpec.Series wanted, List<Row> matching) {
        List<String> named = new ArrayList<>(
                names(wanted.select().stream().map(NamedExpression::name).toList()));
        List<String> of = wanted.values().stream()
                .map(value -> ((Expression.FieldValue) value.argument()).name())
                .toList();
        List<String> order = new ArrayList<>(named);
        order.addAll(of);
        List<Row> sorted = new ArrayList<>(matching);
        sorted.sort(by(List.of("k")).thenComparingLong(Row::time).thenComparing(by(order)));
        List<List<String>> answer = new ArrayList<>();
        for (int i = 0; i < Math.min(sorted.size(), wanted.limit()); i++) {
            Row row = sorted.get(i);
            Row before = i > 0 && by(List.of("k")).compare(sorted.get(i - 1), row) == 0 ? sorted.get(i - 1) : null;
            List<String> texts = new ArrayList<>();
            named.forEach(name -> texts.add(text(row.values().get(name))));
            of.forEach(name ->
                    texts.add(before == null ? "null" : text(before.values().get(name))));
            answer.add(texts);
        }
        return answer;
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

    /** A value as the twin writes it: a number, an instant, an array of bytes, text; or null. */
    public static String text(@Nullable Object value) {
        if (value instanceof Double number) {
            return String.valueOf(number + 0.0); // one zero
        } else if (value instanceof BigDecimal decimal) {
            return decimal.toPlainString();
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
        List<String> names = answerNames(wanted);
        List<Row> answer = new ArrayList<>();
        groups.forEach((group, ofGroup) -> {
            Map<String, Object> values = new HashMap<>();
            for (int i = 0; i < names.size(); i++) {
                values.put(
                        names.get(i),
                        i < group.size() ? group.get(i) : value(wanted.values().get(i - group.size()), ofGroup));
            }
            answer.add(new Row(0, 0, values));
        });
        if (wanted.having() instanceof Expression.IsNull test) {
            String name = ((Expression.FieldValue) test.operand()).name();
            answer.removeIf(row -> (row.values().get(name) == null) == test.negated());
        }
        if (!wanted.orderBy().isEmpty()) {
            Order first = wanted.orderBy().get(0);
            Comparator<Row> order = by(List.of(first.field()));
            answer.sort((first.descending() ? order.reversed() : order).thenComparing(by(names)));
        }
        return texts(answer.subList(0, (int) Math.min(answer.size(), wanted.limit())), names);
    }

    private Object value(Aggregate aggregate, List<Row> group) {
        return AggregateOracle.value(
                aggregate, group.stream().map(Row::values).toList(), new ExpressionTypes(fields), "t");
    }
}
