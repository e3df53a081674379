package io.waterwheel.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.Rounds;
import io.waterwheel.query.Aggregate;
import io.waterwheel.query.NamedExpression;
import io.waterwheel.query.Order;
import io.waterwheel.query.Query;
import io.waterwheel.query.ResultSpec;
import io.waterwheel.query.aggregate.AggregateFunctions;
import io.waterwheel.query.aggregate.RandomAggregates;
import io.waterwheel.query.compile.SmallRows;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.tuple.TupleBlock;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Aggregates, groups and time buckets, over the tree and chunks at once, are those of SQLite. */
final class SqliteAggregatesTest {
    private static final int SEEDS = Rounds.of(5, 15);
    private static final int QUERIES = 30;

    /** What SQLite has, too. */
    private static final Set<String> KNOWN = Set.of("count", "count_distinct", "sum", "avg", "min", "max");

    @TempDir
    Path folder;

    private Random random = new Random(0);
    private List<Field> fields = List.of();

    @Test
    void aggregatesAreThoseOfSqlite() throws Exception {
        long first = Long.getLong("seed", 0);
        for (long seed = first; seed < first + SEEDS; seed++) {
            random = new Random(seed);
            SmallRows rows = new SmallRows(random, false);
            fields = rows.schema().fields();
            try (LocalStream stream =
                            LocalStream.open(folder.resolve("s" + seed), "s", rows.schema(), LocalSettings.DEFAULT);
                    Connection sqlite = DriverManager.getConnection("jdbc:sqlite::memory:");
                    Statement statement = sqlite.createStatement()) {
                statement.execute("CREATE TABLE rows ("
                        + fields.stream()
                                .map(f -> f.name() + " " + type(f.type()))
                                .collect(Collectors.joining(", "))
                        + ")");
                for (int b = random.nextInt(5); b >= 0; b--) {
                    TupleBlock block = rows.block(random.nextInt(300));
                    stream.insert(block);
                    load(sqlite, block);
                    if (random.nextBoolean()) {
                        stream.flush();
                    }
                }
                for (int q = 0; q < QUERIES; q++) {
                    check(stream, statement, "seed " + seed + " query " + q);
                }
            }
        }
    }

    private void check(LocalStream stream, Statement statement, String seed) throws Exception {
        List<Aggregate> values = new ArrayList<>();
        List<String> columns = new ArrayList<>();
        List<String> names = new ArrayList<>(fields.stream().map(Field::name).toList());
        Collections.shuffle(names, random);
        List<String> groups = List.copyOf(names.subList(0, random.nextInt(Math.min(4, names.size()))));
        Duration bucket = random.nextInt(3) == 0 ? Duration.ofMillis(1 + random.nextInt(5)) : null;
        List<NamedExpression> groupBy = new ArrayList<>(NamedExpression.fields(groups.toArray(String[]::new)));
        columns.addAll(groups);
        if (random.nextInt(3) == 0) {
            int modulus = 1 + random.nextInt(4);
            groupBy.add(NamedExpression.parse("k % " + modulus + " AS rest"));
            columns.add("k % " + modulus + " AS rest");
        }
        if (bucket != null) {
            columns.add("t / " + bucket.toMillis() + " * " + bucket.toMillis() + " AS bucket");
        }
        int grouped = columns.size();
        for (int i = random.nextInt(4); i >= 0; i--) {
            Aggregate value = aggregate(i);
            values.add(value);
            columns.add(value.toString().replace("count_distinct(", "count(DISTINCT "));
        }
        String where = random.nextBoolean() ? null : "k > " + (random.nextInt(9) - 4);
        String sql = "SELECT " + String.join(", ", columns) + " FROM rows" + (where == null ? "" : " WHERE " + where);
        if (grouped > 0) {
            String numbers = String.join(
                    ", ",
                    IntStream.rangeClosed(1, grouped)
                            .mapToObj(Integer::toString)
                            .toList());
            sql += " GROUP BY " + numbers;
        }
        ResultSpec.Aggregates wanted = new ResultSpec.Aggregates(values, groupBy, bucket);
        if (grouped > 0 && random.nextBoolean()) {
            String having = random.nextBoolean() && groups.contains("k") ? "k < 2 OR a0 IS NULL" : "a0 IS NOT NULL";
            wanted = wanted.withHaving(Expression.parse(having));
            sql += " HAVING " + having;
        }
        if (grouped > 0) {
            // All fields of the answer, so that the order is fully defined.
            List<String> answered =
                    new ArrayList<>(groupBy.stream().map(NamedExpression::name).toList());
            if (bucket != null) {
                answered.add(ResultSpec.Aggregates.BUCKET);
            }
            values.forEach(value -> answered.add(value.name()));
            List<Order> orders = new ArrayList<>();
            if (random.nextBoolean()) {
                orders.add(new Order(answered.get(random.nextInt(answered.size())), random.nextBoolean()));
            }
            List<String> order = new ArrayList<>();
            orders.forEach(one -> order.add(one.field() + (one.descending() ? " DESC" : "")));
            order.addAll(answered);
            long limit = random.nextInt(3) == 0 ? random.nextInt(20) : Query.NO_LIMIT;
            wanted = wanted.withOrder(orders, limit);
            sql += " ORDER BY " + String.join(", ", order) + " LIMIT " + limit;
        }
        Query query = stream.query().withResult(wanted);
        if (where != null) {
            query = query.withWhere(where);
        }
        List<List<String>> answer = new ArrayList<>();
        stream.answer(query, block -> {
            for (int row = 0; row < block.size(); row++) {
                List<String> texts = new ArrayList<>();
                for (int f = 0; f < block.layout().fields().size(); f++) {
                    texts.add(text(block.value(f, row)));
                }
                answer.add(texts);
            }
            return true;
        });
        assertThat(answer).as("%s: %s", seed, sql).isEqualTo(ask(statement, sql));
    }

