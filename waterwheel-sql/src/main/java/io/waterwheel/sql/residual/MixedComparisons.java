package io.waterwheel.sql.residual;

import io.waterwheel.sql.leaf.MixedNumbers;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import org.apache.calcite.rel.RelHomogeneousShuttle;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexSubQuery;
import org.apache.calcite.sql.SqlFunction;
import org.apache.calcite.sql.SqlFunctionCategory;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.type.OperandTypes;
import org.apache.calcite.sql.type.ReturnTypes;
import org.apache.calcite.sql.type.SqlTypeName;

/**
 * Comparisons of a whole number with a double, and of times in different units, while Calcite makes joins of
 * sub-queries. It casts one side to the type of the other and takes these casts apart from their comparison; alone, the
 * cast rounds, or fails. What compares knows the exact values only where it sees the cast.
 */
public final class MixedComparisons {
    /** By comparison, a function of the same sides, which Calcite leaves alone. */
    private static final Map<SqlKind, SqlOperator> HELD = new EnumMap<>(SqlKind.class);

    private static final Map<SqlOperator, SqlOperator> RELEASED = new HashMap<>();

    static {
        for (SqlOperator operator : List.of(
                SqlStdOperatorTable.EQUALS,
                SqlStdOperatorTable.NOT_EQUALS,
                SqlStdOperatorTable.LESS_THAN,
                SqlStdOperatorTable.LESS_THAN_OR_EQUAL,
                SqlStdOperatorTable.GREATER_THAN,
                SqlStdOperatorTable.GREATER_THAN_OR_EQUAL)) {
            SqlFunction held = new SqlFunction(
                    "MIXED " + operator.getName(),
                    SqlKind.OTHER_FUNCTION,
                    ReturnTypes.BOOLEAN_NULLABLE,
                    null,
                    OperandTypes.ANY_ANY,
                    SqlFunctionCategory.USER_DEFINED_FUNCTION);
            HELD.put(operator.getKind(), held);
            RELEASED.put(held, operator);
        }
    }

    private MixedComparisons() {}

    private static boolean isCast(RexNode node) {
        return MixedNumbers.isWidened(node) || MixedNumbers.isInNanos(node);
    }

    /**
     * The rows of a sub-query, whose columns are as they were before Calcite cast them to compare them. A cast that the
     * statement has is another function.
     */
    public static RelNode uncast(RexSubQuery query, RelNode rows) {
        boolean compares = query.getKind() == SqlKind.IN || query.getKind() == SqlKind.SOME;
        if (!compares || !(rows instanceof LogicalProject project)) {
            return rows;
        }
        List<RexNode> columns = new ArrayList<>();
        for (RexNode column : project.getProjects()) {
            columns.add(uncast(column));
        }
        return columns.equals(project.getProjects())
                ? rows
                : LogicalProject.create(
                        project.getInput(),
                        project.getHints(),
                        columns,
                        project.getRowType().getFieldNames(),
                        project.getVariablesSet());
    }

    private static RexNode uncast(RexNode node) {
        return isCast(node) ? ((RexCall) node).getOperands().get(0) : node;
    }

    /** A side as what it is beside the other. */
    private static RexNode cast(RexNode side, RelDataType other, RexBuilder rex) {
        RelDataType own = side.getType();
        boolean widens = own.getSqlTypeName() == SqlTypeName.BIGINT && other.getSqlTypeName() == SqlTypeName.DOUBLE;
        boolean refines = own.getSqlTypeName() == SqlTypeName.TIMESTAMP
                && !MixedNumbers.isNanos(own)
                && MixedNumbers.isNanos(other);
        return widens || refines
                ? rex.makeAbstractCast(
                        rex.getTypeFactory().createTypeWithNullability(other, own.isNullable()), side, false)
                : side;
    }

    private static RexNode comparison(SqlOperator operator, RexCall call, RexBuilder rex) {
        RexNode left = call.getOperands().get(0);
        RexNode right = call.getOperands().get(1);
        List<RexNode> sides = List.of(cast(left, right.getType(), rex), cast(right, left.getType(), rex));
        return operator.equals(call.getOperator()) && sides.equals(call.getOperands())
                ? call
                : rex.makeCall(call.getType(), operator, sides);
    }

    private static RelNode replaced(RelNode node, BiFunction<RexCall, RexBuilder, RexNode> change) {
        RexBuilder rex = node.getCluster().getRexBuilder();
        return node.accept(new RexShuttle() {
            @Override
            public RexNode visitCall(RexCall call) {
                RexNode same = super.visitCall(call);
                return same instanceof RexCall visited ? change.apply(visited, rex) : same;
            }
        });
    }

    /** Casts a side to the type of the other where that was taken back. */
    public static final class Casting extends RelHomogeneousShuttle {
        @Override
        public RelNode visit(RelNode other) {
            return replaced(
                    super.visit(other),
                    (call, rex) -> HELD.containsKey(call.getKind()) ? comparison(call.getOperator(), call, rex) : call);
        }
    }

    /** Puts the function into the place of each comparison, of sides without their casts. */
    public static final class Holding extends RelHomogeneousShuttle {
        @Override
        public RelNode visit(RelNode other) {
            return replaced(super.visit(other), (call, rex) -> {
                SqlOperator held = HELD.get(call.getKind());
                return held != null && call.getOperands().stream().anyMatch(MixedComparisons::isCast)
                        ? rex.makeCall(
                                call.getType(),
                                held,
                                call.getOperands().stream()
                                        .map(side -> uncast(side))
                                        .toList())
                        : call;
            });
        }
    }

    /** Puts the comparisons back. */
    public static final class Releasing extends RelHomogeneousShuttle {
        @Override
        public RelNode visit(RelNode other) {
            return replaced(super.visit(other), (call, rex) -> {
                SqlOperator released = RELEASED.get(call.getOperator());
                return released == null ? call : comparison(released, call, rex);
            });
        }
    }
}
