package io.waterwheel.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.error.WaterwheelException;
import io.waterwheel.key.Area;
import io.waterwheel.query.Aggregate;
import io.waterwheel.query.KeyTime;
import io.waterwheel.query.NamedExpression;
import io.waterwheel.query.Order;
import io.waterwheel.query.PageToken;
import io.waterwheel.query.Query;
import io.waterwheel.query.ResultSpec;
import io.waterwheel.query.aggregate.AggregateOracle;
import io.waterwheel.query.compile.RowInterpreter;
import io.waterwheel.query.compile.SmallRows;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.query.expression.ExpressionTypes;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.TimeInterval;
import io.waterwheel.tuple.TupleBlock;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
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
    /** That are asked for of one question. */
    private static final int MOST_PAGES = 4;

    private final List<Field> fields;
    private final List<Row> rows = new ArrayList<>();
    private final RandomQuestions questions;
    private final SeriesTwin series;

    record Row(long key, long time, Map<String, Object> values) {}

    /**
     * An answer.
     *
     * @param rows by {@link #text}
     * @param tuples as the verdict says
     * @param next what asks for the tuples behind these
     */
    public record Answer(
            List<List<String>> rows, long tuples, @Nullable PageToken next) {}

    /** What answers. */
    public interface Engine {
        /** The answer; fails with a WaterwheelException when there is none. */
        Answer answer(Query query) throws Exception;
    }

    public QuestionTwin(Random random, Schema schema) {
        this.fields = schema.fields();
        this.series = new SeriesTwin(random, schema.fields(), QuestionTwin::text);
        this.questions = new RandomQuestions(random, schema, rows, series);
    }

    /** Takes rows with their keys and times. */
    public void add(TupleBlock block) {
        for (int row = 0; row < block.size(); row++) {
            rows.add(new Row(block.keys()[row], block.times()[row], SmallRows.row(block, row)));
        }
    }

    /** A random question, which narrows this one. */
    public Query query(Query all) {
        return questions.query(all);
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
        if (expected == null && isCutSeries(question.result())) {
            return; // It depends on the block whether what overflows is computed.
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
        if (question.result() instanceof ResultSpec.Rows wanted
                && !wanted.orderBy().isEmpty()
                && wanted.limit() > 0) {
            checkPages(question, wanted, matching, given, engine, about);
        }
    }

    private static boolean isCutSeries(ResultSpec result) {
        return result instanceof ResultSpec.Series series
                && series.downsampling() != null
                && series.limit() != Query.NO_LIMIT;
    }

    /** Asks for what is behind an answer, page by page. */
    private void checkPages(
            Query question, ResultSpec.Rows wanted, List<Row> matching, Answer first, Engine engine, String about)
            throws Exception {
        List<List<String>> all = expected(
                question.withResult(new ResultSpec.Rows(wanted.select(), wanted.orderBy(), Query.NO_LIMIT)), matching);
        Answer page = first;
        int before = page.rows().size();
        for (int number = 2; page.next() != null; number++) {
            assertThat((long) page.rows().size()).as(about).isEqualTo(wanted.limit());
            if (number > MOST_PAGES) {
                return;
            }
            page = engine.answer(question.withResult(wanted.withAfter(page.next())));
            int end = (int) Math.min(all.size(), before + wanted.limit());
            assertThat(page.rows()).as("%s, page %s", about, number).isEqualTo(all.subList(before, end));
            before = end;
        }
        // No token: there is nothing behind.
        assertThat(before).as(about).isEqualTo(all.size());
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

    static List<String> answerNames(ResultSpec.Aggregates of) {
        List<String> names = new ArrayList<>();
        of.groupBy().forEach(group -> names.add(group.name()));
        if (of.bucket() != null) {
            names.add(ResultSpec.Aggregates.BUCKET);
        }
        of.values().forEach(value -> names.add(value.name()));
        return names;
    }

    private static FieldType keyType(List<Field> fields) {
        return fields.stream()
                .filter(field -> field.name().equals("k"))
                .findFirst()
                .orElseThrow()
                .type();
    }

    /** The key as a lookup names it. */
    static String keyText(Row row, List<Field> fields) {
        Object key = row.values().get("k");
        if (key instanceof byte[] bytes) {
            return keyType(fields).hasSixteenBytes()
                    ? keyType(fields).textOfSixteen(bytes, 0)
                    : Base64.getEncoder().encodeToString(bytes);
        }
        return text(key);
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
            return aggregates(wanted, RandomQuestions.times(query), matching);
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
            List<List<String>> answer =
                    series.expected(wanted, matching.stream().map(Row::values).toList(), RandomQuestions.times(query));
            if (answer == null) {
                throw new ArithmeticException();
            }
            return answer;
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
                    .filter(row -> keyText(row, fields).equals(pair.key()))
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

    private List<List<String>> aggregates(ResultSpec.Aggregates wanted, TimeInterval times, List<Row> matching) {
        Map<List<Object>, List<Row>> groups = new TreeMap<>((a, b) -> {
            int compared = 0;
            for (int i = 0; i < a.size() && compared == 0; i++) {
                compared = compare(a.get(i), b.get(i));
            }
            return compared;
        });
        ResultSpec.Bucket bucket = wanted.bucket();
        for (Row row : matching) {
            List<Object> group = new ArrayList<>();
            wanted.groupBy()
                    .forEach(by -> group.add(
                            new RowInterpreter(new ExpressionTypes(fields), row.values()).value(by.expression())));
            if (bucket != null) {
                group.add(Instant.ofEpochMilli(
                        Math.floorDiv(row.time() - bucket.ahead(), bucket.millis()) * bucket.millis()
                                + bucket.ahead()));
            }
            groups.computeIfAbsent(group, key -> new ArrayList<>()).add(row);
        }
        if (wanted.groupBy().isEmpty() && bucket == null && groups.isEmpty()) {
            groups.put(List.of(), List.of());
        }
        List<String> names = answerNames(wanted);
        List<List<Object>> all = new ArrayList<>();
        groups.forEach((group, ofGroup) -> {
            List<Object> values = new ArrayList<>(group);
            wanted.values().forEach(aggregate -> values.add(value(aggregate, ofGroup)));
            all.add(values);
        });
        if (wanted.fill() != null) {
            new FilledBuckets(wanted, times, new ExpressionTypes(fields)).fill(all);
        }
        List<Row> answer = new ArrayList<>();
        for (List<Object> values : all) {
            Map<String, Object> named = new HashMap<>();
            for (int i = 0; i < names.size(); i++) {
                named.put(names.get(i), values.get(i));
            }
            answer.add(new Row(0, 0, named));
        }
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
