package io.waterwheel.sql.leaf;

import io.waterwheel.query.Aggregate;
import io.waterwheel.query.ResultSpec;
import io.waterwheel.query.expression.Expression;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.rel.core.Project;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.jspecify.annotations.Nullable;

/**
 * What {@code LOCF} and {@code INTERPOLATE} say of the groups of {@code TIME_BUCKET_GAPFILL}: the fill of the query. A
 * query has one for all its values, but for counts, which are 0 in a bucket without tuples.
 */
final class GapFill {
    private GapFill() {}

    /** The leaf whose values are filled so; null for a project that says nothing of the kind. */
    static @Nullable Leaf of(Project project, Leaf leaf) throws NotPushed {
        if (project.getProjects().stream().allMatch(node -> kind(node) == null)) {
            return null;
        }
        if (!(leaf.what() instanceof Leaf.Groups groups) || groups.fill() == null || leaf.ordered()) {
            throw new NotPushed("LOCF or INTERPOLATE of what is no aggregate in groups by TIME_BUCKET_GAPFILL");
        }
        List<Expression> columns = new ArrayList<>();
        ResultSpec.Fill fill = null;
        boolean plain = false;
        for (RexNode node : project.getProjects()) {
            ResultSpec.Fill kind = kind(node);
            RexNode value = kind == null ? node : ((RexCall) node).getOperands().get(0);
            if (!(value instanceof RexInputRef input)) {
                throw new NotPushed("a value that is computed of groups with filled gaps");
            }
            Expression column = leaf.columns().get(input.getIndex());
            String function = function(groups, column);
            boolean counts = function != null && function.contains("count");
            if (kind != null && (function == null || counts)) {
                throw new NotPushed("LOCF or INTERPOLATE of a group, or of a count, which is 0 in a gap");
            } else if (kind == ResultSpec.Fill.LINEAR && DecimalTypes.isDecimal(value)) {
                throw new NotPushed("INTERPOLATE of " + value.getType() + "; aggregate CAST(... AS DOUBLE)");
            } else if (kind != null && fill != null && kind != fill) {
                throw new NotPushed("LOCF beside INTERPOLATE");
            }
            fill = kind == null ? fill : kind;
            plain |= kind == null && function != null && !counts;
            columns.add(column);
        }
        if (plain) {
            throw new NotPushed("LOCF or INTERPOLATE of some values, and not of others");
        }
        return fill == null ? null : leaf.withWhat(groups.withFill(fill), columns);
    }

    private static ResultSpec.@Nullable Fill kind(RexNode node) {
        String name = node instanceof RexCall call ? call.getOperator().getName() : "";
        return switch (name) {
            case EngineFunctions.LOCF -> ResultSpec.Fill.PREVIOUS;
            case EngineFunctions.INTERPOLATE -> ResultSpec.Fill.LINEAR;
            default -> null;
        };
    }

    /** The aggregate function whose value a column is; null for a group. */
    private static @Nullable String function(Leaf.Groups groups, Expression column) {
        for (Aggregate value : groups.values()) {
            if (column.equals(new Expression.FieldValue(value.name()))) {
                return value.function().name();
            }
        }
        return null;
    }
}
