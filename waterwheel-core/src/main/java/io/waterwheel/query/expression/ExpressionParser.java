package io.waterwheel.query.expression;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.expression.Tokens.Kind;
import io.waterwheel.schema.text.Decimals;
import io.waterwheel.schema.text.Ipv4;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads the text form of expressions (grammar: docs/queries.md) by recursive descent. Every failure is a
 * {@link WaterwheelException} of kind USER, code BAD_EXPRESSION, that names the place, what was expected and what came.
 * One thread; {@link #parse} for most.
 */
public final class ExpressionParser {
    /** Longest text that is looked at, in characters. */
    public static final int MAX_TEXT = 256 * 1024;

    /** Most arguments of an aggregate that are read. */
    private static final int MOST_ARGUMENTS = 8;

    /** Printing puts blanks and parentheses into it. */
    static final int MAX_PRINTED = 4 * MAX_TEXT;

    /** Parentheses do not deepen the tree, but they do deepen the descent. */
    private static final int MAX_DESCENT = 2 * Expression.MAX_DEPTH + 16;

    private final Tokens tokens;
    private int descent;

    private ExpressionParser(String text, int mostCharacters) {
        if (text.length() > mostCharacters) {
            throw tooLarge("more than " + mostCharacters + " characters");
        }
        this.tokens = new Tokens(text);
    }

    /** The expression that the whole text is. */
    public static Expression parse(String text) {
        return parse(text, MAX_TEXT);
    }

    static Expression parse(String text, int mostCharacters) {
        ExpressionParser parser = new ExpressionParser(text, mostCharacters);
        Expression expression = parser.expression();
        if (parser.tokens.kind() != Kind.END) {
            throw parser.expected("an operator or the end");
        }
        expression.requireLimits();
        return expression;
    }

    /**
     * An expression as {@code EXPRESSION AS ALIAS}.
     *
     * @param alias empty when there is none
     */
    public record Named(Expression expression, String alias) {}

    /** The expression, perhaps with a name, that the whole text is. */
    public static Named parseNamed(String text) {
        ExpressionParser parser = new ExpressionParser(text, MAX_TEXT);
        Expression expression = parser.expression();
        expression.requireLimits();
        return new Named(expression, parser.aliasAndEnd());
    }

    /**
     * A call as {@code NAME([DISTINCT] ARGUMENT, ...) FILTER (WHERE CONDITION) AS ALIAS}: how aggregates are written,
     * and values of a series.
     *
     * @param name as written
     * @param distinct whether DISTINCT stands before the arguments
     * @param arguments none for {@code *}
     * @param filter null when there is none
     * @param alias empty when there is none
     */
    public record NamedCall(
            String name,
            boolean distinct,
            List<Expression> arguments,
            @Nullable Expression filter,
            String alias) {}

    /**
     * The call that the whole text is.
     *
     * @param what is expected, for the message when it is none
     */
    public static NamedCall parseCall(String text, String what) {
        ExpressionParser parser = new ExpressionParser(text, MAX_TEXT);
        Tokens tokens = parser.tokens;
        if (tokens.kind() != Kind.WORD) {
            throw parser.expected(what);
        }
        String name = tokens.value();
        tokens.advance();
        parser.require("(");
        boolean distinct = tokens.takeWord("DISTINCT");
        List<Expression> arguments = new ArrayList<>();
        if (distinct || !tokens.takeSign("*")) {
            do {
                Expression argument = parser.expression();
                argument.requireLimits();
                arguments.add(argument);
            } while (tokens.takeSign(",") && arguments.size() <= MOST_ARGUMENTS);
        }
        parser.require(")");
        Expression filter = null;
        if (tokens.takeWord("FILTER")) {
            parser.require("(");
            if (!tokens.takeWord("WHERE")) {
                throw parser.expected("WHERE and a condition");
            }
            filter = parser.expression();
            filter.requireLimits();
            parser.require(")");
        }
        return new NamedCall(name, distinct, arguments, filter, parser.aliasAndEnd());
    }

    /** The name after AS, empty when there is none; then the text must end. */
    private String aliasAndEnd() {
        String alias = "";
        if (tokens.takeWord("AS")) {
            if (tokens.kind() != Kind.QUOTED && (tokens.kind() != Kind.WORD || Tokens.reserved(tokens.value()))) {
                throw expected("a name after AS");
            }
            alias = tokens.value();
            tokens.advance();
        }
        if (tokens.kind() != Kind.END) {
            throw expected("AS and a name, or the end");
        }
        return alias;
    }

    static WaterwheelException tooLarge(String what) {
        return new WaterwheelException(ErrorCode.BAD_EXPRESSION, "expression: it is too large: " + what);
    }

    private WaterwheelException expected(String what) {
        return tokens.error("expected " + what + ", got " + tokens.described());
    }

    private void require(String sign) {
        if (!tokens.takeSign(sign)) {
            throw expected(sign);
        }
    }

    private Expression expression() {
        if (++descent > MAX_DESCENT) {
            throw tooLarge("parentheses and operators within each other, " + Expression.MAX_DEPTH + " deep");
        }
        Expression expression = chain("OR", this::conjunction, Expression.Or::new);
        descent--;
        return expression;
    }

    private Expression conjunction() {
        return chain("AND", this::negated, Expression.And::new);
    }

    private Expression chain(String word, Supplier<Expression> part, Function<List<Expression>, Expression> whole) {
        Expression first = part.get();
        if (!tokens.isWord(word)) {
            return first;
        }
        List<Expression> terms = new ArrayList<>();
        terms.add(first);
        while (tokens.takeWord(word)) {
            terms.add(part.get());
            if (terms.size() > Expression.MAX_NODES) {
                throw tooLarge("more than " + Expression.MAX_NODES + " parts");
            }
        }
        return whole.apply(terms);
    }

    private Expression negated() {
        int nots = 0;
        while (tokens.takeWord("NOT")) {
            if (++nots > Expression.MAX_DEPTH) {
                throw tooLarge("more than " + Expression.MAX_DEPTH + " times NOT");
            }
        }
        Expression expression = predicate();
        for (; nots > 0; nots--) {
            expression = new Expression.Not(expression);
        }
        return expression;
    }

    private Expression predicate() {
        Expression left = sum();
        if (tokens.kind() == Kind.SIGN) {
            for (Expression.Comparison.Relation operator : Expression.Comparison.Relation.values()) {
                if (tokens.takeSign(operator.sign())) {
                    return new Expression.Comparison(operator, left, sum());
                }
            }
            return left;
        }
        if (tokens.takeWord("IS")) {
            boolean not = tokens.takeWord("NOT");
            if (!tokens.takeWord("NULL")) {
                throw expected(not ? "NULL" : "NULL or NOT NULL");
            }
            return new Expression.IsNull(left, not);
        }
        boolean not = tokens.takeWord("NOT");
        if (tokens.takeWord("BETWEEN")) {
            Expression low = sum();
            if (!tokens.takeWord("AND")) {
                throw expected("AND and the upper bound of BETWEEN");
            }
            return new Expression.Between(left, low, sum(), not);
        }
        if (tokens.takeWord("IN")) {
            return in(left, not);
        }
        if (tokens.takeWord("LIKE")) {
            return like(left, not);
        }
        if (not) {
            throw expected("BETWEEN, IN or LIKE after NOT");
        }
        return left;
    }

    private Expression in(Expression left, boolean not) {
        require("(");
        List<Expression.Literal> values = new ArrayList<>();
        do {
            int from = tokens.from();
            if (!(signed() instanceof Expression.Literal literal)) {
                throw tokens.errorAt(from, "expected a literal, as all values of IN must be");
            }
            values.add(literal);
            if (values.size() > Expression.MAX_NODES) {
                throw tooLarge("more than " + Expression.MAX_NODES + " parts");
            }
        } while (tokens.takeSign(","));
        require(")");
        return new Expression.In(left, values, not);
    }

    private Expression like(Expression left, boolean not) {
        int from = tokens.from();
        String pattern = text("a pattern in single quotes after LIKE");
        String escape = tokens.takeWord("ESCAPE") ? text("one character in single quotes after ESCAPE") : null;
        try {
            return new Expression.Like(left, pattern, escape, not);
        } catch (IllegalArgumentException e) {
            throw tokens.errorAt(from, String.valueOf(e.getMessage()));
        }
    }

    private String text(String what) {
        if (tokens.kind() != Kind.TEXT) {
            throw expected(what);
        }
        String text = tokens.value();
        tokens.advance();
        return text;
    }

    private Expression sum() {
        Expression left = product();
        for (int terms = 0; ; terms++) {
            Expression.Arithmetic.Operation operator;
            if (tokens.takeSign("+")) {
                operator = Expression.Arithmetic.Operation.PLUS;
            } else if (tokens.takeSign("-")) {
                operator = Expression.Arithmetic.Operation.MINUS;
            } else if (tokens.takeSign("||")) {
                left = deeper(
                        new Expression.Call(io.waterwheel.query.expression.Function.CONCAT, List.of(left, product())),
                        terms);
                continue;
            } else {
                return left;
            }
            left = deeper(new Expression.Arithmetic(operator, left, product()), terms);
        }
    }

    private Expression product() {
        Expression left = signed();
        for (int terms = 0; ; terms++) {
            Expression.Arithmetic.Operation operator;
            if (tokens.takeSign("*")) {
                operator = Expression.Arithmetic.Operation.TIMES;
            } else if (tokens.takeSign("/")) {
                operator = Expression.Arithmetic.Operation.DIVIDED;
            } else if (tokens.takeSign("%")) {
                operator = Expression.Arithmetic.Operation.MODULO;
            } else {
                return left;
            }
            left = deeper(new Expression.Arithmetic(operator, left, signed()), terms);
        }
    }

    private static Expression deeper(Expression expression, int terms) {
        if (terms > Expression.MAX_DEPTH) {
            throw tooLarge("more than " + Expression.MAX_DEPTH + " operators in a row; put parentheses in the middle");
        }
        return expression;
    }

    private Expression signed() {
        int minuses = 0;
        while (tokens.takeSign("-")) {
            if (++minuses > Expression.MAX_DEPTH) {
                throw tooLarge("more than " + Expression.MAX_DEPTH + " times -");
            }
        }
        boolean number = tokens.kind() == Kind.WHOLE || tokens.kind() == Kind.DECIMAL;
        Expression expression = number ? number(minuses > 0) : primary();
        for (int i = number ? 1 : 0; i < minuses; i++) {
            expression = new Expression.Negation(expression);
        }
        return expression;
    }

    private Expression number(boolean negative) {
        String digits = negative ? "-" + tokens.value() : tokens.value();
        Expression number;
        if (tokens.kind() == Kind.WHOLE) {
            try {
                number = new Expression.Whole(Long.parseLong(digits));
            } catch (NumberFormatException e) {
                throw expected("an integer of 64 bits, or a decimal point in it");
            }
        } else {
            if (Double.isInfinite(Double.parseDouble(digits))) {
                throw expected("a number within the range of a double");
            }
            number = Expression.Decimal.of(digits);
        }
        tokens.advance();
        return number;
    }

    private Expression primary() {
        switch (tokens.kind()) {
            case TEXT -> {
                return new Expression.Text(text(""));
            }
            case QUOTED -> {
                if (tokens.value().isEmpty()) {
                    throw expected("a name in the double quotes");
                }
                return field();
            }
            case WORD -> {
                return word();
            }
            default -> {
                if (!tokens.takeSign("(")) {
                    throw expected("a value: a field, a literal, a function or (");
                }
                Expression inside = expression();
                require(")");
                return inside;
            }
        }
    }

    private Expression field() {
        Expression field = new Expression.FieldValue(tokens.value());
        tokens.advance();
        return field;
    }

    private Expression word() {
        if (tokens.takeWord("NULL")) {
            return new Expression.Null();
        } else if (tokens.takeWord("TRUE")) {
            return new Expression.Truth(true);
        } else if (tokens.takeWord("FALSE")) {
            return new Expression.Truth(false);
        } else if (tokens.isWord("TIMESTAMP") && tokens.followedBy('\'')) {
            tokens.advance();
            return moment();
        } else if (tokens.isWord("IPV4") && tokens.followedBy('\'')) {
            tokens.advance();
            return address();
        } else if (tokens.isWord("UUID") && tokens.followedBy('\'')) {
            return sixteen(ValueType.UUID);
        } else if (tokens.isWord("IPV6") && tokens.followedBy('\'')) {
            return sixteen(ValueType.IPV6);
        } else if (tokens.isWord("DECIMAL") && tokens.followedBy('\'')) {
            tokens.advance();
            return exact();
        } else if (tokens.isWord("X") && tokens.followedBy('\'')) {
            tokens.advance();
            return hex();
        } else if (tokens.takeWord("CASE")) {
            return choice();
        } else if (tokens.takeWord("CAST")) {
            return cast();
        } else if (tokens.isWord("EXTRACT") && tokens.followedBy('(')) {
            tokens.advance();
            return extract();
        } else if (Tokens.reserved(tokens.value())) {
            throw tokens.error("expected a value, got " + tokens.value()
                    + ", a word of SQL; a field of that name is written in double quotes");
        } else if (tokens.followedBy('(')) {
            return call();
        }
        return field();
    }

    /** After CASE: searched, or with an operand that is compared with the value of each WHEN. */
    private Expression choice() {
        Expression operand = tokens.isWord("WHEN") ? null : expression();
        List<Expression> conditions = new ArrayList<>();
        List<Expression> results = new ArrayList<>();
        while (tokens.takeWord("WHEN")) {
            Expression condition = expression();
            conditions.add(
                    operand == null
                            ? condition
                            : new Expression.Comparison(Expression.Comparison.Relation.EQUAL, operand, condition));
            if (!tokens.takeWord("THEN")) {
                throw expected("THEN and a value");
            }
            results.add(expression());
            if (conditions.size() > Expression.MAX_NODES) {
                throw tooLarge("more than " + Expression.MAX_NODES + " parts");
            }
        }
        if (conditions.isEmpty()) {
            throw expected("WHEN and a condition");
        }
        Expression otherwise = tokens.takeWord("ELSE") ? expression() : null;
        if (!tokens.takeWord("END")) {
            throw expected("WHEN, ELSE or END");
        }
        return new Expression.Case(conditions, results, otherwise);
    }

    private Expression cast() {
        require("(");
        Expression operand = expression();
        if (!tokens.takeWord("AS")) {
            throw expected("AS and a type");
        }
        if (tokens.takeWord("DECIMAL")) {
            ValueType type = decimal();
            require(")");
            return new Expression.Cast(operand, type);
        }
        for (ValueType type : ValueType.values()) {
            String name = type.castName();
            if (name != null && tokens.takeWord(name)) {
                require(")");
                Expression named = type == ValueType.DOUBLE && operand instanceof Expression.Text text
                        ? Expression.Decimal.named(text.value())
                        : null;
                return named == null ? new Expression.Cast(operand, type) : named;
            }
        }
        throw expected("a type: BIGINT, DOUBLE, VARCHAR, TIMESTAMP or DECIMAL(18, 2)");
    }

    /**
     * The digits of a decimal in parentheses, and how many of them are behind the point, none where that is left out.
     */
    private ValueType decimal() {
        require("(");
        int digits = digits();
        int behind = tokens.takeSign(",") ? digits() : 0;
        if (digits < 1 || behind > digits) {
            throw expected("a type such as DECIMAL(18, 2), of at most " + Decimals.MOST_DIGITS + " digits");
        }
        require(")");
        return ValueType.decimal(digits, behind);
    }

    private int digits() {
        if (tokens.kind() != Kind.WHOLE || tokens.value().length() > 2) {
            throw expected("a number of digits up to " + Decimals.MOST_DIGITS);
        }
        int digits = Integer.parseInt(tokens.value());
        if (digits > Decimals.MOST_DIGITS) {
            throw expected("a number of digits up to " + Decimals.MOST_DIGITS);
        }
        tokens.advance();
        return digits;
    }

    /** After EXTRACT: SQL's way to write DATE_PART. */
    private Expression extract() {
        require("(");
        if (tokens.kind() != Kind.WORD) {
            throw expected("a unit such as HOUR");
        }
        Expression unit = new Expression.Text(tokens.value().toLowerCase(Locale.ROOT));
        tokens.advance();
        if (!tokens.takeWord("FROM")) {
            throw expected("FROM and a time");
        }
        Expression time = expression();
        require(")");
        return new Expression.Call(io.waterwheel.query.expression.Function.DATE_PART, List.of(unit, time));
    }

    private Expression moment() {
        String text = tokens.value();
        try {
            Expression moment = new Expression.Moment(
                    OffsetDateTime.parse(text.replace(' ', 'T')).toInstant());
            tokens.advance();
            return moment;
        } catch (DateTimeException e) {
            throw tokens.error("expected a time with a zone such as '2021-10-07 12:00:01.5Z', got '" + text + "'");
        } catch (IllegalArgumentException e) {
            throw tokens.error(String.valueOf(e.getMessage()));
        }
    }

    private Expression address() {
        byte[] text = tokens.value().getBytes(StandardCharsets.UTF_8);
        long address = Ipv4.parse(text, 0, text.length);
        if (address < 0) {
            throw expected("an address such as '192.168.0.1'");
        }
        tokens.advance();
        return new Expression.Address((int) address);
    }

    private Expression sixteen(ValueType type) {
        tokens.advance();
        try {
            Expression value = new Expression.Sixteen(type, tokens.value());
            tokens.advance();
            return value;
        } catch (IllegalArgumentException e) {
            throw tokens.error(String.valueOf(e.getMessage()));
        }
    }

    private Expression exact() {
        try {
            Expression value = new Expression.Exact(Decimals.value(tokens.value()));
            tokens.advance();
            return value;
        } catch (IllegalArgumentException e) {
            throw tokens.error(String.valueOf(e.getMessage()));
        }
    }

    private Expression hex() {
        try {
            Expression hex = new Expression.Hex(tokens.value().toLowerCase(Locale.ROOT));
            tokens.advance();
            return hex;
        } catch (IllegalArgumentException e) {
            throw tokens.error(String.valueOf(e.getMessage()));
        }
    }

    private Expression call() {
        int from = tokens.from();
        io.waterwheel.query.expression.Function function = io.waterwheel.query.expression.Function.of(tokens.value());
        if (function == null) {
            throw tokens.error("there is no function " + tokens.value() + "; there are "
                    + List.of(io.waterwheel.query.expression.Function.values()));
        }
        tokens.advance();
        require("(");
        List<Expression> arguments = new ArrayList<>();
        if (!tokens.isSign(")")) {
            do {
                arguments.add(expression());
            } while (tokens.takeSign(",") && arguments.size() <= function.most());
        }
        require(")");
        try {
            return new Expression.Call(function, arguments);
        } catch (IllegalArgumentException e) {
            throw tokens.errorAt(from, String.valueOf(e.getMessage()));
        }
    }
}
