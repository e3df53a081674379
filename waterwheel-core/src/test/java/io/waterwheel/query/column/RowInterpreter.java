package io.waterwheel.query.column;

import io.waterwheel.query.expression.Expression;
import io.waterwheel.query.expression.ExpressionTypes;
import io.waterwheel.query.expression.ValueType;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/** Evaluates expressions the plain way: one row of objects at a time, every part of the tree. The twin of the nodes. */
public final class RowInterpreter {
    private final ExpressionTypes types;
    private final Map<String, Object> row;

    /** @param row Long, Double, Boolean, String, Instant, byte[] or null by field; addresses as Long */
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
        } else if (node instanceof Expression.Text text) {
            return text.value();
        } else if (node instanceof Expression.Hex hex) {
            return HexFormat.of().parseHex(hex.digits());
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
        return call((Expression.Call) node);
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
            return exact(a).compareTo(exact(b));
        } else if (left instanceof Instant a) {
            return a.compareTo((Instant) right);
        } else if (left instanceof Boolean a) {
            return Boolean.compare(a, (Boolean) right);
        }
        return Arrays.compareUnsigned(bytes(left), bytes(right));
    }

    private static BigDecimal exact(Number number) {
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
                return first == null ? null : strict(call, first);
            }
        }
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
            case COALESCE, NULLIF -> throw new AssertionError();
        };
    }
}
