package io.waterwheel.sql.residual;

import io.waterwheel.sql.leaf.DecimalTypes;
import io.waterwheel.sql.leaf.LeafNode;
import io.waterwheel.sql.leaf.NotPushed;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.AggregateCall;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.Project;
import org.apache.calcite.rel.core.Sort;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.util.ImmutableBitSet;
import org.jspecify.annotations.Nullable;

/** Aggregates as DuckDB's text. Its input's columns are called t.c0, t.c1 and so on. */
final class ResidualAggregates {
    static final BigDecimal MEDIAN = new BigDecimal("0.5");
    /** Of a share. */
    private static final int MOST_PLACES = 18;

    private ResidualAggregates() {}

    /** The SELECT's columns, and what follows its FROM. */
    record Text(List<String> columns, String groupBy) {}

    /** @param finite whether all doubles of leaves are, and no sum of them is infinite */
    static Text of(Aggregate aggregate, boolean finite) throws NotPushed {
        List<String> columns = new ArrayList<>();
        for (int key : aggregate.getGroupSet()) {
            columns.add(column(key));
        }
        RelDataType input = aggregate.getInput().getRowType();
        for (AggregateCall call : aggregate.getAggCallList()) {
            try {
                columns.add(of(call, aggregate.getInput(), input, finite));
            } catch (NotPushed e) {
                throw e.within(call.getAggregation().getName());
            }
        }
        return new Text(columns, groupBy(aggregate));
    }

    /** Whether the argument is what a leaf's column has, or nothing. */
    private static boolean isOfLeaf(AggregateCall call, RelNode below) {
        return call.getArgList().size() == 1
                && isOfLeaf(below, call.getArgList().get(0));
    }

    private static boolean isOfLeaf(RelNode node, int column) {
        if (node instanceof LeafNode) {
            return true;
        } else if (node instanceof Project project) {
            return isOfLeaf(project.getInput(), project.getProjects().get(column));
        } else if (node instanceof Filter || node instanceof Sort) {
            return isOfLeaf(node.getInput(0), column);
        } else if (node instanceof Join join) {
            int left = join.getLeft().getRowType().getFieldCount();
            return column < left ? isOfLeaf(join.getLeft(), column) : isOfLeaf(join.getRight(), column - left);
        } else if (node instanceof Aggregate aggregate && column < aggregate.getGroupCount()) {
            return isOfLeaf(aggregate.getInput(), aggregate.getGroupSet().nth(column));
        }
        return false;
    }

    private static boolean isOfLeaf(RelNode input, RexNode value) {
        if (value instanceof RexInputRef column) {
            return isOfLeaf(input, column.getIndex());
        } else if (value.getKind() == SqlKind.CASE) {
            List<RexNode> operands = ((RexCall) value).getOperands();
            for (int i = 0; i < operands.size(); i++) {
                boolean condition = i % 2 == 0 && i + 1 < operands.size();
                if (!condition && !isOfLeaf(input, operands.get(i))) {
                    return false;
                }
            }
            return true;
        }
        return RexUtil.isNullLiteral(value, true);
    }

    private static String column(int column) {
        return "t.c" + column;
    }

    private static String columns(Iterable<Integer> columns) {
        List<String> names = new ArrayList<>();
        columns.forEach(one -> names.add(column(one)));
        return String.join(", ", names);
    }

    private static String groupBy(Aggregate aggregate) {
        if (aggregate.getGroupType() == Aggregate.Group.SIMPLE) {
            return aggregate.getGroupSet().isEmpty() ? "" : " GROUP BY " + columns(aggregate.getGroupSet());
        }
        List<String> sets = new ArrayList<>();
        for (ImmutableBitSet set : aggregate.getGroupSets()) {
            sets.add("(" + columns(set) + ")");
        }
        return " GROUP BY GROUPING SETS (" + String.join(", ", sets) + ")";
    }

