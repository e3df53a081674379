package io.waterwheel.sql.residual;

import io.waterwheel.query.expression.Expression;
import io.waterwheel.query.expression.ExpressionTypes;
import io.waterwheel.query.expression.ValueType;
import io.waterwheel.sql.ResidualPlan.Narrowing;
import io.waterwheel.sql.leaf.Leaf;
import io.waterwheel.sql.leaf.LeafNode;
import io.waterwheel.sql.leaf.SystemNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.core.Project;
import org.apache.calcite.rel.core.SetOp;
import org.apache.calcite.rel.core.Sort;
import org.apache.calcite.rel.core.Values;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexCorrelVariable;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexVisitorImpl;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.type.SqlTypeName;
import org.jspecify.annotations.Nullable;

/**
 * Finds which leaves joins may narrow. Where a join drops rows of one side that have no equal on the other, the values
 * of the other side are a condition on this side's leaf. The other side is a leaf, or one without streams: written
 * rows, a file or a system table, which becomes a table of its own so that it is read once.
 */
final class Narrowings {
    private final List<Pair> found = new ArrayList<>();
    /** How often a leaf is in the plan. */
    private final Map<Leaf, Integer> uses = new HashMap<>();

    private Narrowings() {}

    /**
     * A column whose values narrow, and the column of the leaf that they narrow.
     *
     * @param place of the leaf in the plan: the numbers of the inputs that lead to it
     */
    private record Pair(Column from, Column to, String place) {}

    static Narrowings of(RelNode root) {
        Narrowings narrowings = new Narrowings();
        narrowings.look(root, "");
        return narrowings;
    }

    /** The sides without streams among what narrows. */
    Set<RelNode> sides() {
        Set<RelNode> sides = new HashSet<>();
        for (Pair pair : found) {
            // What would narrow a leaf that is used twice is not worth a table: it narrows nothing.
            if (!(pair.from().node() instanceof LeafNode)
                    && uses.getOrDefault(pair.to().leaf(), 0) == 1) {
                sides.add(pair.from().node());
            }
        }
        return sides;
    }

    /** Over the tables of a text. */
    List<Narrowing> in(ResidualText text) {
        Map<Narrowing, Set<String>> places = new LinkedHashMap<>();
        for (Pair pair : found) {
            String from = text.name(pair.from().node());
            if (from == null) {
                continue;
            }
            Narrowing narrowing = new Narrowing(
                    from,
                    pair.from().column(),
                    text.number(pair.to().leaf()),
                    pair.to().value(),
                    pair.to().valueType());
            places.computeIfAbsent(narrowing, unused -> new HashSet<>()).add(pair.place());
        }
        // A leaf that is used elsewhere too must have the rows that are wanted there.
        places.entrySet()
                .removeIf(one -> one.getValue().size()
                        < text.uses(text.leaves().get(one.getKey().to())));
        return List.copyOf(places.keySet());
    }

    private void look(RelNode node, String place) {
        if (node instanceof Join join) {
            look(join, place);
        } else if (node instanceof LeafNode leaf) {
            uses.merge(leaf.leaf(), 1, Integer::sum);
        }
        for (int input = 0; input < node.getInputs().size(); input++) {
            look(node.getInput(input), below(place, input));
        }
    }

    private static String below(String place, int input) {
        return place + input + ".";
    }

    private void look(Join join, String place) {
        JoinRelType type = join.getJoinType();
        boolean dropsLeft =
                switch (type) {
                    case INNER, SEMI, RIGHT, ASOF -> true;
                    default -> false;
                };
        boolean dropsRight =
                switch (type) {
                    case INNER, SEMI, ANTI, LEFT, ASOF, LEFT_ASOF -> true;
                    default -> false;
                };
        int left = join.getLeft().getRowType().getFieldCount();
        for (RexNode term : RelOptUtil.conjunctions(join.getCondition())) {
            if (!(term instanceof RexCall call)
                    || call.getKind() != SqlKind.EQUALS
                    || !(call.getOperands().get(0) instanceof RexInputRef one)
                    || !(call.getOperands().get(1) instanceof RexInputRef other)
                    || one.getIndex() < left == other.getIndex() < left) {
                continue;
            }
            int l = Math.min(one.getIndex(), other.getIndex());
            int r = Math.max(one.getIndex(), other.getIndex()) - left;
            if (dropsRight) {
                narrow(source(join.getLeft(), l), target(join.getRight(), r, below(place, 1)));
            }
            if (dropsLeft) {
                narrow(source(join.getRight(), r), target(join.getLeft(), l, below(place, 0)));
            }
        }
    }

    /** A column of a leaf, or of a side without streams. */
    private record Column(RelNode node, int column) {
        Leaf leaf() {
            return ((LeafNode) node).leaf();
        }

