package io.waterwheel.query.compile;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.query.expression.ExpressionTypes;
import io.waterwheel.query.expression.ValueType;
import io.waterwheel.schema.text.Ipv4;
import io.waterwheel.schema.text.MemberPath;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.time.temporal.IsoFields;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.locationtech.jts.algorithm.locate.SimplePointInAreaLocator;
import org.locationtech.jts.geom.Coordinate;
import org.locationtech.jts.geom.Geometry;
import org.locationtech.jts.geom.Location;
import org.locationtech.jts.io.ParseException;
import org.locationtech.jts.io.WKTReader;

/** Evaluates expressions the plain way: one row of objects at a time, every part of the tree. The twin of the nodes. */
public final class RowInterpreter {
    private final ExpressionTypes types;
    private final Map<String, Object> row;

    /** @param row Long, Double, BigDecimal, Boolean, String, Instant, byte[] or null by field; addresses as Long */
    public RowInterpreter(ExpressionTypes types, Map<String, Object> row) {
        this.types = types;
        this.row = row;
    }

    /** The value; throws ArithmeticException when an integer overflows anywhere in the tree. */
    public Object value(Expression node) {
        if (node instanceof Expression.Whole whole) {
            return whole.value();
        } else if (node instanceof Expression.Decimal decimal) {
            return decimal.value();
        } else if (node instanceof Expression.Exact exact) {
            return exact.value();
        } else if (node instanceof Expression.Text text) {
            return text.value();
        } else if (node instanceof Expression.Hex hex) {
            return HexFormat.of().parseHex(hex.digits());
        } else if (node instanceof Expression.Sixteen sixteen) {
            return sixteen.bytes();
        } else if (node instanceof Expression.Truth truth) {
            return truth.value();
        } else if (node instanceof Expression.Moment moment) {
            return moment.value();
        } else if (node instanceof Expression.Address address) {
            return address.bits() & 0xFFFFFFFFL;
        } else if (node instanceof Expression.Null) {
            return null;
        } else if (node instanceof Expression.FieldValue field) {
            return row.get(field.name());
        } else if (node instanceof Expression.And and) {
            return logic(and.terms(), false);
        } else if (node instanceof Expression.Or or) {
            return logic(or.terms(), true);
        } else if (node instanceof Expression.Not not) {
            return not((Boolean) value(not.operand()));
        } else if (node instanceof Expression.Comparison comparison) {
            return compare(comparison.operator(), value(comparison.left()), value(comparison.right()));
        } else if (node instanceof Expression.Between between) {
            Object operand = value(between.operand());
            Boolean above = compare(Expression.Comparison.Relation.AT_LEAST, operand, value(between.low()));
            Boolean below = compare(Expression.Comparison.Relation.AT_MOST, operand, value(between.high()));
            Boolean both = decided(Arrays.asList(above, below), false);
            return between.negated() ? not(both) : both;
        } else if (node instanceof Expression.In in) {
            Object operand = value(in.operand());
            List<Boolean> each = in.values().stream()
                    .map(v -> compare(Expression.Comparison.Relation.EQUAL, operand, value(v)))
                    .collect(java.util.stream.Collectors.toCollection(java.util.ArrayList::new));
            Boolean any = decided(each, true);
            return in.negated() ? not(any) : any;
        } else if (node instanceof Expression.IsNull test) {
            return (value(test.operand()) == null) != test.negated();
        } else if (node instanceof Expression.Like like) {
            String text = (String) value(like.operand());
            return text == null
                    ? null
                    : like(
                                    text.codePoints().toArray(),
                                    0,
                                    like.pattern().codePoints().toArray(),
                                    0,
                                    like.escape())
                            != like.negated();
        } else if (node instanceof Expression.Arithmetic arithmetic) {
            return arithmetic(arithmetic.operator(), value(arithmetic.left()), value(arithmetic.right()));
        } else if (node instanceof Expression.Negation negation) {
            Object value = value(negation.operand());
            return value == null
                    ? null
                    : value instanceof Long whole ? (Object) Math.negateExact(whole) : (Object) (-(Double) value);
        }
        if (node instanceof Expression.Cast cast) {
            Object value = value(cast.operand());
            return value == null ? null : cast(cast.type(), types.typeOf(cast.operand()), value);
        } else if (node instanceof Expression.Case choice) {
            return choice(choice);
        }
        return call((Expression.Call) node);
    }