    private static String of(AggregateCall call, RelNode below, RelDataType input, boolean finite) throws NotPushed {
        String name = call.getAggregation().getName().toUpperCase(Locale.ROOT);
        if (call.getAggregation() instanceof TextAggregate texts) {
            return texts.text(call, input, filter(call));
        } else if (call.getAggregation() instanceof RestAggregate own) {
            return own.text(call, below, input, filter(call));
        }
        boolean plain = call.distinctKeys == null
                && call.getCollation().getFieldCollations().isEmpty()
                && !call.ignoreNulls();
        if (!plain) {
            throw name.startsWith("PERCENTILE")
                    ? NotPushed.absent(name)
                    : new NotPushed(name + " with an order within");
        }
        List<Integer> arguments = call.getArgList();
        for (int argument : arguments) {
            requireNoDecimal(name, input.getFieldList().get(argument).getType());
        }
        RelDataType first = arguments.isEmpty()
                ? null
                : input.getFieldList().get(arguments.get(0)).getType();
        String distinct = call.isDistinct() ? "DISTINCT " : "";
        // A written null is a text to DuckDB, of which it has no sums.
        boolean unknown = first != null && first.getSqlTypeName() == SqlTypeName.NULL;
        String values = unknown ? "CAST(NULL AS DOUBLE)" : columns(arguments);
        String filter = filter(call);
        String text =
                switch (name) {
                    case "COUNT" -> count(call, arguments);
                    case "APPROX_COUNT_DISTINCT" -> "count(DISTINCT " + values + ")";
                    case "SUM" -> sum(required(first), distinct + values, filter, finite && isOfLeaf(call, below));
                    case "$SUM0" ->
                        "coalesce("
                                + sum(required(first), distinct + values, filter, finite && isOfLeaf(call, below))
                                + ", 0)";
                    case "AVG" -> "avg(" + distinct + values + ")";
                    case "MIN" -> "min(" + values + ")";
                    case "MAX" -> "max(" + values + ")";
                    case "VAR_POP", "VAR_SAMP", "STDDEV_POP", "STDDEV_SAMP" ->
                        name.toLowerCase(Locale.ROOT) + "(" + distinct + values + ")";
                    case "VARIANCE" -> "var_samp(" + distinct + values + ")";
                    case "STDDEV" -> "stddev_samp(" + distinct + values + ")";
                    case "MEDIAN" -> quantile(distinct + values, MEDIAN);
                    case "QUANTILE" ->
                        quantile(distinct + column(arguments.get(0)), WrittenColumn.number(below, arguments.get(1)));
                    case "ARG_MIN", "ARG_MAX" -> chosen(name.equals("ARG_MAX"), arguments, call);
                    case "FIRST", "LAST", "DELTA", "RATE" ->
                        throw new NotPushed(
                                name + " of what is joined or computed, which has no time of its own" + byTime(name));
                    case "ANY_VALUE" -> "any_value(" + values + ")";
                    case "EVERY", "BOOL_AND" -> "bool_and(" + values + ")";
                    case "SOME", "BOOL_OR" -> "bool_or(" + values + ")";
                    case "GROUPING" -> "grouping(" + values + ")";
                    case "SINGLE_VALUE" ->
                        "CASE WHEN count(*) > 1 THEN error('a sub-query that stands for one value has several rows')"
                                + " ELSE first(" + values + ") END";
                    case "LITERAL_AGG" -> literal(call);
                    default -> throw NotPushed.absent(name);
                };
        boolean filtered = name.equals("SUM") || name.equals("$SUM0") || name.startsWith("ARG_") || filter.isEmpty();
        return cast(filtered ? text : text + filter, call);
    }

    /** The engine's: the value whose rank is the share of all, rounded up. A decimal share is multiplied exactly. */
    static String quantile(String values, @Nullable BigDecimal share) throws NotPushed {
        return quantile("quantile_disc", values, share);
    }

    /** @param function of DuckDB, that takes a share of all */
    static String quantile(String function, String values, @Nullable BigDecimal share) throws NotPushed {
        if (share == null || share.signum() < 0 || share.compareTo(BigDecimal.ONE) > 0 || share.scale() > MOST_PLACES) {
            throw new NotPushed(
                    "a QUANTILE whose share is no written number from 0 to 1 of at most " + MOST_PLACES + " places");
        }
        return function + "(" + values + ", "
                + share.setScale(Math.max(1, share.scale())).toPlainString() + ")";
    }

