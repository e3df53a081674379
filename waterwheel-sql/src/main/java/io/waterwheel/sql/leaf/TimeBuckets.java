package io.waterwheel.sql.leaf;

import io.waterwheel.query.ResultSpec;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.query.expression.Function;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.type.SqlTypeName;
import org.jspecify.annotations.Nullable;

/**
 * {@code TIME_BUCKET(INTERVAL '5' MINUTE, at)} as the step of a query's buckets. A third argument says how long after
 * 1970 a step begins: what a statement writes of an origin becomes that.
 */
public final class TimeBuckets {
    private static final Pattern TEXT = Pattern.compile("\\s*(\\d{1,12})\\s*([a-z]+)\\s*");
    private static final Map<String, Duration> UNITS = Map.ofEntries(
            Map.entry("ms", Duration.ofMillis(1)),
            Map.entry("m", Duration.ofMinutes(1)),
            Map.entry("millisecond", Duration.ofMillis(1)),
            Map.entry("s", Duration.ofSeconds(1)),
            Map.entry("second", Duration.ofSeconds(1)),
            Map.entry("min", Duration.ofMinutes(1)),
            Map.entry("minute", Duration.ofMinutes(1)),
            Map.entry("h", Duration.ofHours(1)),
            Map.entry("hour", Duration.ofHours(1)),
            Map.entry("d", Duration.ofDays(1)),
            Map.entry("day", Duration.ofDays(1)),
            Map.entry("w", Duration.ofDays(7)),
            Map.entry("week", Duration.ofDays(7)));

    private TimeBuckets() {}

    /** The steps of a bucket of the stream's time; null when the node is no bucket. */
    static ResultSpec.@Nullable Bucket step(RexNode node, Leaf leaf, ConditionTranslator translator) throws NotPushed {
        boolean bucket = node instanceof RexCall named
                && (named.getOperator().getName().equals(EngineFunctions.TIME_BUCKET) || fillsGaps(node));
        if (!bucket || !(node instanceof RexCall call)) {
            return null;
        }
        Expression unused = time(call, leaf, translator);
        Duration length = length(call.getOperands().get(0));
        try {
            return ResultSpec.Bucket.of(length, Instant.EPOCH.plus(ahead(call.getOperands())));
        } catch (IllegalArgumentException e) {
            throw new NotPushed(String.valueOf(e.getMessage()));
        }
    }

    private static Expression time(RexCall bucket, Leaf leaf, ConditionTranslator translator) throws NotPushed {
        Expression time = translator.translate(bucket.getOperands().get(1));
        if (!time.equals(new Expression.FieldValue(leaf.schema().timeField()))) {
            throw new NotPushed("TIME_BUCKET of another field than the stream's time, "
                    + leaf.schema().timeField());
        }
        return time;
    }

    /** Steps of the calendar with those without tuples, as the engine's DATE_TRUNC; null when the node is none. */
    static @Nullable Expression filledCalendar(RexNode node, Leaf leaf, ConditionTranslator translator)
            throws NotPushed {
        if (!(node instanceof RexCall call) || !call.getOperator().getName().equals(EngineFunctions.CALENDAR_GAPFILL)) {
            return null;
        }
        List<Expression> arguments = new ArrayList<>();
        for (RexNode operand : call.getOperands()) {
            arguments.add(translator.translate(operand));
        }
        arguments.set(1, time(call, leaf, translator));
        return new Expression.Call(Function.DATE_TRUNC, arguments);
    }

    /** Whether buckets without tuples are wanted too. */
    static boolean fillsGaps(RexNode node) {
        return node instanceof RexCall call && call.getOperator().getName().equals(EngineFunctions.GAPFILL);
    }

    /**
     * How long after 1970 a step begins.
     *
     * @param operands of TIME_BUCKET
     */
    public static Duration ahead(List<RexNode> operands) throws NotPushed {
        Duration ahead = operands.size() < 3 ? Duration.ZERO : Literals.interval(operands.get(2));
        if (ahead == null) {
            throw new NotPushed("TIME_BUCKET with an origin that is no written time");
        }
        return ahead;
    }

    /** How long a written step is. */
    public static Duration length(RexNode step) throws NotPushed {
        Duration interval = Literals.interval(step);
        if (interval == null && step instanceof RexLiteral text && text.getTypeName() == SqlTypeName.CHAR) {
            interval = written(text.getValueAs(String.class));
        }
        if (interval == null || interval.isZero() || interval.isNegative()) {
            throw new NotPushed(
                    "this step of TIME_BUCKET; expected one above 0, such as INTERVAL '5' MINUTE or '5 minutes'");
        }
        return interval;
    }

    /** A step such as {@code 5 minutes}; null where a text is none. */
    public static @Nullable Duration written(@Nullable String text) {
        Matcher matcher = TEXT.matcher(text == null ? "" : text.toLowerCase(Locale.ROOT));
        if (!matcher.matches()) {
            return null;
        }
        String unit = matcher.group(2);
        Duration one = UNITS.get(unit);
        if (one == null && unit.endsWith("s")) {
            one = UNITS.get(unit.substring(0, unit.length() - 1));
        }
        return one == null ? null : one.multipliedBy(Long.parseLong(matcher.group(1)));
    }
}
