package io.waterwheel.sql.cache;

import io.waterwheel.query.expression.Expression;
import io.waterwheel.sql.leaf.EngineFunctions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.apache.calcite.rel.RelHomogeneousShuttle;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.AsofJoin;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexOver;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.SqlOperatorTable;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.sql.util.SqlOperatorTables;
import org.jspecify.annotations.Nullable;

/**
 * The values that a plan leaves open. They may stand on one side of a comparison alone, where nothing is decided by
 * them; a statement that has one elsewhere is planned with its values. Made for one plan.
 */
public final class OpenParameters {
    private static final int BIGINT_DIGITS = 19;

    private final List<ParameterFunction> functions = new ArrayList<>();
    private final ParameterFunction now = ParameterFunction.now();
    private final ParameterFunction today = ParameterFunction.today();
    /** Those of the plan, by what stands for them in the engine's expressions. */
    private final IdentityHashMap<Expression, ParameterFunction> placed = new IdentityHashMap<>();

    /** A number of each interval by which a time is moved. */
    private final Map<Duration, Integer> shifts = new HashMap<>();

    private final Function<RexNode, @Nullable Duration> intervals;
    private boolean elsewhere;

    private OpenParameters(Function<RexNode, @Nullable Duration> intervals) {
        this.intervals = intervals;
    }

    /**
     * Of these values; null when one of them is of a type that plans depend on.
     *
     * @param intervals the duration of a written interval; null for anything else
     */
    public static @Nullable OpenParameters of(
            List<Expression.Literal> values, Function<RexNode, @Nullable Duration> intervals) {
        OpenParameters open = new OpenParameters(intervals);
        for (Expression.Literal value : values) {
            ParameterFunction function = ParameterFunction.of(open.functions.size(), value);
            if (function == null) {
                return null;
            }
            open.functions.add(function);
        }
        return open;
    }

    public SqlNode call(int index, SqlParserPos position) {
        return functions.get(index).createCall(position);
    }

    /**
     * What stands for the time of now, or the beginning of its day.
     *
     * @param name one of {@link NowNames}
     */
    public SqlNode now(String name, SqlParserPos position) {
        return (NowNames.isDay(name) ? today : now).createCall(position);
    }

    private static @Nullable ParameterFunction plain(RexNode node) {
        return node instanceof RexCall call && call.getOperator() instanceof ParameterFunction function
                ? function
                : null;
    }

    /** The value that an operand of a comparison is, as a value of the operand's type; null for anything else. */
    private @Nullable ParameterFunction folded(RexNode node) {
        ParameterFunction plain = plain(node);
        if (plain != null
                || !(node instanceof RexCall call)
                || call.getOperands().isEmpty()) {
            return plain;
        }
        ParameterFunction inner = folded(call.getOperands().get(0));
        if (inner == null) {
            return null;
        }
        SqlTypeName from = call.getOperands().get(0).getType().getSqlTypeName();
        SqlTypeName to = call.getType().getSqlTypeName();
        if (call.getKind() == SqlKind.CAST) {
            if (from == SqlTypeName.BIGINT && to == SqlTypeName.DOUBLE) {
                return inner.asDouble(false);
            }
            if (to == SqlTypeName.DECIMAL) {
                // A whole number that fits in any case compares as it is.
                int before = call.getType().getPrecision() - call.getType().getScale();
                return from == SqlTypeName.BIGINT && before >= BIGINT_DIGITS ? inner : null;
            }
            return from == to ? inner : null;
        }
        if (call.getOperator().getName().equals(EngineFunctions.TO_DOUBLE)) {
            return from == SqlTypeName.BIGINT ? inner.asDouble(true) : from == to ? inner : null;
        }
        Duration interval = call.getOperands().size() == 2
                ? intervals.apply(call.getOperands().get(1))
                : null;
        if (interval == null || to != SqlTypeName.TIMESTAMP) {
            return null;
        }
        return switch (call.getKind()) {
            case PLUS -> moved(inner, interval);
            case MINUS -> moved(inner, interval.negated());
            default -> null;
        };
    }

    private ParameterFunction moved(ParameterFunction function, Duration by) {
        Duration shift = function.shift().plus(by);
        return function.moved(shift, shifts.computeIfAbsent(shift, unused -> shifts.size() + 1));
    }

    /** The plan with what is computed of open values alone in one; see {@link #onlyCompared}. */
    public RelNode prepared(RelNode plan) {
        RexBuilder rex = plan.getCluster().getRexBuilder();
        RexShuttle comparisons = new RexShuttle() {
            @Override
            public RexNode visitCall(RexCall call) {
                if (plain(call) != null) {
                    elsewhere = true;
                    return call;
                }
                if (!call.isA(SqlKind.COMPARISON) || call.getOperands().size() != 2) {
                    return super.visitCall(call);
                }
                ParameterFunction left = folded(call.getOperands().get(0));
                ParameterFunction right = folded(call.getOperands().get(1));
                if ((left == null) == (right == null)) {
                    return super.visitCall(call);
                }
                // A distance that is compared may be the shape of the query, which has values of its own.
                elsewhere |= isSpatial(call.getOperands().get(left == null ? 0 : 1));
                RexNode other = call.getOperands().get(left == null ? 0 : 1).accept(this);
                RexNode open = placed(left == null ? right : left, rex);
                return rex.makeCall(
                        call.getType(), call.getOperator(), left == null ? List.of(other, open) : List.of(open, other));
            }
        };
        return plan.accept(new RelHomogeneousShuttle() {
            @Override
            public RelNode visit(RelNode other) {
                return super.visit(other).accept(comparisons);
            }
        });
    }

    private static boolean isSpatial(RexNode node) {
        return node instanceof RexCall call
                && (call.getOperator().getName().startsWith("ST_")
                        || call.getOperands().stream().anyMatch(OpenParameters::isSpatial));
    }

    private RexNode placed(@Nullable ParameterFunction function, RexBuilder rex) {
        if (function == null) {
            throw new IllegalStateException("neither side is open");
        }
        placed.put(function.placeholder(), function);
        return rex.makeCall(function, List.of());
    }

    /** Whether an operator of a plan has an open value: what is in leaves is in their queries, and no longer here. */
    public static boolean isIn(RelNode plan) {
        boolean[] found = {false};
        RexShuttle looking = new RexShuttle() {
            @Override
            public RexNode visitCall(RexCall call) {
                found[0] |= call.getOperator() instanceof ParameterFunction;
                return super.visitCall(call);
            }

            @Override
            public RexNode visitOver(RexOver over) {
                found[0] |= over.getOperands().stream().anyMatch(operand -> plain(operand) != null);
                return super.visitOver(over);
            }
        };
        look(plan, looking);
        return found[0];
    }

    private static void look(RelNode node, RexShuttle looking) {
        RelNode unused = node.accept(looking);
        if (node instanceof AsofJoin asof) {
            RexNode unusedMatch = asof.getMatchCondition().accept(looking);
        }
        node.getInputs().forEach(input -> look(input, looking));
    }

    /** By what stands for them, the functions of the plan that was prepared. */
    public IdentityHashMap<Expression, ParameterFunction> placed() {
        return placed;
    }

    /** For the validator. */
    public SqlOperatorTable operators() {
        List<SqlOperator> all = new ArrayList<>(functions);
        all.add(now);
        all.add(today);
        return SqlOperatorTables.of(all);
    }

    /** Whether each open value of the plan that was prepared is one side of a comparison. */
    public boolean onlyCompared() {
        return !elsewhere;
    }
}