    private Aggregate aggregate(int number) {
        Aggregate any = new RandomAggregates(random, fields).any("a" + number);
        if (KNOWN.contains(any.function().name())) {
            return any;
        }
        return new Aggregate(
                AggregateFunctions.of(any.arguments().size() == 1 ? "count_distinct" : "count"),
                any.arguments().stream().limit(1).toList(),
                any.filter(),
                any.name());
    }

    private static List<List<String>> ask(Statement statement, String sql) throws SQLException {
        List<List<String>> rows = new ArrayList<>();
        try (ResultSet results = statement.executeQuery(sql)) {
            int columns = results.getMetaData().getColumnCount();
            while (results.next()) {
                List<String> row = new ArrayList<>();
                for (int c = 1; c <= columns; c++) {
                    row.add(text(results.getObject(c)));
                }
                rows.add(row);
            }
        }
        return rows;
    }

    /** SQLite knows whole numbers, doubles, text and bytes. Sums of halves of small numbers are exact in any order. */
    private static String text(@Nullable Object value) {
        if (value instanceof Boolean truth) {
            return truth ? "1" : "0";
        } else if (value instanceof Float || value instanceof Double) {
            return String.valueOf(((Number) value).doubleValue() + 0.0); // one zero
        }
        return value instanceof byte[] bytes ? Arrays.toString(bytes) : String.valueOf(value);
    }

    private void load(Connection sqlite, TupleBlock block) throws SQLException {
        String marks = fields.stream().map(f -> "?").collect(Collectors.joining(", "));
        sqlite.setAutoCommit(false);
        try (PreparedStatement insert = sqlite.prepareStatement("INSERT INTO rows VALUES (" + marks + ")")) {
            for (int row = 0; row < block.size(); row++) {
                for (int f = 0; f < fields.size(); f++) {
                    Object value = block.value(f, row);
                    insert.setObject(f + 1, value instanceof Float number ? (Object) (double) number : value);
                }
                insert.addBatch();
            }
            insert.executeBatch();
        }
        sqlite.commit();
    }

    private static String type(FieldType type) {
        return switch (type.kind()) {
            case INT, LONG, TIMESTAMP, BOOLEAN -> "INTEGER";
            case FLOAT, DOUBLE -> "REAL";
            case TIMESTAMP_US, TIMESTAMP_NS, IPV4, IPV6, UUID, DECIMAL -> throw new AssertionError();
            case STRING -> "TEXT";
            case BYTES -> "BLOB";
        };
    }
}
