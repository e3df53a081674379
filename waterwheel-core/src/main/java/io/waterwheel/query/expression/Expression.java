package io.waterwheel.query.expression;

import io.waterwheel.error.WaterwheelException;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.text.Decimals;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A value computed from the fields of one tuple, as a tree. What each node means, null rules and types included, is in
 * docs/queries.md. A node's parts are checked when it is made, names and types only against a schema
 * ({@link ExpressionTypes}). {@code toString} is the text form. Immutable.
 */
public sealed interface Expression {
    /** Greatest depth of a tree. */
    int MAX_DEPTH = 64;
    /** Most nodes of a tree. */
    int MAX_NODES = 20_000;

    /** A value that is written out. */
    sealed interface Literal extends Expression {}

    /** A 64-bit integer. */
    record Whole(long value) implements Literal {
        @Override
        public String toString() {
            return ExpressionPrinter.print(this);
        }
    }

    /**
     * A double; one that is infinite or no number has no digits, and is written as a CAST of its name.
     *
     * @param written the text of it, where that is another number than the double's shortest text is; else null
     */
    record Decimal(double value, @Nullable String written) implements Literal {
        public Decimal(double value) {
            this(value, null);
        }

        /**
         * The double that is nearest to a number in digits.
         *
         * @throws NumberFormatException when the text is no number
         * @throws IllegalArgumentException when it is beyond the doubles
         */
        public static Decimal of(String digits) {
            double value = Double.parseDouble(digits);
            if (!Double.isFinite(value)) {
                throw new IllegalArgumentException("expected a number within the range of a double, got " + digits);
            }
            return new Decimal(value, isCut(digits, value) ? digits : null);
        }

        private static boolean isCut(String digits, double value) {
            try {
                return digits.length() > MOST_DIGITS
                        || new BigDecimal(digits).compareTo(new BigDecimal(Double.toString(value))) != 0;
            } catch (NumberFormatException e) {
                // An exponent that only doubles take, to zero.
                return true;
            }
        }

        /** Longer than any number that somebody writes. */
        private static final int MOST_DIGITS = 400;

        /** The double that a text names which has no digits; null for any other text. */
        static @Nullable Decimal named(String name) {
            return switch (name) {
                case "Infinity" -> new Decimal(Double.POSITIVE_INFINITY);
                case "-Infinity" -> new Decimal(Double.NEGATIVE_INFINITY);
                case "NaN" -> new Decimal(Double.NaN);
                default -> null;
            };
        }

        @Override
        public String toString() {
            return ExpressionPrinter.print(this);
        }
    }

    /**
     * An exact decimal of at most 38 digits.
     *
     * @param value whose scale is the number of places that are written, never below 0
     */
    record Exact(BigDecimal value) implements Literal {
        public Exact {
            value = Decimals.value(value.toString());
        }

        /**
         * The decimal of a text such as {@code 12.50}.
         *
         * @throws IllegalArgumentException when it is none, or has too many digits
         */
        public static Exact of(String digits) {
            return new Exact(Decimals.value(digits));
        }

        /** The least type that holds it. */
        public ValueType type() {
            return ValueType.decimal(Math.max(value.precision(), Math.max(1, value.scale())), value.scale());
        }

        @Override
        public String toString() {
            return ExpressionPrinter.print(this);
        }
    }

    /** Text. */
    record Text(String value) implements Literal {
        @Override
        public String toString() {
            return ExpressionPrinter.print(this);
        }
    }

    /**
     * Bytes.
     *
     * @param digits two hexadecimal digits a byte, lower case
     */
    record Hex(String digits) implements Literal {
        public Hex {
            boolean fits = digits.length() % 2 == 0;
            for (int i = 0; i < digits.length(); i++) {
                fits &= "0123456789abcdef".indexOf(digits.charAt(i)) >= 0;
            }
            if (!fits) {
                throw new IllegalArgumentException(
                        "a bytes literal: expected two hexadecimal digits a byte, lower case, got '" + digits + "'");
            }
        }

        @Override
        public String toString() {
            return ExpressionPrinter.print(this);
        }
    }

    /** TRUE or FALSE. */
    record Truth(boolean value) implements Literal {
        @Override
        public String toString() {
            return ExpressionPrinter.print(this);
        }
    }

    /** A moment of the years 1 to 9999, to the nanosecond. */
    record Moment(Instant value) implements Literal {
        private static final Instant FIRST = Instant.parse("0001-01-01T00:00:00Z");
        private static final Instant LAST = Instant.parse("9999-12-31T23:59:59.999999999Z");

        public Moment {
            if (value.isBefore(FIRST) || value.isAfter(LAST)) {
                throw new IllegalArgumentException("a timestamp literal must lie in the years 1 to 9999, got " + value);
            }
        }

        @Override
        public String toString() {
            return ExpressionPrinter.print(this);
        }
    }

    /**
     * An IPv4 address.
     *
     * @param bits as an unsigned number
     */
    record Address(int bits) implements Literal {
        @Override
        public String toString() {
            return ExpressionPrinter.print(this);
        }
    }