    private static Object cast(ValueType to, ValueType from, Object value) {
        return switch (to.kind()) {
            case INTEGER -> {
                if (value instanceof Boolean truth) {
                    yield truth ? 1L : 0L;
                } else if (value instanceof Long) {
                    yield value;
                } else if (value instanceof BigDecimal exact) {
                    yield exact.setScale(0, RoundingMode.DOWN).longValueExact();
                }
                double number = (Double) value;
                if (!Double.isFinite(number)) {
                    throw new ArithmeticException("no integer");
                }
                yield new BigDecimal(number).setScale(0, RoundingMode.DOWN).longValueExact();
            }
            case DOUBLE -> ((Number) value).doubleValue();
            case DECIMAL -> decimal(to, (Number) value);
            case TIMESTAMP -> ((Instant) value).truncatedTo(ChronoUnit.MILLIS);
            case STRING -> {
                if (value instanceof byte[] bytes) {
                    yield from.fieldType().textOfSixteen(bytes, 0);
                }
                if (value instanceof BigDecimal exact) {
                    yield exact.toPlainString();
                }
                yield from == ValueType.IPV4 ? Ipv4.text((int) (long) (Long) value) : String.valueOf(value);
            }
            default -> throw new AssertionError();
        };
    }

    private static BigDecimal decimal(ValueType to, Number value) {
        if (!Double.isFinite(value.doubleValue())) {
            throw new ArithmeticException("no decimal");
        }
        BigDecimal rounded = exact(value).setScale(to.scale(), RoundingMode.HALF_UP);
        if (rounded.unscaledValue().abs().compareTo(BigInteger.TEN.pow(to.precision())) >= 0) {
            throw new ArithmeticException("too many digits");
        }
        return rounded;
    }

    /** Looks at every part, so that an overflow anywhere is noticed. */
    private Object choice(Expression.Case choice) {
        List<Object> conditions = new java.util.ArrayList<>();
        List<Object> results = new java.util.ArrayList<>();
        choice.conditions().forEach(condition -> conditions.add(value(condition)));
        choice.results().forEach(result -> results.add(value(result)));
        results.add(choice.otherwise() == null ? null : value(choice.otherwise()));
        int chosen = conditions.indexOf(true);
        Object result = results.get(chosen < 0 ? conditions.size() : chosen);
        return result instanceof Long whole && types.typeOf(choice) == ValueType.DOUBLE
                ? (Object) (double) whole
                : result;
    }

    private Boolean logic(List<Expression> terms, boolean deciding) {
        List<Boolean> values = new java.util.ArrayList<>();
        terms.forEach(term -> values.add((Boolean) value(term)));
        return decided(values, deciding);
    }

    private static Boolean decided(List<Boolean> values, boolean deciding) {
        return values.contains(deciding) ? (Boolean) deciding : values.contains(null) ? null : (Boolean) !deciding;
    }

    private static Boolean not(Boolean value) {
        return value == null ? null : !value;
    }

    private static Boolean compare(Expression.Comparison.Relation relation, Object left, Object right) {
        if (left == null || right == null) {
            return null;
        }
        int compared = compare(left, right);
        return switch (relation) {
            case EQUAL -> compared == 0;
            case UNEQUAL -> compared != 0;
            case LESS -> compared < 0;
            case AT_MOST -> compared <= 0;
            case GREATER -> compared > 0;
            case AT_LEAST -> compared >= 0;
        };
    }

    /** The order of two values that are not null. */
    public static int compare(Object left, Object right) {
        if (left instanceof Number a && right instanceof Number b) {
            double x = a.doubleValue();
            double y = b.doubleValue();
            if (Double.isNaN(x) || Double.isNaN(y)) {
                return Boolean.compare(Double.isNaN(x), Double.isNaN(y));
            } else if (Double.isInfinite(x) || Double.isInfinite(y)) {
                return Double.compare(x, y);
            }
            return a instanceof BigDecimal || b instanceof BigDecimal
                    ? written(a).compareTo(written(b))
                    : exact(a).compareTo(exact(b));
        } else if (left instanceof Instant a) {
            return a.compareTo((Instant) right);
        } else if (left instanceof Boolean a) {
            return Boolean.compare(a, (Boolean) right);
        }
        return Arrays.compareUnsigned(bytes(left), bytes(right));
    }

    /** What a decimal is compared with is what is written, not the double next to it. */
    private static BigDecimal written(Number number) {
        return new BigDecimal(number.toString());
    }

