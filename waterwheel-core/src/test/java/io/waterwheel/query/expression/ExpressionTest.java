package io.waterwheel.query.expression;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.error.WaterwheelException;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class ExpressionTest {
    private static final List<Field> FIELDS = List.of(
            new Field("speed", FieldType.DOUBLE, true),
            new Field("id", FieldType.INT, false),
            new Field("name", FieldType.STRING, true),
            new Field("raw", FieldType.BYTES, true),
            new Field("on", FieldType.BOOLEAN, true),
            new Field("timestamp", FieldType.TIMESTAMP, false));

    @Test
    void textParsesBackToTheSameTree() {
        for (long seed = 0; seed < 20_000; seed++) {
            Random random = new Random(seed);
            Expression tree = new RandomExpressions(random, FIELDS, false).condition(1 + random.nextInt(5));
            String text = tree.toString();
            assertThat(Expression.parse(text)).as("seed %s: %s", seed, text).isEqualTo(tree);
            assertThat(Expression.parse("((" + text + "))")).isEqualTo(tree);
        }
    }

    @Test
    void everyGeneratedConditionIsWellTyped() {
        for (long seed = 0; seed < 2_000; seed++) {
            Random random = new Random(seed);
            Expression tree = new RandomExpressions(random, FIELDS, false).condition(4);
            new ExpressionTypes(FIELDS).requireCondition(tree);
        }
    }

    @Test
    void bindsAsSqlDoes() {
        same("a = 1 OR b = 2 AND NOT c = 3", "a = 1 OR (b = 2 AND (NOT (c = 3)))");
        same("a + b * -c - d", "(a + (b * (-c))) - d");
        same("a - b - c", "(a - b) - c");
        same("a BETWEEN 1 AND 2 AND b", "(a BETWEEN 1 AND 2) AND b");
        same("a not in (1, -2.5, NULL) or b is not null", "(a NOT IN (1, -2.5, NULL)) OR (b IS NOT NULL)");
        same("a like 'x!%' escape '!'", "(a LIKE 'x!%' ESCAPE '!')");
        same("\"order\" > 5", "(\"order\") > (5)");
        same("timestamp > TIMESTAMP '2021-10-07 14:00+02:00'", "timestamp > TIMESTAMP '2021-10-07T12:00:00Z'");
        same("coalesce(lower(a), 'it''s') = X'0A'", "COALESCE(LOWER(a), 'it''s') = X'0a'");
        assertThat(Expression.parse("- 9223372036854775808")).isEqualTo(new Expression.Whole(Long.MIN_VALUE));
    }

    @Test
    void otherWaysToWriteTheSame() {
        same("CASE id WHEN 1 THEN 'a' ELSE 'b' END", "CASE WHEN id = 1 THEN 'a' ELSE 'b' END");
        same("a || b || 'c'", "CONCAT(CONCAT(a, b), 'c')");
        same("EXTRACT(HOUR FROM t)", "DATE_PART('hour', t)");
    }

    private static void same(String text, String other) {
        assertThat(Expression.parse(text)).as(text).isEqualTo(Expression.parse(other));
    }

    @Test
    void errorsNameThePlaceAndWhatWasExpected() {
        refused("speed >", "character 8: expected a value: a field, a literal, a function or (, got the end");
        refused("speed > 5 AN x", "character 11: expected an operator or the end, got AN; at speed > 5  >>> AN x");
        refused("speed != 5", "got !=, which SQL writes as <>");
        refused("a = b = c", "expected an operator or the end, got =");
        refused("name = 'open", "character 8: expected a closing ' for this one");
        refused("from > 5", "got from, a word of SQL; a field of that name is written in double quotes");
        refused("id IN (1, id)", "character 11: expected a literal, as all values of IN must be");
        refused("9223372036854775808 > id", "expected an integer of 64 bits, or a decimal point in it");
        refused("1e999 > id", "expected a number within the range of a double");
        refused("a = 5 -- x", "expected no comment, got --");
        refused("cbrt(id) > 2", "there is no function cbrt; there are [ABS, FLOOR");
        refused("CASE END", "character 6: expected a value");
        refused("CASE id END", "expected WHEN and a condition, got END");
        refused("CASE WHEN id > 3 ELSE 2 END", "expected THEN and a value, got ELSE");
        refused("CASE WHEN id > 3 THEN 2", "expected WHEN, ELSE or END, got the end");
        refused(
                "CAST(id AS FLOAT)",
                "expected a type: BIGINT, DOUBLE, VARCHAR, TIMESTAMP or DECIMAL(18, 2), got FLOAT");
        refused("EXTRACT(HOUR, t)", "expected FROM and a time, got ,");
        refused("abs(1, 2) > 2", "ABS: expected 1 arguments, got 2");
        refused("t > TIMESTAMP '2021-10-07'", "expected a time with a zone");
        refused("a = IPV6 '1.2.3.4'", "expected an IPv6 address such as 2001:db8::1, got '1.2.3.4'");
        refused("a = UUID 'x'", "expected a UUID such as 123e4567-e89b-12d3-a456-426614174000, got 'x'");
        refused("a = IPV4 '1.2.3.04'", "expected an address such as '192.168.0.1', got the text '1.2.3.04'");
        refused("a LIKE 'x!y' ESCAPE '!'", "expected %, _ or ! after the escape character !");
        refused("a # b", "expected an operator, a value or a parenthesis, got #");
        refused("a IN ()", "expected a value");
    }

    private static void refused(String text, String why) {
        assertThatThrownBy(() -> Expression.parse(text))
                .isInstanceOfSatisfying(WaterwheelException.class, e -> {
                    assertThat(e.code()).isEqualTo("BAD_EXPRESSION");
                    assertThat(e.kind()).isEqualTo(WaterwheelException.Kind.USER);
                })
                .hasMessageContaining(why);
    }

    @Test
    void typesAreCheckedWithTheNearestName() {
        mistyped("sped > 5", "there is no field 'sped'; did you mean 'speed'?");
        mistyped("name > 5", "in name > 5: expected values of one type, got name of type string and 5 of type integer");
        mistyped("timestamp > '2021'", "a time is written as TIMESTAMP");
        mistyped("id = IPV4 '1.2.3.4'", "an address is written as IPV4");
        mistyped("id = IPV6 '::1'", "an address is written as IPV6");
        mistyped("id = UUID '123e4567-e89b-12d3-a456-426614174000'", "a UUID is written as UUID");
        mistyped("LENGTH(IPV6 '::1') = 3", "text or bytes");
        mistyped("id + name = 'x'", "in id + name: expected numbers, got name of type string");
        mistyped("speed % 2 = 1", "expected integers around %, got speed of type double");
        mistyped("id AND on", "expected conditions, got id of type integer");
        mistyped("id + 1", "expected a condition, got id + 1 of type integer");
        mistyped("id LIKE 'x'", "expected text before LIKE");
        mistyped("coalesce(name, 5) = 'x'", "expected values of one type");
        mistyped("length(id) = 1", "expected text or bytes");
    }

    private static void mistyped(String text, String why) {
        Expression expression = Expression.parse(text.replace(" on", " \"on\""));
        assertThatThrownBy(() -> new ExpressionTypes(FIELDS).requireCondition(expression))
                .isInstanceOf(WaterwheelException.class)
                .hasMessageContaining(why);
    }

    @Test
    void whatIsTooLargeIsRefusedBeforeItHurts() {
        refused("(".repeat(100_000), "too large");
        refused("NOT ".repeat(50_000) + "a", "too large");
        refused("- ".repeat(100_000) + "a", "too large");
        refused("a" + " + a".repeat(50_000), "too large");
        refused("a" + " AND a".repeat(40_000), "too large");
        refused("abs(".repeat(50_000), "too large");
        refused("a".repeat(300_000), "too large: more than 262144 characters");
        refused("id IN (1" + ", 1".repeat(30_000) + ")", "too large");
        Expression many = new Expression.Or(Collections.nCopies(9_999, Expression.parse("id = 1")));
        assertThatThrownBy(many::requireLimits).hasMessageContaining("too large");
        Expression deep = new Expression.FieldValue("on");
        for (int i = 1; i < Expression.MAX_DEPTH; i++) {
            deep = i % 2 == 0 ? new Expression.Not(deep) : new Expression.And(List.of(deep, deep));
            if (i > 8) {
                deep = new Expression.Not(deep);
                break;
            }
        }
        assertThat(Expression.parse(deep.toString())).isEqualTo(deep);
    }

    @Test
    void randomTextIsReadOrRefused() {
        String[] parts = {
            "a",
            "AND",
            "OR",
            "NOT",
            "(",
            ")",
            "=",
            "<",
            "5",
            "-",
            "+",
            "'x'",
            "IN",
            "IS",
            "NULL",
            ",",
            "LIKE",
            "BETWEEN",
            "abs",
            "\"q\"",
            "TIMESTAMP",
            "1.5e3",
            "X",
            ".",
            "%",
            "é"
        };
        for (long seed = 0; seed < 20_000; seed++) {
            Random random = new Random(seed);
            List<String> text = new ArrayList<>();
            for (int i = random.nextInt(12); i >= 0; i--) {
                text.add(parts[random.nextInt(parts.length)]);
            }
            String joined = String.join(random.nextBoolean() ? " " : "", text);
            try {
                Expression tree = Expression.parse(joined);
                assertThat(Expression.parse(tree.toString()))
                        .as("seed %s", seed)
                        .isEqualTo(tree);
            } catch (WaterwheelException e) {
                assertThat(e.code()).as("seed %s: %s", seed, joined).isEqualTo("BAD_EXPRESSION");
            }
        }
    }

    /** Of a long one only what is wanted is printed, and a little: a list of queries shows 200 characters of each. */
    @Test
    void theBeginningOfAnExpressionIsThatOfItsText() {
        for (long seed = 0; seed < 300; seed++) {
            Random random = new Random(seed);
            Expression expression = new RandomExpressions(
                            random,
                            List.of(new Field("n", FieldType.LONG, true), new Field("s", FieldType.STRING, true)),
                            false)
                    .condition(5);
            String whole = expression.toString();
            int most = random.nextInt(40);
            String beginning = ExpressionPrinter.beginning(expression, most);
            int wanted = Math.min(most, whole.length());
            assertThat(beginning.substring(0, wanted)).as("seed %s", seed).isEqualTo(whole.substring(0, wanted));
        }
        List<Expression.Literal> values = new ArrayList<>();
        for (int i = 0; i < 10_000; i++) {
            values.add(new Expression.Whole(i));
        }
        Expression in = new Expression.In(new Expression.FieldValue("n"), values, false);
        assertThat(ExpressionPrinter.beginning(in, 200)).hasSizeLessThan(220).startsWith("n IN (0, 1, 2");
    }
}