    /**
     * A value of 16 bytes: a UUID or an IPv6 address.
     *
     * @param type of the two
     * @param text as the type writes it
     */
    record Sixteen(ValueType type, String text) implements Literal {
        /** The value that a text of any form stands for. */
        public Sixteen {
            byte[] written = text.getBytes(StandardCharsets.UTF_8);
            byte[] bytes = new byte[FieldType.SIXTEEN];
            if (!type.fieldType().parseSixteen(written, 0, written.length, bytes)) {
                throw new IllegalArgumentException(
                        "expected " + type.fieldType().sixteenExpected() + ", got '" + text + "'");
            }
            text = type.fieldType().textOfSixteen(bytes, 0);
        }

        /** The value. */
        public byte[] bytes() {
            byte[] written = text.getBytes(StandardCharsets.UTF_8);
            byte[] bytes = new byte[FieldType.SIXTEEN];
            type.fieldType().parseSixteen(written, 0, written.length, bytes);
            return bytes;
        }

        @Override
        public String toString() {
            return ExpressionPrinter.print(this);
        }
    }

    /** NULL. */
    record Null() implements Literal {
        @Override
        public String toString() {
            return ExpressionPrinter.print(this);
        }
    }

    /** The value of a field. */
    record FieldValue(String name) implements Expression {
        public FieldValue {
            if (name.isEmpty()) {
                throw new IllegalArgumentException("a field's name must not be empty");
            }
        }

        @Override
        public String toString() {
            return ExpressionPrinter.print(this);
        }
    }

    /** Two values compared; null when either is. */
    record Comparison(Relation operator, Expression left, Expression right) implements Expression {
        /** How values are compared. */
        public enum Relation {
            EQUAL("="),
            UNEQUAL("<>"),
            LESS("<"),
            AT_MOST("<="),
            GREATER(">"),
            AT_LEAST(">=");

            private final String sign;

            Relation(String sign) {
                this.sign = sign;
            }

            /** As in SQL. */
            public String sign() {
                return sign;
            }

            /** The operator that says the same with the sides exchanged. */
            public Relation mirrored() {
                return switch (this) {
                    case EQUAL, UNEQUAL -> this;
                    case LESS -> GREATER;
                    case AT_MOST -> AT_LEAST;
                    case GREATER -> LESS;
                    case AT_LEAST -> AT_MOST;
                };
            }
        }

        @Override
        public String toString() {
            return ExpressionPrinter.print(this);
        }
    }

    /** Two numbers put together; null when either is. */
    record Arithmetic(Operation operator, Expression left, Expression right) implements Expression {
        /** What is done to them. */
        public enum Operation {
            PLUS("+"),
            MINUS("-"),
            TIMES("*"),
            /** Of integers: rounded towards zero. Null when the right side is zero. */
            DIVIDED("/"),
            /** Of integers: the remainder, with the sign of the left side. Null when the right side is zero. */
            MODULO("%");

            private final String sign;

            Operation(String sign) {
                this.sign = sign;
            }

            /** As in SQL. */
            public String sign() {
                return sign;
            }
        }

        @Override
        public String toString() {
            return ExpressionPrinter.print(this);
        }
    }

    /** A number with the other sign. */
    record Negation(Expression operand) implements Expression {
        @Override
        public String toString() {
            return ExpressionPrinter.print(this);
        }
    }

    /** False when any term is, else null when any is, else true. */
    record And(List<Expression> terms) implements Expression {
        public And {
            terms = List.copyOf(terms);
            if (terms.size() < 2) {
                throw new IllegalArgumentException("AND: expected at least 2 terms, got " + terms.size());
            }
        }

        @Override
        public String toString() {
            return ExpressionPrinter.print(this);
        }
    }

    /** True when any term is, else null when any is, else false. */
    record Or(List<Expression> terms) implements Expression {
        public Or {
            terms = List.copyOf(terms);
            if (terms.size() < 2) {
                throw new IllegalArgumentException("OR: expected at least 2 terms, got " + terms.size());
            }
        }

        @Override
        public String toString() {
            return ExpressionPrinter.print(this);
        }
    }

    /** True for false, false for true, null for null. */
    record Not(Expression operand) implements Expression {
        @Override
        public String toString() {
            return ExpressionPrinter.print(this);
        }
    }

    /** Whether a value is null, or is not; never null itself. */
    record IsNull(Expression operand, boolean negated) implements Expression {
        @Override
        public String toString() {
            return ExpressionPrinter.print(this);
        }
    }

    /** Whether a value equals any of some literals: an OR of comparisons, null rules too. */
    record In(Expression operand, List<Literal> values, boolean negated) implements Expression {
        public In {
            values = List.copyOf(values);
            if (values.isEmpty()) {
                throw new IllegalArgumentException("IN: expected at least one value");
            }
        }

        @Override
        public String toString() {
            return ExpressionPrinter.print(this);
        }
    }

    /** Whether a value lies between two, both included: an AND of two comparisons, null rules too. */
    record Between(Expression operand, Expression low, Expression high, boolean negated) implements Expression {
        @Override
        public String toString() {
            return ExpressionPrinter.print(this);
        }
    }

