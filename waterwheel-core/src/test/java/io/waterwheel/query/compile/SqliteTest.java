package io.waterwheel.query.compile;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.Rounds;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.column.RowView;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.query.expression.RandomExpressions;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.tuple.TupleBlock;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The text form means what it means to SQLite. */
final class SqliteTest {
    private static final int SCHEMAS = Rounds.of(40, 150);
    private static final int CONDITIONS = 40;
    private static final Pattern MOMENT = Pattern.compile("TIMESTAMP '([^']*)'");

    @Test
    void conditionsKeepTheRowsThatSqliteKeeps() throws SQLException {
        long first = Long.getLong("seed", 0);
        for (long seed = first; seed < first + SCHEMAS; seed++) {
            Random random = new Random(seed);
            SmallRows rows = new SmallRows(random, false);
            TupleBlock block = rows.block(60);
            try (Connection sqlite = DriverManager.getConnection("jdbc:sqlite::memory:");
                    Statement statement = sqlite.createStatement()) {
                statement.execute("PRAGMA case_sensitive_like=ON");
                load(sqlite, rows.schema().fields(), block);
                RandomExpressions expressions =
                        new RandomExpressions(random, rows.schema().fields(), true);
                for (int c = 0; c < CONDITIONS; c++) {
                    Expression condition = expressions.condition(1 + random.nextInt(4));
                    String about = "seed " + seed + " condition " + c + ": " + condition;
                    assertThat(kept(block, Expression.parse(condition.toString())))
                            .as(about)
                            .isEqualTo(ask(statement, condition, about));
                }
            }
        }
    }

    private static List<Integer> kept(TupleBlock block, Expression condition) {
        int[] selected = IntStream.range(0, block.size()).toArray();
        try {
            int kept = new ExpressionCompiler(block.layout())
                    .compile(condition)
                    .keep(RowView.of(block), selected, selected.length);
            return IntStream.of(selected).limit(kept).boxed().toList();
        } catch (WaterwheelException e) {
            throw new AssertionError(condition.toString(), e);
        }
    }

    private static List<Integer> ask(Statement statement, Expression condition, String about) throws SQLException {
        // SQLite keeps times as numbers here.
        Matcher moments = MOMENT.matcher(condition.toString());
        String text = moments.replaceAll(
                found -> Long.toString(Instant.parse(found.group(1)).toEpochMilli()));
        List<Integer> kept = new ArrayList<>();
        try (ResultSet results = statement.executeQuery("SELECT n FROM rows WHERE " + text + " ORDER BY n")) {
            while (results.next()) {
                kept.add(results.getInt(1));
            }
        } catch (SQLException e) {
            throw new AssertionError(about, e);
        }
        return kept;
    }

    private static void load(Connection sqlite, List<Field> fields, TupleBlock block) throws SQLException {
        try (Statement statement = sqlite.createStatement()) {
            statement.execute("CREATE TABLE rows (n INTEGER, "
                    + fields.stream().map(f -> f.name() + " " + type(f.type())).collect(Collectors.joining(", "))
                    + ")");
        }
        String marks = fields.stream().map(f -> "?").collect(Collectors.joining(", "));
        sqlite.setAutoCommit(false);
        try (PreparedStatement insert = sqlite.prepareStatement("INSERT INTO rows VALUES (?, " + marks + ")")) {
            for (int row = 0; row < block.size(); row++) {
                insert.setInt(1, row);
                for (int f = 0; f < fields.size(); f++) {
                    Object value = block.value(f, row);
                    insert.setObject(f + 2, value instanceof Float number ? (Object) (double) number : value);
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
