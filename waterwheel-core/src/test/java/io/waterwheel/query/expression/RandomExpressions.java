package io.waterwheel.query.expression;

import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;

/** Random expressions over the fields of a schema, of a wanted type, with literals like those the rows hold. */
public final class RandomExpressions {
    private static final String[] TEXTS = {
        "", "a", "b", "ab", "abc", "B", "aB", "é", "aéb", "%", "_", "a%b", "it's", "日本"
    };
    private static final String[] PATTERNS = {
        "%", "a%", "%b", "%a%", "_", "a_b", "__", "_%", "%_b%", "ab", "", "%é%", "%日_"
    };

    private static final List<FieldType> DECIMALS = List.of(
            FieldType.decimal(4, 2),
            FieldType.decimal(18, 2),
            FieldType.decimal(1, 0),
            FieldType.decimal(18, 18),
            FieldType.decimal(19, 1),
            FieldType.decimal(20, 2),
            FieldType.decimal(38, 2),
            FieldType.decimal(38, 0),
            FieldType.decimal(38, 38));

    private static final List<String> ZONES = List.of("Europe/Berlin", "Asia/Kolkata", "UTC");
    private static final List<String> TIME_PATTERNS = List.of(
            "yyyy-MM-dd",
            "HH:mm",
            "EEE, d MMM uuuu h:mm:ss a",
            "'day' DDD, QQQ 'of' yy",
            "uuuu-MM-dd'T'HH:mm:ss.SSSSSSXXX",
            "SS",
            "VV");

    private static final List<Expression.Comparison.Relation> RELATIONS =
            List.of(Expression.Comparison.Relation.values());
    private static final List<Expression.Arithmetic.Operation> OPERATIONS =
            List.of(Expression.Arithmetic.Operation.values());
    private static final List<ValueType> TYPES = java.util.Arrays.stream(ValueType.values())
            .filter(t -> t != ValueType.NULL)
            .toList();

    private static final List<Function> MATH = List.of(
            Function.SQRT,
            Function.EXP,
            Function.LN,
            Function.LOG10,
            Function.SIN,
            Function.COS,
            Function.TAN,
            Function.ASIN,
            Function.ACOS,
            Function.ATAN,
            Function.RADIANS,
            Function.DEGREES);

    private static final List<ValueType> SQLITE_TYPES = TYPES.stream()
            .filter(t -> !t.hasSixteenBytes()
                    && t != ValueType.IPV4
                    && t != ValueType.TIMESTAMP_US
                    && t != ValueType.TIMESTAMP_NS)
            .toList();

    private final Random random;
    private final List<Field> fields;
    private final boolean sqlite;
    /** Those of the fields. */
    private final List<ValueType> decimals;

    private boolean literals;

    /** @param sqlite whether only what SQLite takes for the same may come */
    public RandomExpressions(Random random, List<Field> fields, boolean sqlite) {
        this.random = random;
        this.fields = fields;
        this.sqlite = sqlite;
        this.decimals = fields.stream()
                .map(field -> ValueType.of(field.type()))
                .filter(ValueType::isDecimal)
                .toList();
    }

    /** The same with far more literals, in every place where a value may stand. */
    public RandomExpressions withLiterals() {
        literals = true;
        return this;
    }

    /** One of few types of decimals, some of which compare with each other. */
    public static FieldType decimalType(Random random) {
        return DECIMALS.get(random.nextInt(DECIMALS.size()));
    }

    /** One of few values of a type of decimals: of its last place, or whole. */
    public static BigDecimal decimal(FieldType type, Random random) {
        BigDecimal small = BigDecimal.valueOf(random.nextInt(9) - 4L, type.scale());
        return type.precision() > type.scale() && random.nextInt(3) == 0
                ? small.movePointRight(type.scale()).setScale(type.scale())
                : small;
    }

    /** One of the texts that literals are made of. */
    public static String text(Random random) {
        return TEXTS[random.nextInt(TEXTS.length)];
    }

    private <T> T pick(List<T> values) {
        return values.get(random.nextInt(values.size()));
    }

