package io.waterwheel.client.tail;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.query.expression.ExpressionParser;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What is followed, and from where on.
 *
 * @param where a condition on rows; null: all rows
 * @param earliest whether partitions without a position begin at the first record that the topic still has; else they
 *     begin behind what queries see now
 * @param from by partition the position to begin at, as {@link TailBatch#positions} and verdicts have it
 */
public record TailSettings(@Nullable Expression where, boolean earliest, Map<Integer, Long> from) {
    private static final Pattern POSITION = Pattern.compile("(\\d{1,9}):(\\d{1,18})");

    /** All rows that become visible from now on. */
    public static final TailSettings NOW = new TailSettings(null, false, Map.of());

    public TailSettings {
        from = Map.copyOf(from);
    }

    /**
     * Only rows that this is true of, such as {@code altitude_ft > 30000}.
     *
     * @throws WaterwheelException code BAD_EXPRESSION, when it is no condition
     */
    public TailSettings where(String condition) {
        return new TailSettings(ExpressionParser.parse(condition), earliest, from);
    }

    /** All that the topic still has, then what comes. */
    public TailSettings fromEarliest() {
        return new TailSettings(where, true, from);
    }

    /**
     * From where a text says: {@code now}, {@code earliest}, or positions such as {@code 0:1200,1:40}, as {@link #text}
     * writes them.
     *
     * @throws WaterwheelException code BAD_REQUEST, when it is none of these
     */
    public TailSettings from(String text) {
        if (text.equals("now")) {
            return new TailSettings(where, false, Map.of());
        } else if (text.equals("earliest")) {
            return fromEarliest();
        }
        Map<Integer, Long> positions = new TreeMap<>();
        for (String one : text.split(",", -1)) {
            Matcher parts = POSITION.matcher(one);
            if (!parts.matches()
                    || positions.put(Integer.valueOf(parts.group(1)), Long.valueOf(parts.group(2))) != null) {
                throw new WaterwheelException(
                        ErrorCode.BAD_REQUEST,
                        "from: expected now, earliest, or PARTITION:OFFSET once for each partition, with commas between,"
                                + " such as 0:1200,1:40; got '" + text + "'");
            }
        }
        return from(positions);
    }

    /** Positions as {@link #from(String)} reads them. */
    public static String text(Map<Integer, Long> positions) {
        return new TreeMap<>(positions)
                .entrySet().stream()
                        .map(position -> position.getKey() + ":" + position.getValue())
                        .collect(Collectors.joining(","));
    }

    /** From these positions on; partitions that are not among them begin as they would without. */
    public TailSettings from(Map<Integer, Long> positions) {
        return new TailSettings(where, earliest, positions);
    }
}
