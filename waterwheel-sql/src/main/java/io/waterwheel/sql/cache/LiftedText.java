package io.waterwheel.sql.cache;

import io.waterwheel.query.expression.Expression;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A statement without the literals that stand behind a comparison, so that statements that differ in these alone have
 * one plan. It only looks at words and marks: what it lifts wrongly cannot be planned, and is planned as it was
 * written.
 */
public final class LiftedText {
    private static final Set<String> COMPARISONS = Set.of("=", "<", ">", "<=", ">=", "<>", "!=");

    private final String text;
    private final List<Expression.Literal> given;
    private final Function<String, Instant> times;
    private final StringBuilder lifted;
    private final List<Expression.Literal> values = new ArrayList<>();
    private int at;
    private int marks;
    private boolean now;

    /** What the last token was, as far as it matters. */
    private Before before = Before.OTHER;

    private enum Before {
        OTHER,
        /** A comparison, or BETWEEN: a literal may be lifted. */
        COMPARISON,
        BETWEEN,
        /** The lower bound of BETWEEN. */
        LOW,
        /** TIMESTAMP behind a comparison, BETWEEN or the lower bound. */
        TIMESTAMP,
        TIMESTAMP_LOW
    }

    private LiftedText(String text, List<Expression.Literal> given, Function<String, Instant> times) {
        this.times = times;
        this.text = text;
        this.given = given;
        this.lifted = new StringBuilder(text.length());
    }

    /**
     * The statement with question marks.
     *
     * @param values of its question marks, those that the statement had before included
     * @param marks how many question marks the statement had
     * @param hasNow whether it names the time of now
     */
    public record Lifted(String text, List<Expression.Literal> values, int marks, boolean hasNow) {}

    /**
     * A statement and its values.
     *
     * @param given values of the question marks that are there
     * @param times reads what stands behind TIMESTAMP; fails with a DateTimeException
     */
    public static Lifted of(String text, List<Expression.Literal> given, Function<String, Instant> times) {
        LiftedText lifting = new LiftedText(text, given, times);
        while (lifting.at < text.length()) {
            lifting.token();
        }
        return new Lifted(lifting.lifted.toString(), lifting.values, lifting.marks, lifting.now);
    }

    private void token() {
        char first = text.charAt(at);
        if (Character.isWhitespace(first)) {
            copy(at + 1);
        } else if (text.startsWith("--", at)) {
            int end = text.indexOf('\n', at);
            copy(end < 0 ? text.length() : end);
        } else if (text.startsWith("/*", at)) {
            int end = text.indexOf("*/", at + 2);
            copy(end < 0 ? text.length() : end + 2);
        } else if (first == '"' || first == '`') {
            copy(quoted(first));
            before = Before.OTHER;
        } else if (first == '\'') {
            string();
        } else if (Character.isJavaIdentifierStart(first)) {
            word();
        } else if (isDigit(first) || (first == '.' && isDigit(charAt(at + 1)))) {
            number(at);
        } else if (first == '-' && canLift() && (isDigit(charAt(at + 1)) || charAt(at + 1) == '.')) {
            number(at + 1);
        } else if (first == '?') {
            values.add(marks < given.size() ? given.get(marks) : new Expression.Null());
            marks++;
            copy(at + 1);
            before = before == Before.BETWEEN ? Before.LOW : Before.OTHER;
        } else {
            mark();
        }
    }

    private char charAt(int index) {
        return index < text.length() ? text.charAt(index) : '\0';
    }

    private static boolean isDigit(char letter) {
        return letter >= '0' && letter <= '9';
    }

    private boolean canLift() {
        return before == Before.COMPARISON || before == Before.BETWEEN;
    }

    private void copy(int end) {
        lifted.append(text, at, end);
        at = end;
    }

    /** The end of a text in quotes, in which two quotes are one. */
    private int quoted(char quote) {
        int end = at + 1;
        while (end < text.length()) {
            if (text.charAt(end) == quote) {
                if (charAt(end + 1) != quote) {
                    return end + 1;
                }
                end++;
            }
            end++;
        }
        return end;
    }

