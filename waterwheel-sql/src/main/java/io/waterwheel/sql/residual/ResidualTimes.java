package io.waterwheel.sql.residual;

import io.waterwheel.sql.leaf.EngineFunctions;
import io.waterwheel.sql.leaf.Literals;
import io.waterwheel.sql.leaf.NotPushed;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.type.SqlTypeName;
import org.jspecify.annotations.Nullable;

/** Differences of times, and what moves them, as DuckDB's text. */
final class ResidualTimes {
    private static final Set<String> UNITS =
            Set.of("microsecond", "millisecond", "second", "minute", "hour", "day", "week", "month", "quarter", "year");

    private ResidualTimes() {}

    /** The units between two times; null for any other function. */
    static @Nullable String difference(String function, List<RexNode> operands, ResidualExpressions expressions)
            throws NotPushed {
        boolean begun = function.equals(EngineFunctions.DATE_DIFF);
        if (!begun && !function.equals(EngineFunctions.ELAPSED)) {
            return null;
        }
        String unit = operands.get(0) instanceof RexLiteral literal && !literal.isNull()
                ? String.valueOf(literal.getValueAs(String.class)).toLowerCase(Locale.ROOT)
                : "";
        if (!UNITS.contains(unit)) {
            throw new NotPushed(function + " takes a written unit, from microsecond to year");
        }
        return (begun ? "date_diff('" : "date_sub('") + unit + "', " + time(function, operands.get(1), expressions)
                + ", " + time(function, operands.get(2), expressions) + ")";
    }

    /** A written interval; null for what is none. Where months lead beyond the end of one, to its last day. */
    static @Nullable String interval(RexNode node) throws NotPushed {
        Duration interval = Literals.interval(node);
        if (interval != null) {
            return "to_milliseconds(" + interval.toMillis() + ")";
        }
        if (!(node instanceof RexLiteral literal)
                || literal.isNull()
                || !SqlTypeName.YEAR_INTERVAL_TYPES.contains(literal.getTypeName())) {
            return null;
        }
        long months = literal.getValueAs(Long.class);
        if (months != (int) months) {
            throw new NotPushed("an interval of " + months + " months; it has at most " + Integer.MAX_VALUE);
        }
        return "to_months(" + months + ")";
    }

    /** DuckDB has the functions of times in microseconds. */
    private static String time(String function, RexNode node, ResidualExpressions expressions) throws NotPushed {
        RelDataType type = node.getType();
        if (type.getSqlTypeName() != SqlTypeName.TIMESTAMP || type.getPrecision() > 6) {
            throw new NotPushed(function + " of " + type + "; it takes times of at most six digits");
        }
        return ResidualExpressions.cast(expressions.of(node), "TIMESTAMP");
    }
}
