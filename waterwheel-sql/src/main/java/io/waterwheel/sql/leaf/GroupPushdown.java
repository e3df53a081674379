package io.waterwheel.sql.leaf;

import io.waterwheel.query.NamedExpression;
import io.waterwheel.query.ResultSpec;
import io.waterwheel.query.aggregate.AggregateFunction;
import io.waterwheel.query.aggregate.AggregateFunctions;
import io.waterwheel.query.expression.Expression;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.AggregateCall;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexNode;
import org.jspecify.annotations.Nullable;

/** Aggregates of a leaf's tuples as the groups of a query. */
final class GroupPushdown {
    private final Leaf leaf;
    /** The columns that are computed below, as the statement wrote them; where the leaf has them as they are, null. */
    private final @Nullable List<RexNode> projects;

    private final ConditionTranslator translator;
    private final Map<Expression, Expression> placed = new HashMap<>();
    private final List<NamedExpression> by = new ArrayList<>();
    private final List<io.waterwheel.query.Aggregate> values = new ArrayList<>();
    private ResultSpec.@Nullable Bucket bucket;
    /** Buckets of the calendar that are filled: the last group. */
    private @Nullable Expression calendar;

    private ResultSpec.@Nullable Fill fill;

    /**
     * The groups of a leaf's tuples.
     *
     * @param projects what is computed of the leaf's columns first, or null
     */
    GroupPushdown(Leaf leaf, @Nullable List<RexNode> projects, RexBuilder rex) {
        this.leaf = leaf;
        this.projects = projects;
        this.translator = ConditionTranslator.of(leaf, rex);
    }

    /** The leaf of the groups; its columns are those of the operator. */
    Leaf push(Aggregate aggregate) throws NotPushed {
        if (aggregate.getGroupType() != Aggregate.Group.SIMPLE) {
            throw new NotPushed("GROUPING SETS, ROLLUP and CUBE");
        }
        List<Expression> columns = new ArrayList<>();
        for (int column : aggregate.getGroupSet()) {
            columns.add(group(column));
        }
        for (AggregateCall call : aggregate.getAggCallList()) {
            columns.add(value(call));
        }
        if (calendar != null) {
            if (bucket != null) {
                throw new NotPushed("two time buckets");
            }
            by.add(new NamedExpression(calendar, ResultSpec.Aggregates.BUCKET));
        }
        if (values.isEmpty() && by.isEmpty() && bucket == null) {
            throw new NotPushed("groups of nothing");
        }
        return leaf.withWhat(new Leaf.Groups(by, bucket, fill, values, null, null), columns);
    }

    private Expression column(int column) throws NotPushed {
        return projects == null ? leaf.columns().get(column) : translator.translate(projects.get(column));
    }

    private Expression group(int column) throws NotPushed {
        Expression truncated =
                projects == null ? null : TimeBuckets.filledCalendar(projects.get(column), leaf, translator);
        if (truncated != null) {
            if (calendar != null && !calendar.equals(truncated)) {
                throw new NotPushed("two time buckets");
            }
            calendar = truncated;
            fill = ResultSpec.Fill.NULL;
            return new Expression.FieldValue(ResultSpec.Aggregates.BUCKET);
        }
        ResultSpec.Bucket step = projects == null ? null : TimeBuckets.step(projects.get(column), leaf, translator);
        if (step != null) {
            if (bucket != null && !bucket.equals(step)) {
                throw new NotPushed("two time buckets");
            }
            bucket = step;
            if (projects != null && TimeBuckets.fillsGaps(projects.get(column))) {
                fill = ResultSpec.Fill.NULL;
            }
            return new Expression.FieldValue(ResultSpec.Aggregates.BUCKET);
        }
        Expression value = column(column);
        Expression known = placed.get(value);
        if (known != null) {
            return known;
        }
        String name = "g" + by.size();
        by.add(new NamedExpression(value, name));
        placed.put(value, new Expression.FieldValue(name));
        return new Expression.FieldValue(name);
    }

    private Expression value(AggregateCall call) throws NotPushed {
        boolean plain = call.distinctKeys == null
                && call.getCollation().getFieldCollations().isEmpty();
        if (!plain || call.ignoreNulls()) {
            throw new NotPushed(call.getAggregation().getName() + " with an order within");
        }
        AggregateFunction function = function(call);
        List<Expression> arguments = new ArrayList<>();
        for (int argument : call.getArgList()) {
            arguments.add(column(argument));
        }
        Expression filter = call.filterArg < 0 ? null : Conditions.whereTrue(column(call.filterArg));
        String name = "a" + values.size();
        try {
            values.add(new io.waterwheel.query.Aggregate(function, arguments, filter, name));
        } catch (RuntimeException e) {
            throw new NotPushed(String.valueOf(e.getMessage()));
        }
        return new Expression.FieldValue(name);
    }

    private static AggregateFunction function(AggregateCall call) throws NotPushed {
        if (call.getAggregation() instanceof EngineAggregate own && !call.isDistinct()) {
            return own.function();
        }
        String name = call.getAggregation().getName();
        String engine =
                switch (name) {
                    case "COUNT" -> call.isDistinct() ? "count_distinct" : "count";
                    case "SUM" -> call.isDistinct() ? "" : "sum";
                    case "AVG" -> call.isDistinct() ? "" : "avg";
                    case "MIN" -> "min";
                    case "MAX" -> "max";
                    case "VAR_POP", "VAR_SAMP", "STDDEV_POP", "STDDEV_SAMP" ->
                        call.isDistinct() ? "" : name.toLowerCase(java.util.Locale.ROOT);
                    case "VARIANCE" -> call.isDistinct() ? "" : "var_samp";
                    case "STDDEV" -> call.isDistinct() ? "" : "stddev_samp";
                    case "APPROX_COUNT_DISTINCT" -> "approx_count_distinct";
                    default -> "";
                };
        if (engine.isEmpty()
                || (name.equals("COUNT")
                        && call.isDistinct()
                        && call.getArgList().size() != 1)) {
            throw new NotPushed(name + (call.isDistinct() ? " of distinct values" : ""));
        }
        return AggregateFunctions.of(call.isApproximate() && name.equals("COUNT") ? "approx_count_distinct" : engine);
    }
}
