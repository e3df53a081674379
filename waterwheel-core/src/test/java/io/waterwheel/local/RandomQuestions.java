package io.waterwheel.local;

import io.waterwheel.geo.Box;
import io.waterwheel.geo.Circle;
import io.waterwheel.geo.Polygon;
import io.waterwheel.geo.Shape;
import io.waterwheel.query.Aggregate;
import io.waterwheel.query.KeyTime;
import io.waterwheel.query.NamedExpression;
import io.waterwheel.query.Order;
import io.waterwheel.query.Query;
import io.waterwheel.query.ResultSpec;
import io.waterwheel.query.aggregate.RandomAggregates;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.query.expression.RandomExpressions;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.TimeInterval;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Random questions of every kind to a stream, near what its rows hold. One thread. */
final class RandomQuestions {
    private final Random random;
    private final KeySpec key;
    private final List<Field> fields;
    private final List<QuestionTwin.Row> rows;
    private final SeriesTwin series;

    /** @param rows those of the stream so far, which may grow */
    RandomQuestions(Random random, Schema schema, List<QuestionTwin.Row> rows, SeriesTwin series) {
        this.random = random;
        this.key = schema.key();
        this.fields = schema.fields();
        this.rows = rows;
        this.series = series;
    }

    /** A random question, which narrows this one. */
    Query query(Query all) {
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
        } else if (random.nextInt(4) == 0) {
            query = query.withTimes(
                    random.nextBoolean()
                            ? new TimeInterval(random.nextInt(12) - 6L, Long.MAX_VALUE)
                            : new TimeInterval(Long.MIN_VALUE, random.nextInt(12)));
        }
        if (random.nextInt(3) != 0) {
            query = query.withWhere(new RandomExpressions(random, fields, false).condition(random.nextInt(3)));
        }
        if (random.nextInt(4) == 0) {
            query = query.withWhere(ofKey() + " AND t >= TIMESTAMP '1970-01-01 00:00:00.00" + random.nextInt(9) + "Z'");
        }
        ResultSpec result = result();
        if (isOfSteps(result) && query.where() != null && !saysBoundsPlainly(query.where())) {
            query = query.withWhere((Expression) null);
        }
        return query.withResult(result);
    }

    /** Whether it has steps of time that go from the first to the last which the question asks for. */
    private static boolean isOfSteps(ResultSpec result) {
        return result instanceof ResultSpec.Aggregates groups
                ? groups.fill() != null
                : result instanceof ResultSpec.Series series && series.downsampling() != null;
    }

    /** Whether the time stands in nothing but a least time after the outermost AND, as these questions have it. */
    private static boolean saysBoundsPlainly(Expression where) {
        return terms(where).stream()
                .allMatch(term -> leastTime(term) != null || !names(term).contains("t"));
    }

    private static List<Expression> terms(Expression where) {
        return where instanceof Expression.And and ? and.terms() : List.of(where);
    }

    private static Set<String> names(Expression node) {
        Set<String> names = new HashSet<>();
        if (node instanceof Expression.FieldValue field) {
            names.add(field.name());
        }
        node.parts().forEach(part -> names.addAll(names(part)));
        return names;
    }

    private static @Nullable Instant leastTime(Expression term) {
        return term instanceof Expression.Comparison comparison
                        && comparison.operator() == Expression.Comparison.Relation.AT_LEAST
                        && comparison.left().equals(new Expression.FieldValue("t"))
                        && comparison.right() instanceof Expression.Moment moment
                ? moment.value()
                : null;
    }

    /** The times that steps go through: the query's, and what its condition says of them. */
    static TimeInterval times(Query query) {
        long from = query.times().from();
        if (query.where() != null) {
            for (Expression term : terms(query.where())) {
                Instant least = leastTime(term);
                from = least == null ? from : Math.max(from, least.toEpochMilli());
            }
        }
        // Where they exclude each other, no tuple matches.
        return from > query.times().to()
                ? query.times()
                : new TimeInterval(from, query.times().to());
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
        List<Integer> kinds = key.onlyField() == null ? List.of(0, 1, 3, 4, 6) : List.of(0, 1, 2, 3, 4, 5, 6);
        return switch (kinds.get(random.nextInt(kinds.size()))) {
            case 5 -> lookup(select);
            case 6 -> series.question(key.onlyField() != null);
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
                yield chosen(
                        new ResultSpec.Aggregates(values, groupBy, bucket(), null, null, List.of(), Query.NO_LIMIT));
            }
        };
    }

    private ResultSpec.@Nullable Bucket bucket() {
        if (random.nextInt(3) != 0) {
            return null;
        }
        Duration length = Duration.ofMillis(1 + random.nextInt(5));
        return random.nextBoolean()
                ? ResultSpec.Bucket.of(length)
                : ResultSpec.Bucket.of(length, Instant.ofEpochMilli(random.nextInt(40) - 20));
    }

    /** Some of the groups, in some order. */
    private ResultSpec chosen(ResultSpec.Aggregates all) {
        List<String> names = QuestionTwin.answerNames(all);
        ResultSpec.Aggregates chosen = all;
        if (all.bucket() != null && random.nextBoolean()) {
            chosen = chosen.withFill(List.of(ResultSpec.Fill.values()).get(random.nextInt(3)));
        }
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

    private ResultSpec lookup(List<String> select) {
        List<KeyTime> pairs = new ArrayList<>();
        for (int i = random.nextInt(5); i >= 0 && !rows.isEmpty(); i--) {
            QuestionTwin.Row some = rows.get(random.nextInt(rows.size()));
            Instant time = Instant.ofEpochMilli(some.time() + random.nextInt(3) - 1);
            pairs.add(new KeyTime(QuestionTwin.keyText(some, fields), time));
        }
        return pairs.isEmpty()
                ? ResultSpec.Aggregates.COUNT
                : new ResultSpec.Lookup(pairs, random.nextBoolean(), select);
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
}
