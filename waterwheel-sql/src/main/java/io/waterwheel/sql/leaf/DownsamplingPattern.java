package io.waterwheel.sql.leaf;

import io.waterwheel.query.Downsampling;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.schema.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.apache.calcite.rel.core.Project;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexOver;
import org.apache.calcite.rex.RexWindow;
import org.apache.calcite.rex.RexWindowExclusion;
import org.apache.calcite.sql.SqlAggFunction;
import org.apache.calcite.sql.SqlFunctionCategory;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.type.OperandTypes;
import org.apache.calcite.sql.type.ReturnTypes;
import org.apache.calcite.sql.type.SqlTypeFamily;
import org.apache.calcite.util.Optionality;
import org.jspecify.annotations.Nullable;

/**
 * Fewer tuples of each series, for a plot: {@code QUALIFY LTTB(x, 500) OVER (PARTITION BY key ORDER BY time)}, or a
 * sub-query that says so. The function is true of the tuples that are kept.
 */
public final class DownsamplingPattern {
    private static final List<String> METHODS = List.of("LTTB", "MINMAX");

    /** The function of a method: a condition, of a window alone. */
    private static final class Keeps extends SqlAggFunction {
        Keeps(String name) {
            super(
                    name,
                    null,
                    SqlKind.OTHER_FUNCTION,
                    ReturnTypes.BOOLEAN,
                    null,
                    OperandTypes.family(SqlTypeFamily.NUMERIC, SqlTypeFamily.INTEGER),
                    SqlFunctionCategory.USER_DEFINED_FUNCTION,
                    false,
                    true,
                    Optionality.FORBIDDEN);
        }
    }

    private DownsamplingPattern() {}

    static List<SqlOperator> operators() {
        return METHODS.stream().<SqlOperator>map(Keeps::new).toList();
    }

    /** Whether a function of this name is one. */
    public static boolean isName(@Nullable String name) {
        return name != null && METHODS.contains(name.toUpperCase(Locale.ROOT));
    }

    /** What such a function needs, where it does not find it; null for another function. */
    public static @Nullable String needs(SqlOperator function) {
        return function instanceof Keeps
                ? function.getName() + " but alone, as QUALIFY " + function.getName()
                        + "(x, 500) OVER (PARTITION BY field ORDER BY time), of 2 to 100,000 rows of each series, where"
                        + " the engine computes all else of the SELECT"
                : null;
    }

    /** Whether a project has such a function. */
    static boolean isIn(Project project) {
        return project.getProjects().stream()
                .anyMatch(node -> node instanceof RexOver over && over.getAggOperator() instanceof Keeps);
    }

    /** The name of such a function that a term of the filter above a project is; null when it is something else. */
    static @Nullable String function(RexNode term, Project project) {
        return term instanceof RexInputRef kept
                        && project.getProjects().get(kept.getIndex()) instanceof RexOver over
                        && over.getAggOperator() instanceof Keeps
                ? over.getAggOperator().getName()
                : null;
    }

    /**
     * The leaf of the tuples that are kept, with the columns of the project; that of the function is true of them all.
     * Null when it is something else.
     *
     * @param term of the filter above the project
     * @param leaf that is below the project
     */
    static @Nullable Leaf of(RexNode term, Project project, Leaf leaf, RexBuilder rex) throws NotPushed {
        if (!leaf.plain()
                || !(term instanceof RexInputRef kept)
                || !(project.getProjects().get(kept.getIndex()) instanceof RexOver over)
                || !(over.getAggOperator() instanceof Keeps)) {
            return null;
        }
        String name = over.getAggOperator().getName();
        ConditionTranslator translator = ConditionTranslator.of(leaf, rex);
        List<Expression> columns = new ArrayList<>();
        for (int c = 0; c < project.getProjects().size(); c++) {
            try {
                columns.add(
                        c == kept.getIndex()
                                ? new Expression.Truth(true)
                                : translator.translate(project.getProjects().get(c)));
            } catch (NotPushed e) {
                throw new NotPushed(name + " beside what the engine does not compute: " + e.getMessage());
            }
        }
        List<String> by = series(name, over.getWindow(), leaf);
        boolean otherwise = over.isDistinct()
                || over.ignoreNulls()
                || over.getWindow().getExclude() != RexWindowExclusion.EXCLUDE_NO_OTHER
                || over.getWindow().isRows()
                || !over.getWindow().getLowerBound().isUnbounded()
                || !over.getWindow().getUpperBound().isCurrentRow();
        if (otherwise) {
            throw new NotPushed(name + " of other rows than all of a series: leave out DISTINCT, IGNORE NULLS and the"
                    + " frame behind ORDER BY");
        }
        int points = points(name, over.getOperands().get(1));
        Expression value = translator.translate(over.getOperands().get(0));
        return leaf.withWhat(new Leaf.Plot(by, Downsampling.Method.of(name), value, points), columns);
    }

    /** The fields that make a series. */
    private static List<String> series(String name, RexWindow window, Leaf leaf) throws NotPushed {
        List<String> by = new ArrayList<>();
        for (RexNode key : window.partitionKeys) {
            by.add(field(key, leaf));
        }
        if (by.isEmpty()) {
            // The engine would take the key.
            throw new NotPushed(name + " without PARTITION BY, which names the fields that make a series");
        } else if (by.contains("")) {
            throw new NotPushed(name + " whose PARTITION BY has more than fields of the stream");
        }
        boolean isByTime = window.orderKeys.size() == 1
                && !window.orderKeys.get(0).getDirection().isDescending()
                && field(window.orderKeys.get(0).left, leaf)
                        .equals(leaf.schema().timeField());
        if (!isByTime) {
            throw new NotPushed(name + " in another order than that of time: write ORDER BY "
                    + leaf.schema().timeField() + " within OVER");
        }
        return by;
    }

    private static int points(String name, RexNode written) throws NotPushed {
        Long points =
                written instanceof RexLiteral literal && !literal.isNull() ? literal.getValueAs(Long.class) : null;
        if (points == null || points < 2 || points > Downsampling.MAX_POINTS) {
            throw new NotPushed(
                    name + (points == null ? " of a number of rows that is not written" : " of " + points + " rows")
                            + ", expected 2 to 100,000 of each series");
        }
        return points.intValue();
    }

    /** The field of the stream that a column of the leaf is, or whose text it is; nothing when it is none. */
    private static String field(RexNode node, Leaf leaf) {
        if (node instanceof RexInputRef input) {
            Expression column = leaf.columns().get(input.getIndex());
            for (Field field : leaf.schema().fields()) {
                if (ConditionTranslator.read(field).equals(column)) {
                    return field.name();
                }
            }
        }
        return "";
    }
}
