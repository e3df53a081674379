package io.waterwheel.sql.residual;

import io.waterwheel.sql.leaf.DownsamplingPattern;
import io.waterwheel.sql.leaf.Literals;
import io.waterwheel.sql.leaf.NotPushed;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.apache.calcite.rel.RelFieldCollation;
import org.apache.calcite.rex.RexFieldCollation;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexOver;
import org.apache.calcite.rex.RexWindow;
import org.apache.calcite.rex.RexWindowBound;
import org.apache.calcite.rex.RexWindowExclusion;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.type.SqlTypeName;

/** Window functions as DuckDB's text. */
final class ResidualWindows {
    private final ResidualExpressions expressions;

    ResidualWindows(ResidualExpressions expressions) {
        this.expressions = expressions;
    }

    String of(RexOver over) throws NotPushed {
        String name = over.getAggOperator().getName().toUpperCase(Locale.ROOT);
        if (over.getAggOperator() instanceof TextAggregate) {
            throw new NotPushed("STRING_AGG in a window");
        } else if (over.getAggOperator() instanceof RestAggregate) {
            throw new NotPushed(name + " in a window");
        }
        String needs = DownsamplingPattern.needs(over.getAggOperator());
        if (needs != null) {
            throw new NotPushed(needs);
        }
        if (over.isDistinct()) {
            throw new NotPushed(name + " of distinct values in a window");
        }
        for (RexNode operand : over.getOperands()) {
            ResidualAggregates.requireNoDecimal(name, operand.getType());
        }
        boolean sums = over.getAggOperator().getKind() == SqlKind.SUM
                || over.getAggOperator().getKind() == SqlKind.SUM0;
        if (sums && isOfNull(over)) {
            return ResidualExpressions.cast("NULL", ResidualExpressions.type(over.getType()));
        }
        RexWindow window = over.getWindow();
        List<String> parts = new ArrayList<>();
        if (!window.partitionKeys.isEmpty()) {
            parts.add("PARTITION BY " + expressions.list(window.partitionKeys));
        }
        if (!window.orderKeys.isEmpty()) {
            List<String> keys = new ArrayList<>();
            for (RexFieldCollation key : window.orderKeys) {
                boolean descending = key.getDirection().isDescending();
                keys.add(expressions.of(key.left)
                        + (descending ? " DESC" : " ASC")
                        + nulls(key.getNullDirection(), descending));
            }
            parts.add("ORDER BY " + String.join(", ", keys));
        }
        if (hasFrame(over.getAggOperator().getKind())) {
            parts.add(frame(window));
        }
        String of = " OVER (" + String.join(" ", parts) + ")";
        String text = sums
                ? ResidualAggregates.sum(over.getOperands().get(0).getType(), expressions.list(over.getOperands()), of)
                : function(over, name) + of;
        if (over.getAggOperator().getKind() == SqlKind.SUM0) {
            text = "coalesce(" + text + ", 0)";
        }
        return ResidualAggregates.typed(text, over.getType());
    }

    /** Where nulls come in an order; before all values where the statement does not say. */
    static String nulls(RelFieldCollation.NullDirection direction, boolean descending) {
        boolean first =
                switch (direction) {
                    case FIRST -> true;
                    case LAST -> false;
                    case UNSPECIFIED -> !descending;
                };
        return first ? " NULLS FIRST" : " NULLS LAST";
    }

    /** Whether it is of a written null, as which DuckDB would see a text. */
    private static boolean isOfNull(RexOver over) {
        return over.getOperands().size() == 1
                && over.getOperands().get(0).getType().getSqlTypeName() == SqlTypeName.NULL;
    }

    private String arguments(RexOver over) throws NotPushed {
        return isOfNull(over) ? "CAST(NULL AS BIGINT)" : expressions.list(over.getOperands());
    }