    /** A condition. */
    public Expression condition(int depth) {
        int kind = random.nextInt(depth <= 0 ? 8 : 13);
        boolean negated = random.nextBoolean();
        return switch (kind) {
            case 0, 1, 2 -> {
                ValueType type = anyType();
                yield new Expression.Comparison(pick(RELATIONS), value(type, depth - 1), comparable(type, depth - 1));
            }
            case 3 -> new Expression.IsNull(value(anyType(), depth - 1), negated);
            case 4 -> {
                ValueType type = anyType();
                yield new Expression.Between(
                        value(type, depth - 1),
                        type.isDecimal() ? comparable(type, depth - 2) : value(type, depth - 2),
                        type.isDecimal() ? comparable(type, depth - 2) : value(type, depth - 2),
                        negated);
            }
            case 5 -> {
                ValueType type = anyType();
                List<Expression.Literal> values = new ArrayList<>();
                for (int i = random.nextInt(4); i >= 0; i--) {
                    values.add(literal(type.numeric() ? numeric() : type));
                }
                yield new Expression.In(value(type, depth - 1), values, negated);
            }
            case 6 -> {
                String pattern = PATTERNS[random.nextInt(PATTERNS.length)];
                boolean escaped = random.nextInt(4) == 0;
                yield new Expression.Like(
                        value(ValueType.STRING, depth - 1),
                        escaped ? pattern.replace("%", "!%").replace("_", random.nextBoolean() ? "!_" : "_") : pattern,
                        escaped ? "!" : null,
                        negated);
            }
            case 7 -> value(ValueType.BOOLEAN, depth - 1);
            case 8, 9 -> new Expression.And(conditions(depth - 1));
            case 10, 11 -> {
                List<Expression> terms = conditions(depth - 1);
                if (random.nextInt(3) == 0) {
                    addRanges(terms);
                }
                yield new Expression.Or(terms);
            }
            default -> new Expression.Not(condition(depth - 1));
        };
    }

    private List<Expression> conditions(int depth) {
        List<Expression> terms = new ArrayList<>();
        for (int i = 1 + random.nextInt(3); i >= 0; i--) {
            terms.add(condition(depth));
        }
        return terms;
    }

    /** Adds many ranges of a text or bytes, if there is such a field, in any order, some of them empty. */
    private void addRanges(List<Expression> terms) {
        ValueType type = random.nextBoolean() ? ValueType.STRING : ValueType.BYTES;
        List<Expression> fitting = fields.stream()
                .filter(f -> ValueType.of(f.type()) == type)
                .<Expression>map(f -> new Expression.FieldValue(f.name()))
                .toList();
        if (fitting.isEmpty()) {
            return;
        }
        Expression field = pick(fitting);
        for (int i = 0; i < 30; i++) {
            // Of ranges without a bound few are enough to hold all.
            terms.add(
                    random.nextInt(20) == 0
                            ? new Expression.Comparison(pick(RELATIONS), literal(type), field)
                            : random.nextBoolean()
                                    ? new Expression.Between(field, literal(type), literal(type), false)
                                    : new Expression.And(List.of(
                                            new Expression.Comparison(pick(RELATIONS), field, literal(type)),
                                            new Expression.Comparison(
                                                    Expression.Comparison.Relation.AT_MOST, field, literal(type)))));
        }
    }

    private ValueType numeric() {
        return random.nextBoolean() ? ValueType.INTEGER : ValueType.DOUBLE;
    }

    /** A value to compare one of this type with. */
    private Expression comparable(ValueType type, int depth) {
        if (!type.isDecimal()) {
            return value(type.numeric() ? numeric() : type, depth);
        }
        return random.nextBoolean()
                ? literal(type)
                : value(
                        pick(decimals.stream()
                                .filter(other -> other.scale() == type.scale() && other.variable() == type.variable())
                                .toList()),
                        depth);
    }

    /** Any type but NULL, of decimals those of the fields. */
    public ValueType anyType() {
        if (!decimals.isEmpty() && random.nextInt(4) == 0) {
            return pick(decimals);
        }
        return pick(sqlite ? SQLITE_TYPES : TYPES);
    }