        SqlTypeName type() {
            return node.getRowType().getFieldList().get(column).getType().getSqlTypeName();
        }

        /** What the engine looks up: of the text of an address or a UUID the field itself. */
        Expression value() {
            Expression value = Objects.requireNonNull(leaf().ofTuple(column));
            return value instanceof Expression.Cast cast && ofText(cast) ? cast.operand() : value;
        }

        private boolean ofText(Expression.Cast cast) {
            return cast.operand() instanceof Expression.FieldValue field
                    && cast.type() == ValueType.STRING
                    && isText(type(field));
        }

        private static boolean isText(ValueType type) {
            return type == ValueType.IPV4 || type.hasSixteenBytes();
        }

        private ValueType type(Expression.FieldValue field) {
            return ValueType.of(new ExpressionTypes(leaf().schema().fields())
                    .field(field.name())
                    .type());
        }

        ValueType valueType() {
            ValueType type = value() instanceof Expression.FieldValue field ? type(field) : ValueType.STRING;
            return type() == SqlTypeName.BIGINT ? ValueType.INTEGER : isText(type) ? type : ValueType.STRING;
        }
    }

    /** A column of a leaf, and the leaf's place. */
    private record Target(Column column, String place) {}

    private void narrow(@Nullable Column from, @Nullable Target target) {
        if (from == null || target == null || from.type() != target.column().type()) {
            return;
        }
        Column to = target.column();
        boolean comparable = from.type() == SqlTypeName.BIGINT || from.type() == SqlTypeName.VARCHAR;
        boolean same = from.node() instanceof LeafNode && from.leaf().equals(to.leaf());
        if (comparable && to.leaf().ofTuple(to.column()) != null && !same) {
            found.add(new Pair(from, to, target.place()));
        }
    }

    /** Whether it reads no stream, and is made without the tables that are made later. */
    private static boolean isSide(RelNode node) {
        boolean known = node instanceof SystemNode
                || node instanceof Values
                || node instanceof Aggregate
                || node instanceof Sort
                || node instanceof SetOp
                || (node instanceof Project project && isSide(project.getProjects()))
                || (node instanceof Filter filter && isSide(List.of(filter.getCondition())));
        return known && node.getInputs().stream().allMatch(Narrowings::isSide);
    }

    /** Neither spatial, nor of a row of the query around it. */
    private static boolean isSide(List<RexNode> nodes) {
        boolean[] other = {false};
        RexVisitorImpl<@Nullable Void> visitor = new RexVisitorImpl<>(true) {
            @Override
            public @Nullable Void visitCall(RexCall call) {
                other[0] |= call.getOperator().getName().startsWith("ST_");
                return super.visitCall(call);
            }

            @Override
            public @Nullable Void visitCorrelVariable(RexCorrelVariable variable) {
                other[0] = true;
                return null;
            }
        };
        nodes.forEach(node -> node.accept(visitor));
        return !other[0];
    }

    /** What has every value, but null, of a node's column; null where that cannot be told. */
    private static @Nullable Column source(RelNode node, int column) {
        if (node instanceof LeafNode || isSide(node)) {
            return new Column(node, column);
        } else if (node instanceof Project project) {
            return project.getProjects().get(column) instanceof RexInputRef input
                    ? source(project.getInput(), input.getIndex())
                    : null;
        } else if (node instanceof Filter || node instanceof Sort) {
            return source(node.getInput(0), column);
        } else if (node instanceof Aggregate aggregate) {
            int groups = aggregate.getGroupCount();
            return column < groups
                    ? source(aggregate.getInput(), aggregate.getGroupSet().nth(column))
                    : null;
        } else if (node instanceof Join join) {
            int left = join.getLeft().getRowType().getFieldCount();
            return column < left ? source(join.getLeft(), column) : source(join.getRight(), column - left);
        }
        return null;
    }

    /**
     * The leaf whose column a node's is, where a row of the leaf that is left out changes nothing but that the rows
     * made of it are left out.
     */
    private static @Nullable Target target(RelNode node, int column, String place) {
        if (node instanceof LeafNode leaf) {
            return new Target(new Column(leaf, column), place);
        } else if (node instanceof Project project && !project.containsOver()) {
            return project.getProjects().get(column) instanceof RexInputRef input
                    ? target(project.getInput(), input.getIndex(), below(place, 0))
                    : null;
        } else if (node instanceof Filter filter && !filter.containsOver()) {
            return target(filter.getInput(), column, below(place, 0));
        } else if (node instanceof Join join && join.getJoinType() == JoinRelType.INNER) {
            int left = join.getLeft().getRowType().getFieldCount();
            return column < left
                    ? target(join.getLeft(), column, below(place, 0))
                    : target(join.getRight(), column - left, below(place, 1));
        }
        return null;
    }
}
