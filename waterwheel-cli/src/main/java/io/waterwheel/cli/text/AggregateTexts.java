package io.waterwheel.cli.text;

import io.waterwheel.query.Aggregate;
import io.waterwheel.query.NamedExpression;
import io.waterwheel.query.NeighbourValue;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Aggregates, and values of series, as people write them: {@code count,avg(a * 2) AS mean,max(b)}. */
public final class AggregateTexts {
    /** {@code count} alone is {@code count(*)}. */
    private static final Pattern BARE_COUNT = Pattern.compile("(?i)count(\\s+as\\s.*)?");

    private AggregateTexts() {}

    /**
     * Reads the aggregates of all texts, in order.
     *
     * @throws IllegalArgumentException naming the aggregate that is none
     */
    public static List<Aggregate> parse(List<String> texts) {
        List<Aggregate> all = new ArrayList<>();
        for (String text : texts) {
            for (String one : split(text)) {
                if (one.isEmpty()) {
                    throw new IllegalArgumentException("--agg '" + text
                            + "': expected aggregates such as count,avg(speed) with a comma between, got an empty one");
                }
                String whole = BARE_COUNT.matcher(one).matches() ? "count(*)" + one.substring("count".length()) : one;
                all.add(Aggregate.parse(whole));
            }
        }
        return all;
    }

    /**
     * Reads fields, and expressions with names, of all texts, in order.
     *
     * @param option for messages, such as {@code --group-by}
     * @throws IllegalArgumentException naming the option whose list has an empty place
     */
    public static List<NamedExpression> named(String option, List<String> texts) {
        List<NamedExpression> all = new ArrayList<>();
        for (String text : texts) {
            for (String one : split(text)) {
                if (one.isEmpty()) {
                    throw new IllegalArgumentException(option + " '" + text
                            + "': expected fields or expressions with a comma between, got an empty one");
                }
                all.add(NamedExpression.parse(one));
            }
        }
        return all;
    }

    /**
     * Reads values of series of all texts, in order.
     *
     * @throws IllegalArgumentException naming the text that has an empty place
     */
    public static List<NeighbourValue> neighbours(List<String> texts) {
        List<NeighbourValue> all = new ArrayList<>();
        for (String text : texts) {
            for (String one : split(text)) {
                if (one.isEmpty()) {
                    throw new IllegalArgumentException("--series '" + text
                            + "': expected values such as delta(speed) with a comma between, got an empty one");
                }
                all.add(NeighbourValue.parse(one));
            }
        }
        return all;
    }

    /** Divides at commas outside of parentheses and quotes, and leaves blanks around away. */
    private static List<String> split(String text) {
        List<String> parts = new ArrayList<>();
        int depth = 0;
        char quote = 0;
        int start = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (quote != 0) {
                quote = c == quote ? 0 : quote;
            } else if (c == '\'' || c == '"') {
                quote = c;
            } else if (c == '(') {
                depth++;
            } else if (c == ')') {
                depth--;
            } else if (c == ',' && depth <= 0) {
                parts.add(text.substring(start, i).strip());
                start = i + 1;
            }
        }
        parts.add(text.substring(start).strip());
        return parts;
    }
}