    /**
     * Whether text matches a pattern: {@code %} stands for any characters, {@code _} for one.
     *
     * @param escape one character that takes the meaning from the {@code %}, {@code _} or itself that must follow; null
     *     for none
     */
    record Like(
            Expression operand, String pattern, @Nullable String escape, boolean negated) implements Expression {
        public Like {
            if (escape != null) {
                if (escape.codePointCount(0, escape.length()) != 1) {
                    throw new IllegalArgumentException("ESCAPE: expected one character, got '" + escape + "'");
                }
                for (int i = pattern.indexOf(escape); i >= 0; i = pattern.indexOf(escape, i)) {
                    i += escape.length();
                    if (!pattern.startsWith("%", i) && !pattern.startsWith("_", i) && !pattern.startsWith(escape, i)) {
                        throw new IllegalArgumentException("LIKE '" + pattern + "': expected %, _ or " + escape
                                + " after the escape character " + escape);
                    }
                    i++;
                }
            }
        }

        @Override
        public String toString() {
            return ExpressionPrinter.print(this);
        }
    }

    /**
     * The result of the first condition that is true.
     *
     * @param conditions at least one
     * @param results one of each condition
     * @param otherwise when none is true; null for NULL
     */
    record Case(
            List<Expression> conditions,
            List<Expression> results,
            @Nullable Expression otherwise) implements Expression {
        public Case {
            conditions = List.copyOf(conditions);
            results = List.copyOf(results);
            if (conditions.isEmpty() || conditions.size() != results.size()) {
                throw new IllegalArgumentException("CASE: expected as many results as conditions, at least one, got "
                        + conditions.size() + " and " + results.size());
            }
        }

        @Override
        public String toString() {
            return ExpressionPrinter.print(this);
        }
    }

    /** A value as one of another type; null for null. */
    record Cast(Expression operand, ValueType type) implements Expression {
        public Cast {
            if (type.castName() == null) {
                throw new IllegalArgumentException("CAST: there is none to " + type.spoken());
            }
        }

        @Override
        public String toString() {
            return ExpressionPrinter.print(this);
        }
    }

    /** A function's value. */
    record Call(Function function, List<Expression> arguments) implements Expression {
        public Call {
            arguments = List.copyOf(arguments);
            if (arguments.size() < function.least() || arguments.size() > function.most()) {
                throw new IllegalArgumentException(function + ": expected "
                        + (function.least() == function.most()
                                ? function.least()
                                : function.least() + " to " + function.most())
                        + " arguments, got " + arguments.size());
            }
        }

        @Override
        public String toString() {
            return ExpressionPrinter.print(this);
        }
    }

    /**
     * The condition of this text.
     *
     * @throws WaterwheelException of kind USER, code BAD_EXPRESSION, that names the place and what was expected there
     */
    static Expression parse(String text) {
        return ExpressionParser.parse(text);
    }

    /** The condition that was printed as this text, which may be longer than what it was read from. */
    static Expression parsePrinted(String text) {
        return ExpressionParser.parse(text, ExpressionParser.MAX_PRINTED);
    }

    /** The parts of a node, left to right. */
    default List<? extends Expression> parts() {
        if (this instanceof Comparison node) {
            return List.of(node.left, node.right);
        } else if (this instanceof Arithmetic node) {
            return List.of(node.left, node.right);
        } else if (this instanceof And node) {
            return node.terms;
        } else if (this instanceof Or node) {
            return node.terms;
        } else if (this instanceof Not node) {
            return List.of(node.operand);
        } else if (this instanceof Negation node) {
            return List.of(node.operand);
        } else if (this instanceof IsNull node) {
            return List.of(node.operand);
        } else if (this instanceof Between node) {
            return List.of(node.operand, node.low, node.high);
        } else if (this instanceof In node) {
            return List.of(node.operand);
        } else if (this instanceof Like node) {
            return List.of(node.operand);
        } else if (this instanceof Call node) {
            return node.arguments;
        } else if (this instanceof Cast node) {
            return List.of(node.operand);
        } else if (this instanceof Case node) {
            List<Expression> all = new ArrayList<>(node.conditions);
            all.addAll(node.results);
            if (node.otherwise != null) {
                all.add(node.otherwise);
            }
            return all;
        }
        return List.of();
    }

    /**
     * Checks the limits {@link #MAX_DEPTH} and {@link #MAX_NODES}.
     *
     * @throws WaterwheelException of kind USER, code BAD_EXPRESSION, when it is larger
     */
    default void requireLimits() {
        if (nodes(this, 1) > MAX_NODES) {
            throw ExpressionParser.tooLarge("more than " + MAX_NODES + " parts");
        }
    }

    private static int nodes(Expression node, int depth) {
        if (depth > MAX_DEPTH) {
            throw ExpressionParser.tooLarge("parts within parts, " + MAX_DEPTH + " deep");
        }
        int nodes = node instanceof In in ? in.values().size() + 1 : 1;
        for (Expression part : node.parts()) {
            nodes += nodes(part, depth + 1);
            if (nodes > MAX_NODES) {
                break;
            }
        }
        return nodes;
    }
}