    /** A value of the type, or NULL. */
    public Expression value(ValueType type, int depth) {
        if (literals && random.nextInt(5) < 2) {
            return constant(type);
        }
        List<Field> fitting =
                fields.stream().filter(f -> ValueType.of(f.type()) == type).toList();
        if (random.nextInt(3) != 0 && !fitting.isEmpty()) {
            return new Expression.FieldValue(
                    fitting.get(random.nextInt(fitting.size())).name());
        }
        if (depth <= 0 || random.nextInt(4) == 0) {
            return constant(type);
        }
        if (random.nextInt(6) == 0) {
            if (random.nextBoolean()) {
                return new Expression.Call(Function.COALESCE, List.of(value(type, depth - 1), value(type, depth - 1)));
            }
            return new Expression.Call(Function.NULLIF, List.of(value(type, depth - 1), value(type, depth - 1)));
        }
        if (random.nextInt(6) == 0) {
            List<Expression> conditions = new ArrayList<>();
            List<Expression> results = new ArrayList<>();
            for (int i = random.nextInt(3); i >= 0; i--) {
                conditions.add(condition(depth - 1));
                results.add(value(type, depth - 1));
            }
            return new Expression.Case(conditions, results, random.nextBoolean() ? null : value(type, depth - 1));
        }
        return switch (type.kind()) {
            case INTEGER -> integer(depth - 1);
            case DOUBLE -> number(depth - 1);
            case STRING -> string(depth - 1);
            case BOOLEAN ->
                sqlite || random.nextInt(6) > 0
                        ? condition(depth - 1)
                        : random.nextBoolean()
                                ? inPolygon(depth)
                                : call(
                                        Function.STARTS_WITH,
                                        value(ValueType.STRING, depth),
                                        value(ValueType.STRING, depth));
            case TIMESTAMP, TIMESTAMP_US, TIMESTAMP_NS -> sqlite ? literal(type) : time(type, depth - 1);
            case DECIMAL -> new Expression.Cast(value(castToDecimal(), depth - 1), type);
            default -> literal(type);
        };
    }

    private ValueType castToDecimal() {
        return random.nextBoolean() ? numeric() : pick(decimals);
    }

    /** A literal, which has this very type. */
    private Expression constant(ValueType type) {
        Expression.Literal literal = literal(type);
        return type.isDecimal() && !(literal instanceof Expression.Null) ? new Expression.Cast(literal, type) : literal;
    }

    private static Expression call(Function function, Expression... arguments) {
        return new Expression.Call(function, List.of(arguments));
    }

    private Expression string(int depth) {
        Expression text = value(ValueType.STRING, depth);
        return switch (random.nextInt(sqlite ? 3 : 10)) {
            case 0 -> call(Function.LOWER, text);
            case 1 -> call(Function.UPPER, text);
            case 2 -> call(Function.TRIM, text);
            case 3 -> call(Function.REPLACE, text, value(ValueType.STRING, depth), value(ValueType.STRING, depth));
            case 4 -> call(Function.CONCAT, text, new Expression.Text(" "), value(ValueType.STRING, depth));
            case 5 -> {
                Expression from = value(ValueType.INTEGER, depth);
                yield random.nextBoolean()
                        ? call(Function.SUBSTRING, text, from)
                        : call(Function.SUBSTRING, text, from, value(ValueType.INTEGER, depth));
            }
            case 8 -> json(Function.JSON_TEXT, depth);
            case 9 -> timeText(depth);
            case 6 -> {
                List<ValueType> from = new ArrayList<>(List.of(
                        ValueType.STRING,
                        ValueType.INTEGER,
                        ValueType.BOOLEAN,
                        ValueType.IPV4,
                        ValueType.IPV6,
                        ValueType.UUID));
                from.addAll(decimals);
                yield new Expression.Cast(value(pick(from), depth), ValueType.STRING);
            }
            default ->
                call(
                        Function.GEOHASH,
                        value(numeric(), depth),
                        value(numeric(), depth),
                        new Expression.Whole(1 + random.nextInt(12)));
        };
    }

    /** A member of an object that is put together of texts, whole as JSON or not. */
    private Expression json(Function function, int depth) {
        Expression member = random.nextBoolean()
                ? value(ValueType.STRING, depth)
                : new Expression.Text(
                        pick(List.of("12.50", "-0", "1e400", "0.1", "9007199254740993", "-1.5e-3", "7".repeat(400))));
        Expression document = call(
                Function.CONCAT,
                new Expression.Text(pick(List.of("{\"a\": ", "{\"b\":[1, {\"a\": ", "{\"x\\u0041\":", "no "))),
                member,
                new Expression.Text(pick(List.of("}", "}]}", ", \"a\": 7}", ""))));
        return call(
                function,
                random.nextInt(3) == 0 ? value(ValueType.STRING, depth) : document,
                new Expression.Text(pick(List.of("$.a", "$.b", "$.b[0]", "$.b[1].a", "$.xA", "$['a'].b"))));
    }