    private String function(RexOver over, String name) throws NotPushed {
        String arguments = arguments(over);
        String nulls = over.ignoreNulls() ? " IGNORE NULLS" : "";
        return switch (over.getAggOperator().getKind()) {
            case ROW_NUMBER -> "row_number()";
            case RANK -> "rank()";
            case DENSE_RANK -> "dense_rank()";
            case PERCENT_RANK -> "percent_rank()";
            case CUME_DIST -> "cume_dist()";
            case NTILE -> "ntile(" + arguments + ")";
            case LAG -> "lag(" + arguments + nulls + ")";
            case LEAD -> "lead(" + arguments + nulls + ")";
            case FIRST_VALUE -> "first_value(" + arguments + nulls + ")";
            case LAST_VALUE -> "last_value(" + arguments + nulls + ")";
            case NTH_VALUE -> "nth_value(" + arguments + nulls + ")";
            case COUNT -> over.getOperands().isEmpty() ? "count(*)" : count(over);
            case AVG -> "avg(" + arguments + ")";
            case VAR_POP -> "var_pop(" + arguments + ")";
            case VAR_SAMP -> "var_samp(" + arguments + ")";
            case STDDEV_POP -> "stddev_pop(" + arguments + ")";
            case STDDEV_SAMP -> "stddev_samp(" + arguments + ")";
            case MIN -> "min(" + arguments + ")";
            case MAX -> "max(" + arguments + ")";
            default -> engines(over, name);
        };
    }

    private String engines(RexOver over, String name) throws NotPushed {
        List<RexNode> operands = over.getOperands();
        return switch (name) {
            case "MEDIAN" -> ResidualAggregates.quantile(expressions.of(operands.get(0)), ResidualAggregates.MEDIAN);
            case "QUANTILE" ->
                ResidualAggregates.quantile(expressions.of(operands.get(0)), WrittenColumn.number(operands.get(1)));
            case "ARG_MIN" ->
                throw new NotPushed(name + " in a window; write FIRST_VALUE(x) OVER (ORDER BY y NULLS LAST)");
            case "ARG_MAX" ->
                throw new NotPushed(name + " in a window; write FIRST_VALUE(x) OVER (ORDER BY y DESC NULLS LAST)");
            case "APPROX_COUNT_DISTINCT" ->
                throw new NotPushed(name + " in a window; join with the groups that a sub-query counts");
            default -> throw new NotPushed(name + " in a window");
        };
    }

    private String count(RexOver over) throws NotPushed {
        if (over.getOperands().size() > 1) {
            throw new NotPushed("COUNT of several values in a window");
        }
        return "count(" + expressions.of(over.getOperands().get(0)) + ")";
    }

    private static boolean hasFrame(SqlKind kind) {
        return switch (kind) {
            case ROW_NUMBER, RANK, DENSE_RANK, PERCENT_RANK, CUME_DIST, NTILE, LAG, LEAD -> false;
            default -> true;
        };
    }

    private static String frame(RexWindow window) throws NotPushed {
        if (window.getExclude() != RexWindowExclusion.EXCLUDE_NO_OTHER) {
            throw new NotPushed("EXCLUDE in a window");
        }
        return (window.isRows() ? "ROWS" : "RANGE") + " BETWEEN " + bound(window.getLowerBound()) + " AND "
                + bound(window.getUpperBound());
    }

    private static String bound(RexWindowBound bound) throws NotPushed {
        if (bound.isCurrentRow()) {
            return "CURRENT ROW";
        }
        String side = bound.isPreceding() ? " PRECEDING" : " FOLLOWING";
        if (bound.isUnbounded()) {
            return "UNBOUNDED" + side;
        }
        RexNode offset = bound.getOffset();
        if (offset instanceof RexLiteral literal && !literal.isNull()) {
            Duration interval = Literals.interval(literal);
            if (interval != null) {
                return "to_milliseconds(" + interval.toMillis() + ")" + side;
            }
            if (literal.getType().getSqlTypeName() == SqlTypeName.BIGINT) {
                return literal.getValueAs(BigDecimal.class).toPlainString() + side;
            }
        }
        throw new NotPushed("a window whose bound is computed");
    }
}
