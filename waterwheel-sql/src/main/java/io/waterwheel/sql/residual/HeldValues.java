package io.waterwheel.sql.residual;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.calcite.rel.RelHomogeneousShuttle;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.Correlate;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.core.Project;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.sql.SqlFunction;
import org.apache.calcite.sql.SqlFunctionCategory;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.type.OperandTypes;
import org.apache.calcite.sql.type.ReturnTypes;

/**
 * Hides from Calcite, while it makes joins, what it would draw wrong conclusions from.
 *
 * <p>Written values that make groups: it leaves them out of the groups, and without any other there is one group even
 * of no rows, and what stands above looks for columns in the wrong places.
 *
 * <p>Columns that a row is asked by: of one that the condition of a LEFT JOIN compares it takes none to be null, though
 * the join keeps the rows in which it is. It would compare such nulls by {@code =}, and lose what a sub-query says of
 * them.
 */
public final class HeldValues {
    /** The value of its argument. */
    private static final SqlFunction HELD = new SqlFunction(
            "HELD",
            SqlKind.OTHER_FUNCTION,
            ReturnTypes.ARG0,
            null,
            OperandTypes.ANY,
            SqlFunctionCategory.USER_DEFINED_FUNCTION);

    private HeldValues() {}

    /** Hides them. */
    public static final class Holding extends RelHomogeneousShuttle {
        private static RexNode held(RexNode value, RelNode node) {
            return node.getCluster().getRexBuilder().makeCall(value.getType(), HELD, List.of(value));
        }

        @Override
        public RelNode visit(RelNode other) {
            RelNode node = super.visit(other);
            if (node instanceof Aggregate aggregate && aggregate.getInput() instanceof Project project) {
                return groups(aggregate, project);
            } else if (node instanceof Correlate correlate) {
                return asked(correlate);
            }
            return node;
        }

        private static RelNode groups(Aggregate aggregate, Project project) {
            List<RexNode> values = new ArrayList<>(project.getProjects());
            for (int key : aggregate.getGroupSet()) {
                if (values.get(key) instanceof RexLiteral literal) {
                    values.set(key, held(literal, aggregate));
                }
            }
            RelNode held = project.copy(project.getTraitSet(), project.getInput(), values, project.getRowType());
            return values.equals(project.getProjects())
                    ? aggregate
                    : aggregate.copy(aggregate.getTraitSet(), List.of(held));
        }

        private static RelNode asked(Correlate correlate) {
            RelNode left = correlate.getLeft();
            if (!hasOuter(left)) {
                return correlate;
            }
            List<RexNode> values =
                    new ArrayList<>(left.getCluster().getRexBuilder().identityProjects(left.getRowType()));
            for (int column : correlate.getRequiredColumns()) {
                if (values.get(column).getType().isNullable()) {
                    values.set(column, held(values.get(column), left));
                }
            }
            RelNode held = LogicalProject.create(
                    left, List.of(), values, left.getRowType().getFieldNames(), Set.of());
            return correlate.copy(correlate.getTraitSet(), List.of(held, correlate.getRight()));
        }

        private static boolean isOuter(Join join) {
            return join.getJoinType() == JoinRelType.LEFT || join.getJoinType() == JoinRelType.RIGHT;
        }

        /** Whether a join in it keeps rows without an equal, also one that is not made yet. */
        private static boolean hasOuter(RelNode node) {
            return (node instanceof Correlate correlate && correlate.getJoinType() == JoinRelType.LEFT)
                    || (node instanceof Join join && isOuter(join))
                    || node.getInputs().stream().anyMatch(Holding::hasOuter);
        }
    }

    /** Shows them again. */
    public static final class Releasing extends RelHomogeneousShuttle {
        @Override
        public RelNode visit(RelNode other) {
            return super.visit(other).accept(new RexShuttle() {
                @Override
                public RexNode visitCall(RexCall call) {
                    return call.getOperator().equals(HELD) ? call.getOperands().get(0) : super.visitCall(call);
                }
            });
        }
    }
}