    /**
     * As in the engine, of several with the same second argument the least; of those that have both. DuckDB makes an
     * arg_min over a sort key of it, so no pairs of a group are kept.
     */
    private static String chosen(boolean greatest, List<Integer> arguments, AggregateCall call) throws NotPushed {
        if (call.isDistinct()) {
            throw new NotPushed(call.getAggregation().getName() + " of distinct values");
        }
        String value = column(arguments.get(0));
        String by = column(arguments.get(1));
        return "first(" + value + " ORDER BY " + by + (greatest ? " DESC" : " ASC") + ", " + value
                + " ASC) FILTER (WHERE "
                + value + " IS NOT NULL AND " + by + " IS NOT NULL"
                + (call.filterArg < 0 ? "" : " AND " + column(call.filterArg)) + ")";
    }

    /** What has the meaning of an aggregate by time where rows have several times, or none. */
    private static String byTime(String name) {
        return switch (name) {
            case "FIRST" -> "; write ARG_MIN(x, time)";
            case "LAST" -> "; write ARG_MAX(x, time)";
            case "DELTA" -> "; write ARG_MAX(x, time) - ARG_MIN(x, time)";
            default -> "; divide ARG_MAX(x, time) - ARG_MIN(x, time) by the seconds between MIN(time) and MAX(time)";
        };
    }

    private static String filter(AggregateCall call) {
        return call.filterArg < 0 ? "" : " FILTER (WHERE " + column(call.filterArg) + ")";
    }

    private static RelDataType required(@Nullable RelDataType type) throws NotPushed {
        if (type == null) {
            throw new NotPushed("a sum of nothing");
        }
        return type;
    }

    /**
     * A sum: of doubles with the error of the last digit made good (Kahan), so that it hardly depends on the order. Of
     * a sum that is infinite that makes NaN, for the error is infinite too.
     *
     * @param of the FILTER or OVER behind the function, or nothing
     */
    static String sum(RelDataType type, String values, String of) {
        return sum(type, values, of, false);
    }

    /** @param finite whether no such sum is infinite */
    private static String sum(RelDataType type, String values, String of, boolean finite) {
        if (type.getSqlTypeName() != SqlTypeName.DOUBLE) {
            return "sum(" + values + ")" + of;
        }
        String plain = "sum(" + values + ")" + of;
        String exact = "f" + plain;
        return finite ? exact : "(CASE WHEN isnan(" + exact + ") THEN " + plain + " ELSE " + exact + " END)";
    }

    /** Variances, quantiles and the like are of doubles; the engine asks for the CAST too. */
    static void requireNoDecimal(String name, RelDataType argument) throws NotPushed {
        if (name.startsWith("VAR") || name.startsWith("STDDEV") || isQuantile(name)) {
            requireDouble(name, argument);
        }
    }

    static void requireDouble(String name, RelDataType argument) throws NotPushed {
        if (DecimalTypes.isDecimal(argument)) {
            throw new NotPushed(name + " of " + argument + "; write CAST(... AS DOUBLE)");
        }
    }

    static boolean isQuantile(String name) {
        return name.equals("MEDIAN") || name.equals("QUANTILE");
    }

    private static String cast(String text, AggregateCall call) throws NotPushed {
        return typed(text, call.getType());
    }

    /** Whole numbers of 64 bits: DuckDB counts and sums in others. Decimals of as many digits as were said. */
    static String typed(String text, RelDataType type) throws NotPushed {
        boolean exact = type.getSqlTypeName() == SqlTypeName.BIGINT || DecimalTypes.isDecimal(type);
        return exact ? ResidualExpressions.cast(text, ResidualExpressions.type(type)) : text;
    }

    private static String count(AggregateCall call, List<Integer> arguments) throws NotPushed {
        if (arguments.isEmpty()) {
            return "count(*)";
        } else if (arguments.size() == 1) {
            return "count(" + (call.isDistinct() || call.isApproximate() ? "DISTINCT " : "") + columns(arguments) + ")";
        }
        throw new NotPushed("COUNT of several values");
    }

    private static String literal(AggregateCall call) throws NotPushed {
        RexNode value = call.rexList.get(0);
        if (!(value instanceof RexLiteral literal)) {
            throw new NotPushed("LITERAL_AGG of what is no literal");
        }
        return ResidualExpressions.literal(literal);
    }
}