    private Expression time(ValueType type, int depth) {
        if (type == ValueType.TIMESTAMP && random.nextInt(3) == 0) {
            ValueType finer = random.nextBoolean() ? ValueType.TIMESTAMP_US : ValueType.TIMESTAMP_NS;
            return new Expression.Cast(value(finer, depth), type);
        }
        return calendar(Function.DATE_TRUNC, value(type, depth));
    }

    private Expression timeText(int depth) {
        Expression time =
                time(pick(List.of(ValueType.TIMESTAMP, ValueType.TIMESTAMP_US, ValueType.TIMESTAMP_NS)), depth);
        Expression pattern = new Expression.Text(pick(TIME_PATTERNS));
        return random.nextBoolean()
                ? call(Function.FORMAT_TIME, time, pattern)
                : call(Function.FORMAT_TIME, time, pattern, new Expression.Text(pick(ZONES)));
    }

    private Expression calendar(Function function, Expression time) {
        List<CalendarUnit> units = java.util.Arrays.stream(CalendarUnit.values())
                .filter(unit -> function == Function.DATE_PART || unit.truncates())
                .toList();
        Expression unit = new Expression.Text(pick(units).text());
        return random.nextBoolean()
                ? call(function, unit, time)
                : call(function, unit, time, new Expression.Text(pick(ZONES)));
    }

    private Expression integer(int depth) {
        return switch (random.nextInt(sqlite ? 6 : 10)) {
            case 6 -> call(Function.STRPOS, value(ValueType.STRING, depth), value(ValueType.STRING, depth));
            case 7 ->
                new Expression.Cast(
                        value(
                                random.nextBoolean()
                                        ? decimals.isEmpty() ? ValueType.DOUBLE : pick(decimals)
                                        : random.nextBoolean() ? ValueType.DOUBLE : ValueType.BOOLEAN,
                                depth),
                        ValueType.INTEGER);
            case 8 -> calendar(Function.DATE_PART, value(ValueType.TIMESTAMP, depth));
            case 0 -> new Expression.Call(Function.LENGTH, List.of(value(ValueType.STRING, depth)));
            case 1 -> new Expression.Negation(value(ValueType.INTEGER, depth));
            case 2 -> new Expression.Call(Function.ABS, List.of(value(ValueType.INTEGER, depth)));
            default ->
                new Expression.Arithmetic(
                        pick(OPERATIONS), value(ValueType.INTEGER, depth), value(ValueType.INTEGER, depth));
        };
    }

    /** And what nearly is one. */
    private static final List<String> NUMBERS = List.of(
            "1.5",
            " -0.5 ",
            "+7",
            ".5",
            "5.",
            "1e3",
            "-1E-400",
            "1e400",
            "9007199254740993",
            "",
            " ",
            ".",
            "-",
            "+-1",
            "1e",
            "1e+",
            "1 2",
            "1,5",
            "NaN",
            "Infinity",
            "0x10",
            "1d",
            "\t1",
            "1_0",
            "\u0661",
            "-0",
            "00012.50");

    private Expression inPolygon(int depth) {
        return call(
                Function.IN_POLYGON,
                value(numeric(), depth),
                value(numeric(), depth),
                new Expression.Text(polygon(random, random.nextInt(9) - 4, random.nextInt(9) - 4)));
    }

    /** A polygon around a place, of corners on whole degrees and others; with a hole, or another one beside it. */
    public static String polygon(Random random, int x, int y) {
        int reach = 1 + random.nextInt(4);
        String box = ring(x - reach, y - reach, x + reach, y - reach, x + reach, y + reach, x - reach, y + reach);
        double tip = x - reach + 0.1 + random.nextDouble() * reach;
        String triangle = ring(x - reach, y - reach, x + reach, y - reach, tip, y + reach * random.nextDouble() + 0.1);
        return switch (random.nextInt(4)) {
            case 0 -> "POLYGON (" + box + ")";
            case 1 -> "POLYGON (" + box + ", " + ring(x - 0.5, y, x, y - 0.5, x + 0.5, y, x, y + 0.5) + ")";
            case 2 ->
                "MULTIPOLYGON ((" + triangle + "), (" + ring(x, y - reach, x + reach, y - 9, x - reach, y - 9) + "))";
            default -> "POLYGON (" + triangle + ")";
        };
    }