    private static BigDecimal exact(Number number) {
        if (number instanceof BigDecimal decimal) {
            return decimal;
        }
        return number instanceof Long whole ? BigDecimal.valueOf(whole) : new BigDecimal(number.doubleValue());
    }

    private static byte[] bytes(Object value) {
        return value instanceof String text ? text.getBytes(StandardCharsets.UTF_8) : (byte[]) value;
    }

    private static boolean like(int[] text, int t, int[] pattern, int p, String escape) {
        if (p == pattern.length) {
            return t == text.length;
        }
        if (escape != null && pattern[p] == escape.codePointAt(0)) {
            return t < text.length && text[t] == pattern[p + 1] && like(text, t + 1, pattern, p + 2, escape);
        }
        if (pattern[p] == '%') {
            for (int skip = t; skip <= text.length; skip++) {
                if (like(text, skip, pattern, p + 1, escape)) {
                    return true;
                }
            }
            return false;
        }
        return t < text.length
                && (pattern[p] == '_' || pattern[p] == text[t])
                && like(text, t + 1, pattern, p + 1, escape);
    }

    private static Object arithmetic(Expression.Arithmetic.Operation operation, Object left, Object right) {
        if (left == null || right == null) {
            return null;
        }
        if (left instanceof Long a && right instanceof Long b) {
            return switch (operation) {
                case PLUS -> Math.addExact(a, b);
                case MINUS -> Math.subtractExact(a, b);
                case TIMES -> Math.multiplyExact(a, b);
                case DIVIDED -> {
                    if (a == Long.MIN_VALUE && b == -1) {
                        throw new ArithmeticException("overflow");
                    }
                    yield b == 0 ? null : (Object) (a / b);
                }
                case MODULO -> b == 0 ? null : (Object) (a % b);
            };
        }
        double a = ((Number) left).doubleValue();
        double b = ((Number) right).doubleValue();
        return switch (operation) {
            case PLUS -> a + b;
            case MINUS -> a - b;
            case TIMES -> a * b;
            case DIVIDED -> b == 0 ? null : (Object) (a / b);
            case MODULO -> throw new AssertionError();
        };
    }

    private Object call(Expression.Call call) {
        List<Object> arguments = new java.util.ArrayList<>();
        call.arguments().forEach(argument -> arguments.add(value(argument)));
        Object first = arguments.get(0);
        switch (call.function()) {
            case COALESCE -> {
                Object found =
                        arguments.stream().filter(a -> a != null).findFirst().orElse(null);
                return found instanceof Long whole && types.typeOf(call) == ValueType.DOUBLE
                        ? (Object) (double) whole
                        : found;
            }
            case NULLIF -> {
                return first != null && arguments.get(1) != null && compare(first, arguments.get(1)) == 0
                        ? null
                        : first;
            }
            default -> {
                return arguments.contains(null)
                        ? null
                        : arguments.size() == 1 ? strict(call, first) : several(call, arguments);
            }
        }
    }

    private static double number(Object value) {
        return ((Number) value).doubleValue();
    }

    private static Object several(Expression.Call call, List<Object> arguments) {
        Object first = arguments.get(0);
        Object second = arguments.get(1);
        return switch (call.function()) {
            case POWER -> StrictMath.pow(number(first), number(second));
            case ATAN2 -> StrictMath.atan2(number(first), number(second));
            case CONCAT -> String.join("", arguments.toArray(String[]::new));
            case REPLACE ->
                ((String) second).isEmpty()
                        ? first
                        : ((String) first).replace((String) second, (String) arguments.get(2));
            case STRPOS -> {
                int at = ((String) first).indexOf((String) second);
                yield at < 0 ? 0L : (Object) (1L + ((String) first).codePointCount(0, at));
            }
            case STARTS_WITH -> ((String) first).startsWith((String) second);
            case SUBSTRING -> {
                int[] points = ((String) first).codePoints().toArray();
                StringBuilder part = new StringBuilder();
                for (int i = 0; i < points.length; i++) {
                    BigInteger place = BigInteger.valueOf(i + 1).subtract(BigInteger.valueOf((Long) second));
                    boolean inside = place.signum() >= 0
                            && (arguments.size() < 3
                                    || place.compareTo(BigInteger.valueOf((Long) arguments.get(2))) < 0);
                    part.append(inside ? Character.toString(points[i]) : "");
                }
                yield part.toString();
            }
            case DATE_TRUNC, DATE_PART ->
                calendar(
                        call.function() == io.waterwheel.query.expression.Function.DATE_PART,
                        (String) first,
                        ((Instant) second)
                                .atZone(arguments.size() < 3 ? ZoneOffset.UTC : ZoneId.of((String) arguments.get(2))));
            case FORMAT_TIME ->
                DateTimeFormatter.ofPattern((String) second, Locale.ENGLISH)
                        .withZone(arguments.size() < 3 ? ZoneOffset.UTC : ZoneId.of((String) arguments.get(2)))
                        .format((Instant) first);
            case DISTANCE ->
                distance(arguments.stream().mapToDouble(RowInterpreter::number).toArray());
            case IN_POLYGON -> inPolygon(number(first), number(second), polygon((String) arguments.get(2)));
            case JSON_TEXT, JSON_NUMBER ->
                json(call.function() == io.waterwheel.query.expression.Function.JSON_TEXT, (String) first, (String)
                        second);
            case GEOHASH -> geohash(number(first), number(second), (int) (long) (Long) arguments.get(2));
            default -> throw new AssertionError(call);
        };
    }