    /** Whether the text that begins here and ends there has its last quote: an even number of them in all. */
    private boolean isClosed(int end) {
        long quotes =
                text.substring(at, end).chars().filter(letter -> letter == '\'').count();
        return quotes % 2 == 0;
    }

    private void lift(Expression.Literal value, int end) {
        values.add(value);
        lifted.append('?');
        at = end;
        before = before == Before.BETWEEN || before == Before.TIMESTAMP_LOW ? Before.LOW : Before.OTHER;
    }

    private void string() {
        int end = quoted('\'');
        boolean whole = end - at > 1 && end <= text.length() && text.charAt(end - 1) == '\'' && isClosed(end);
        if (!whole) {
            copy(end);
            before = Before.OTHER;
            return;
        }
        String value = text.substring(at + 1, Math.max(at + 1, end - 1)).replace("''", "'");
        if (before == Before.TIMESTAMP || before == Before.TIMESTAMP_LOW) {
            Expression.Literal moment = moment(value);
            if (moment != null) {
                lift(moment, end);
                return;
            }
            lifted.append(" TIMESTAMP ");
        } else if (canLift()) {
            lift(new Expression.Text(value), end);
            return;
        }
        copy(end);
        before = Before.OTHER;
    }

    private Expression.@Nullable Literal moment(String value) {
        try {
            return new Expression.Moment(times.apply(value));
        } catch (DateTimeException | IllegalArgumentException e) {
            return null;
        }
    }

    private void number(int from) {
        int end = from;
        while (isDigit(charAt(end)) || charAt(end) == '.') {
            end++;
        }
        if ((charAt(end) | 0x20) == 'e') {
            int digits = charAt(end + 1) == '-' || charAt(end + 1) == '+' ? end + 2 : end + 1;
            if (isDigit(charAt(digits))) {
                end = digits;
                while (isDigit(charAt(end))) {
                    end++;
                }
            }
        }
        boolean ends = end >= text.length() || !Character.isJavaIdentifierPart(text.charAt(end));
        Expression.Literal value = canLift() && ends ? number(from, end) : null;
        if (value == null) {
            copy(end);
            before = Before.OTHER;
        } else {
            lift(value, end);
        }
    }

    private Expression.@Nullable Literal number(int from, int end) {
        if (charAt(end - 1) == '.') {
            // A whole number, which looks like another.
            return null;
        }
        String digits = (from == at ? "" : "-") + text.substring(from, end);
        try {
            boolean whole = digits.chars().allMatch(letter -> letter == '-' || isDigit((char) letter));
            if (whole) {
                return new Expression.Whole(Long.parseLong(digits));
            }
            Expression.Decimal value = Expression.Decimal.of(digits);
            // Beside a decimal it is not that double.
            return value.written() == null ? value : null;
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    private void word() {
        int end = at;
        while (end < text.length() && Character.isJavaIdentifierPart(text.charAt(end))) {
            end++;
        }
        String word = text.substring(at, end).toUpperCase(Locale.ROOT);
        now |= NowNames.contains(word);
        Before next = Before.OTHER;
        if (word.equals("BETWEEN")) {
            next = Before.BETWEEN;
        } else if (word.equals("AND") && before == Before.LOW) {
            next = Before.COMPARISON;
        } else if (word.equals("TIMESTAMP") && canLift() && isStringNext(end)) {
            // Without the word, unless what follows is no time.
            before = before == Before.BETWEEN ? Before.TIMESTAMP_LOW : Before.TIMESTAMP;
            at = end;
            return;
        }
        copy(end);
        before = next;
    }

    private boolean isStringNext(int from) {
        int next = from;
        while (Character.isWhitespace(charAt(next))) {
            next++;
        }
        return charAt(next) == '\'';
    }

    private void mark() {
        int end = at + 1;
        if ("=<>!".indexOf(text.charAt(at)) >= 0) {
            while ("=<>!".indexOf(charAt(end)) >= 0) {
                end++;
            }
        }
        before = COMPARISONS.contains(text.substring(at, end)) ? Before.COMPARISON : Before.OTHER;
        copy(end);
    }
}