    private static String ring(double... corners) {
        StringBuilder text = new StringBuilder("(");
        for (int c = 0; c < corners.length; c += 2) {
            text.append(corners[c]).append(' ').append(corners[c + 1]).append(", ");
        }
        return text.append(corners[0])
                .append(' ')
                .append(corners[1])
                .append(')')
                .toString();
    }

    private Expression number(int depth) {
        return switch (random.nextInt(sqlite ? 6 : 12)) {
            case 10 -> json(Function.JSON_NUMBER, depth);
            case 11 ->
                call(
                        Function.TO_NUMBER,
                        random.nextBoolean()
                                ? value(ValueType.STRING, depth)
                                : new Expression.Text(NUMBERS.get(random.nextInt(NUMBERS.size()))));
            case 6 ->
                new Expression.Cast(
                        value(decimals.isEmpty() ? ValueType.INTEGER : castToDecimal(), depth), ValueType.DOUBLE);
            case 7 -> call(pick(MATH), value(numeric(), depth));
            case 8 ->
                call(
                        random.nextBoolean() ? Function.POWER : Function.ATAN2,
                        value(numeric(), depth),
                        value(numeric(), depth));
            case 9 ->
                call(
                        Function.DISTANCE,
                        value(numeric(), depth),
                        value(numeric(), depth),
                        value(numeric(), depth),
                        value(numeric(), depth));
            case 0 -> new Expression.Negation(value(ValueType.DOUBLE, depth));
            case 1 -> new Expression.Call(Function.ROUND, List.of(value(ValueType.DOUBLE, depth)));
            case 2 ->
                new Expression.Call(
                        random.nextBoolean() ? Function.FLOOR : Function.CEIL, List.of(value(ValueType.DOUBLE, depth)));
            default -> {
                boolean left = random.nextBoolean();
                yield new Expression.Arithmetic(
                        pick(OPERATIONS.subList(0, 4)),
                        value(left ? ValueType.DOUBLE : numeric(), depth),
                        value(left ? numeric() : ValueType.DOUBLE, depth));
            }
        };
    }

    /** Few values: some share the first eight bytes. */
    public static byte[] sixteen(Random random) {
        byte[] bytes = new byte[16];
        bytes[0] = (byte) random.nextInt(2);
        bytes[7] = (byte) (random.nextInt(2) * 0xFF);
        bytes[15] = (byte) random.nextInt(3);
        return bytes;
    }

    private Expression.Literal literal(ValueType type) {
        if (random.nextInt(12) == 0) {
            return new Expression.Null();
        }
        return switch (type.kind()) {
            case DECIMAL ->
                switch (random.nextInt(5)) {
                    case 0 -> new Expression.Whole(random.nextInt(9) - 4L);
                    case 1 -> new Expression.Decimal((random.nextInt(17) - 8) / 2.0);
                    case 2 -> new Expression.Decimal((random.nextInt(9) - 4) / 100.0);
                    case 3 -> new Expression.Exact(decimal(decimalType(random), random));
                    default -> new Expression.Exact(decimal(type.fieldType(), random));
                };
            case BOOLEAN -> new Expression.Truth(random.nextBoolean());
            case INTEGER -> new Expression.Whole(!sqlite && random.nextInt(10) == 0 ? edge() : random.nextInt(9) - 4L);
            case DOUBLE ->
                new Expression.Decimal(
                        !sqlite && random.nextInt(10) == 0 ? (double) edge() : (random.nextInt(17) - 8) / 2.0);
            case IPV4 -> new Expression.Address(random.nextInt(9) - 4);
            case UUID, IPV6 ->
                new Expression.Sixteen(
                        type, type.fieldType().object(sixteen(random)).toString());
            case TIMESTAMP_US, TIMESTAMP_NS ->
                new Expression.Moment(Instant.ofEpochSecond(
                        0, random.nextInt(3) * 1_000_000L + random.nextInt(2) * 1000L + random.nextInt(2)));
            case TIMESTAMP -> new Expression.Moment(Instant.ofEpochMilli(random.nextInt(9)));
            case STRING, NULL -> new Expression.Text(text(random));
            case BYTES ->
                new Expression.Hex(
                        String.format(Locale.ROOT, "%02x", random.nextInt(4)).repeat(random.nextInt(3)));
        };
    }

    private long edge() {
        return switch (random.nextInt(4)) {
            case 0 -> Long.MAX_VALUE;
            case 1 -> Long.MIN_VALUE;
            case 2 -> (1L << 53) + 1;
            default -> random.nextLong();
        };
    }
}
