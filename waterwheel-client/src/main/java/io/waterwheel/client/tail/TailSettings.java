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
 * @param earliest whether partitions without a position begin with the stream's first row; those whose records the
 *     topic no longer has are missed ({@link TailBatch#missed}). Else they begin behind what queries see now
 * @param from by partition the position to begin at, as {@link TailBatch#positions} and verdicts have it. Partitions
 *     above the highest that has one begin at their first position: they were added since
 * @param within by partition how many rows of the record at that position were handed over: it begins behind them
 * @param stream the number of the stream that the positions are of; null: of whatever has its name
 */
public record TailSettings(
        @Nullable Expression where,
        boolean earliest,
        Map<Integer, Long> from,
        Map<Integer, Integer> within,
        @Nullable Integer stream) {
    private static final Pattern POSITION = Pattern.compile("(\\d{1,9}):(\\d{1,18})(?:\\.(\\d{1,9}))?");
    private static final Pattern NUMBER = Pattern.compile("(\\d{1,9})@(.*)");

    /** All rows that become visible from now on. */
    public static final TailSettings NOW = new TailSettings(null, false, Map.of(), Map.of(), null);

    public TailSettings {
        from = Map.copyOf(from);
        within = Map.copyOf(within);
    }

    /**
     * Only rows that this is true of, such as {@code altitude_ft > 30000}.
     *
     * @throws WaterwheelException code BAD_EXPRESSION, when it is no condition
     */
    public TailSettings where(String condition) {
        return new TailSettings(ExpressionParser.parse(condition), earliest, from, within, stream);
    }

    /** All that the topic still has, then what comes. */
    public TailSettings fromEarliest() {
        return new TailSettings(where, true, from, within, stream);
    }

    /**
     * From where a text says: {@code now}, {@code earliest}, or positions such as {@code 0:1200,1:40}, or as
     * {@link #text} writes them. {@code 0:1200.3} is behind the first three rows of the record at 1200.
     *
     * @throws WaterwheelException code BAD_REQUEST, when it is none of these
     */
    public TailSettings from(String text) {
        if (text.equals("now")) {
            return new TailSettings(where, false, Map.of(), Map.of(), null);
        } else if (text.equals("earliest")) {
            return fromEarliest();
        }
        Matcher numbered = NUMBER.matcher(text);
        Integer of = numbered.matches() ? Integer.valueOf(numbered.group(1)) : null;
        Map<Integer, Long> positions = new TreeMap<>();
        Map<Integer, Integer> within = new TreeMap<>();
        for (String one : (of == null ? text : numbered.group(2)).split(",", -1)) {
            Matcher parts = POSITION.matcher(one);
            if (!parts.matches()
                    || positions.put(Integer.valueOf(parts.group(1)), Long.valueOf(parts.group(2))) != null) {
                throw new WaterwheelException(
                        ErrorCode.BAD_REQUEST,
                        "from: expected now, earliest, or PARTITION:OFFSET once for each partition, with commas between,"
                                + " such as 0:1200,1:40; got '" + text + "'");
            }
            if (parts.group(3) != null) {
                within.put(Integer.valueOf(parts.group(1)), Integer.valueOf(parts.group(3)));
            }
        }
        return new TailSettings(where, earliest, positions, within, of);
    }

    /**
     * Positions as {@link #from(String)} reads them, such as {@code 17@0:1200,1:40}.
     *
     * @param stream the number of the stream that they are of
     */
    public static String text(int stream, Map<Integer, Long> positions) {
        return text(stream, positions, Map.of());
    }

    /**
     * The same where records were handed over in part, such as {@code 17@0:1200.3,1:40}.
     *
     * @param within by partition, how many rows of the record at its position
     */
    public static String text(int stream, Map<Integer, Long> positions, Map<Integer, Integer> within) {
        return stream + "@"
                + new TreeMap<>(positions)
                        .entrySet().stream()
                                .map(position -> position.getKey() + ":" + position.getValue()
                                        + (within.containsKey(position.getKey())
                                                ? "." + within.get(position.getKey())
                                                : ""))
                                .collect(Collectors.joining(","));
    }

    /** From these positions on, and within the records there as {@link TailBatch#within} says. */
    public TailSettings from(Map<Integer, Long> positions, Map<Integer, Integer> begun) {
        return new TailSettings(where, earliest, positions, begun, null);
    }

    /** From these positions on. */
    public TailSettings from(Map<Integer, Long> positions) {
        return new TailSettings(where, earliest, positions, Map.of(), null);
    }
}