    private static Object numberOf(String text) {
        String bare = text.replaceAll("^ +| +$", "");
        if (!bare.matches("[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]+)?")) {
            return null;
        }
        double number = Double.parseDouble(bare);
        return Double.isInfinite(number) ? null : (Object) number;
    }

    /** The value at a path, token by token. */
    private static Object json(boolean text, String document, String path) {
        try (JsonParser parser = new JsonFactory().createParser(document)) {
            parser.nextToken();
            for (MemberPath.Step step : MemberPath.of(path)) {
                if (!goTo(parser, step)) {
                    return null;
                }
            }
            JsonToken found = parser.currentToken();
            if (found == null || found == JsonToken.VALUE_NULL) {
                return null;
            } else if (!text) {
                return found.isNumeric() && Double.isFinite(parser.getDoubleValue())
                        ? (Object) parser.getDoubleValue()
                        : null;
            } else if (found == JsonToken.VALUE_STRING) {
                return parser.getText();
            }
            int from = (int) parser.currentTokenLocation().getCharOffset();
            parser.skipChildren();
            return found.isStructStart()
                    ? document.substring(from, (int) parser.currentLocation().getCharOffset())
                    : parser.getText();
        } catch (IOException e) {
            return null;
        }
    }

    private static boolean goTo(JsonParser parser, MemberPath.Step step) throws IOException {
        if (parser.currentToken() != (step.element() ? JsonToken.START_ARRAY : JsonToken.START_OBJECT)) {
            return false;
        }
        int element = 0;
        while (!parser.nextToken().isStructEnd()) {
            if (step.element()) {
                if (element++ == Integer.parseInt(step.name())) {
                    return true;
                }
            } else {
                boolean found = parser.currentName().equals(step.name());
                parser.nextToken();
                if (found) {
                    return true;
                }
            }
            parser.skipChildren();
        }
        return false;
    }

    private static Object calendar(boolean part, String unit, ZonedDateTime time) {
        ZonedDateTime day = time.truncatedTo(ChronoUnit.DAYS);
        if (part) {
            return (long)
                    switch (unit) {
                        case "second" -> time.getSecond();
                        case "minute" -> time.getMinute();
                        case "hour" -> time.getHour();
                        case "day" -> time.getDayOfMonth();
                        case "week" -> time.get(IsoFields.WEEK_OF_WEEK_BASED_YEAR);
                        case "month" -> time.getMonthValue();
                        case "quarter" -> (time.getMonthValue() + 2) / 3;
                        case "year" -> time.getYear();
                        case "isodow" -> time.getDayOfWeek().getValue();
                        default -> time.getDayOfYear();
                    };
        }
        ZonedDateTime begin =
                switch (unit) {
                    case "second" -> time.truncatedTo(ChronoUnit.SECONDS);
                    case "minute" -> time.truncatedTo(ChronoUnit.MINUTES);
                    case "hour" -> time.truncatedTo(ChronoUnit.HOURS);
                    case "day" -> day;
                    case "week" -> day.minusDays(time.getDayOfWeek().getValue() - 1);
                    case "month" -> day.withDayOfMonth(1);
                    case "quarter" -> day.withDayOfMonth(1).withMonth((time.getMonthValue() + 2) / 3 * 3 - 2);
                    default -> day.withDayOfYear(1);
                };
        return begin.toInstant();
    }

    /** The polygon of a text. */
    public static Geometry polygon(String wkt) {
        try {
            return new WKTReader().read(wkt);
        } catch (ParseException e) {
            throw new AssertionError(e);
        }
    }

