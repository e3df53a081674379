package io.waterwheel.sql.parse;

import io.waterwheel.sql.leaf.DecimalTypes;
import io.waterwheel.sql.leaf.EngineFunctions;
import io.waterwheel.sql.leaf.ExactFolding;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.apache.calcite.plan.RelOptPredicateList;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexSimplify;
import org.apache.calcite.rex.RexSubQuery;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.sql2rel.SqlRexContext;
import org.apache.calcite.sql2rel.SqlRexConvertlet;
import org.apache.calcite.sql2rel.SqlRexConvertletTable;
import org.apache.calcite.sql2rel.StandardConvertletTable;
import org.jspecify.annotations.Nullable;

/** How calls become expressions, where that hangs on their types or Calcite has a way of its own. */
public final class Convertlets implements SqlRexConvertletTable {
    private final EngineFunctions functions;

    public Convertlets(EngineFunctions functions) {
        this.functions = functions;
    }

    @Override
    public @Nullable SqlRexConvertlet get(SqlCall call) {
        return switch (call.getKind()) {
            // Of a mean or a variance over a window Calcite makes sums and counts, which are less exact, and may exceed
            // 64 bits where the mean does not.
            case AVG, STDDEV_POP, STDDEV_SAMP, VAR_POP, VAR_SAMP -> Convertlets::asItIs;
            case CAST -> this::cast;
            case FLOOR, CEIL -> Convertlets::rounded;
            default -> own(call);
        };
    }

    private @Nullable SqlRexConvertlet own(SqlCall call) {
        if (NullShapes.isNull(call)) {
            return (context, same) -> context.getRexBuilder().makeNullLiteral(type(context, same));
        }
        return call.getOperator().getName().equals(EngineFunctions.TIME_TEXT)
                ? this::timeText
                : StandardConvertletTable.INSTANCE.get(call);
    }

    private static RelDataType type(SqlRexContext context, SqlCall call) {
        return context.getValidator().getValidatedNodeType(call);
    }

    private static List<RexNode> operands(SqlRexContext context, SqlCall call) {
        return call.getOperandList().stream().map(context::convertExpression).toList();
    }

    private static RexNode asItIs(SqlRexContext context, SqlCall call) {
        return context.getRexBuilder().makeCall(type(context, call), call.getOperator(), operands(context, call));
    }

    /** With what is constant in it as values: Calcite computes constants everywhere, but not within these calls. */
    private static RexNode rounded(SqlRexContext context, SqlCall call) {
        RexNode rounded = Objects.requireNonNull(StandardConvertletTable.INSTANCE.get(call))
                .convertCall(context, call);
        if (call.operandCount() > 1 || !(rounded instanceof RexCall made)) {
            return rounded;
        }
        RexSimplify folding = new RexSimplify(context.getRexBuilder(), RelOptPredicateList.EMPTY, new ExactFolding());
        RexShuttle constants = new RexShuttle() {
            @Override
            public RexNode visitCall(RexCall within) {
                return RexUtil.isConstant(within) && RexUtil.SubQueryFinder.find(within) == null
                        ? folding.simplify(within)
                        : super.visitCall(within);
            }

            @Override
            public RexNode visitSubQuery(RexSubQuery query) {
                return query;
            }
        };
        return made.clone(made.getType(), constants.apply(made.getOperands()));
    }

    private RexNode cast(SqlRexContext context, SqlCall call) {
        RexNode cast = Objects.requireNonNull(StandardConvertletTable.INSTANCE.get(call))
                .convertCall(context, call);
        String unbounded = cast.getKind() == SqlKind.CAST && cast.getType().getSqlTypeName() == SqlTypeName.DOUBLE
                ? unbounded(((RexCall) cast).getOperands().get(0))
                : null;
        if (unbounded != null) {
            RexBuilder rex = context.getRexBuilder();
            return rex.makeAbstractCast(cast.getType(), rex.makeLiteral(unbounded), false);
        }
        boolean toText = cast.getKind() == SqlKind.CAST && cast.getType().getSqlTypeName() == SqlTypeName.VARCHAR;
        if (!toText) {
            return cast;
        }
        RelDataType from = ((RexCall) cast).getOperands().get(0).getType();
        return from.getSqlTypeName() == SqlTypeName.DOUBLE || DecimalTypes.isDecimal(from)
                ? context.getRexBuilder()
                        .makeCall(
                                cast.getType(),
                                functions.required(EngineFunctions.TO_TEXT),
                                ((RexCall) cast).getOperands())
                : cast;
    }

    /** {@code 'inf'}, as DuckDB writes it too, by the name that the engine knows; null for what is bounded. */
    private static @Nullable String unbounded(RexNode node) {
        if (!(node instanceof RexLiteral literal) || !SqlTypeName.CHAR_TYPES.contains(literal.getTypeName())) {
            return null;
        }
        return unbounded(String.valueOf(literal.getValueAs(String.class)));
    }

    /** The same of a text. */
    static @Nullable String unbounded(String text) {
        return switch (text.strip().toLowerCase(Locale.ROOT)) {
            case "inf", "+inf", "infinity", "+infinity" -> "Infinity";
            case "-inf", "-infinity" -> "-Infinity";
            case "nan" -> "NaN";
            default -> null;
        };
    }

    private RexNode timeText(SqlRexContext context, SqlCall call) {
        List<RexNode> operands = operands(context, call);
        SqlTypeName of = operands.get(0).getType().getSqlTypeName();
        if (of != SqlTypeName.NULL && !SqlTypeName.DATETIME_TYPES.contains(of)) {
            throw SqlErrors.at(
                    call.getParserPosition(),
                    "TO_CHAR writes times, and this is a " + of + "; CAST(x AS VARCHAR) writes numbers");
        }
        return context.getRexBuilder().makeCall(type(context, call), functions.required("FORMAT_TIME"), operands);
    }
}