    /** By JTS's test of all edges, as the polygon is written and a turn further on both sides. */
    public static boolean inPolygon(double longitude, double latitude, Geometry polygon) {
        if (!(Math.abs(longitude) <= 180 && Math.abs(latitude) <= 90)) {
            return false;
        }
        for (int turn = -360; turn <= 360; turn += 360) {
            Coordinate position = new Coordinate(longitude + turn, latitude);
            if (SimplePointInAreaLocator.locate(position, polygon) != Location.EXTERIOR) {
                return true;
            }
        }
        return false;
    }

    private static Double distance(double[] at) {
        if (Math.abs(at[0]) <= 180 && Math.abs(at[1]) <= 90 && Math.abs(at[2]) <= 180 && Math.abs(at[3]) <= 90) {
            double a = StrictMath.sin(Math.toRadians(at[3] - at[1]) / 2);
            double b = StrictMath.sin(Math.toRadians(at[2] - at[0]) / 2);
            double h = a * a + b * b * (StrictMath.cos(Math.toRadians(at[1])) * StrictMath.cos(Math.toRadians(at[3])));
            return 2 * 6_371_008.8 * StrictMath.asin(Math.min(1, Math.sqrt(h)));
        }
        return null;
    }

    /** From the cells as whole numbers: the bits of both, one after the other. */
    private static String geohash(double longitude, double latitude, int characters) {
        if (!(Math.abs(longitude) <= 180 && Math.abs(latitude) <= 90)) {
            return null;
        }
        long x = cell(longitude / 360 + 0.5);
        long y = cell(latitude / 180 + 0.5);
        StringBuilder text = new StringBuilder();
        for (int c = 0; c < characters; c++) {
            int digit = 0;
            for (int bit = c * 5; bit < c * 5 + 5; bit++) {
                long of = bit % 2 == 0 ? x : y;
                digit = digit * 2 + (int) (of >>> (29 - bit / 2) & 1);
            }
            text.append("0123456789bcdefghjkmnpqrstuvwxyz".charAt(digit));
        }
        return text.toString();
    }

    private static long cell(double part) {
        return Math.min((1L << 30) - 1, (long) (part * (1L << 30)));
    }

    private static Object strict(Expression.Call call, Object first) {
        return switch (call.function()) {
            case ABS -> first instanceof Long whole ? (Object) Math.absExact(whole) : (Object) Math.abs((Double) first);
            case FLOOR -> first instanceof Double number ? (Object) Math.floor(number) : first;
            case CEIL -> first instanceof Double number ? (Object) Math.ceil(number) : first;
            case ROUND -> {
                double number = ((Number) first).doubleValue();
                yield Double.isFinite(number)
                        ? new BigDecimal(number)
                                .setScale(0, RoundingMode.HALF_UP)
                                .doubleValue()
                        : number;
            }
            case LOWER, UPPER -> {
                StringBuilder changed = new StringBuilder();
                for (char c : ((String) first).toCharArray()) {
                    boolean lower = c >= 'a' && c <= 'z';
                    boolean upper = c >= 'A' && c <= 'Z';
                    boolean change = call.function() == io.waterwheel.query.expression.Function.LOWER ? upper : lower;
                    changed.append(change ? (char) (c ^ 0x20) : c);
                }
                yield changed.toString();
            }
            case LENGTH ->
                first instanceof String text
                        ? (Object) (long) text.codePointCount(0, text.length())
                        : (Object) (long) ((byte[]) first).length;
            case OCTET_LENGTH -> (long) bytes(first).length;
            case TO_NUMBER -> numberOf((String) first);
            case SQRT -> Math.sqrt(number(first));
            case EXP -> StrictMath.exp(number(first));
            case LN -> StrictMath.log(number(first));
            case LOG10 -> StrictMath.log10(number(first));
            case SIN -> StrictMath.sin(number(first));
            case COS -> StrictMath.cos(number(first));
            case TAN -> StrictMath.tan(number(first));
            case ASIN -> StrictMath.asin(number(first));
            case ACOS -> StrictMath.acos(number(first));
            case ATAN -> StrictMath.atan(number(first));
            case RADIANS -> Math.toRadians(number(first));
            case DEGREES -> Math.toDegrees(number(first));
            case TRIM -> ((String) first).replaceAll("^ +| +$", "");
            default -> throw new AssertionError(call);
        };
    }
}
