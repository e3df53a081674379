package io.waterwheel.query.condition;

import io.waterwheel.key.Area;
import io.waterwheel.query.column.ColumnNode;
import io.waterwheel.query.column.ConstantNode;
import io.waterwheel.query.column.FieldNode;
import io.waterwheel.query.expression.Expression.Comparison.Relation;
import io.waterwheel.query.expression.ValueType;
import io.waterwheel.schema.TimestampUnit;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Makes the nodes of conditions, and tells what a condition says of single fields. Comparisons of a number or time with
 * a constant become bounds on the stored values, and such nodes read the stored bytes; all others first copy the
 * selected values into arrays of longs or doubles by row. Stateless, thread-safe.
 */
public final class Conditions {
    private Conditions() {}

    /** AND, or OR, of at least one condition. */
    public static ColumnNode logic(ColumnNode[] terms, boolean and) {
        ColumnNode[] joined = and ? terms : TextRangesNode.joined(terms);
        return joined.length == 1 && terms.length > 1 ? joined[0] : new LogicNode(joined, and);
    }

    /** NOT of a condition that is not the constant NULL. */
    public static ColumnNode not(ColumnNode operand) {
        return new NotNode(operand);
    }

    /** IS NULL, or IS NOT NULL. */
    public static ColumnNode isNull(ColumnNode operand, boolean negated) {
        return operand instanceof ConstantNode constant
                ? ConstantNode.truth((constant.value() == null) != negated)
                : new IsNullNode(operand, negated);
    }

    /** LIKE, or NOT LIKE, of text that is not the constant NULL. */
    public static ColumnNode like(ColumnNode operand, String pattern, @Nullable String escape, boolean negated) {
        return new LikeNode(operand, pattern, escape, negated);
    }

    /**
     * IN, or NOT IN; the operand is not a moment that no value holds ({@link ConstantNode#moment}).
     *
     * @param constants Long, Double, Instant or byte[]
     * @param nullListed whether NULL is one of the values, too
     */
    public static ColumnNode in(ColumnNode operand, List<Object> constants, boolean nullListed, boolean negated) {
        return new InNode(operand, constants, nullListed, negated);
    }

    /** IN_POLYGON: whether two numbers, neither the constant NULL, are a longitude and a latitude in an area. */
    public static ColumnNode inPolygon(ColumnNode longitude, ColumnNode latitude, Area area) {
        return new PolygonNode(longitude, latitude, area);
    }

    /** NULLIF: the first value, NULL where it equals the second; neither is the constant NULL. */
    public static ColumnNode nullIf(ColumnNode first, ColumnNode second) {
        return new NullIfNode(first, second);
    }

    /** A comparison; a constant on either side may be a moment that no value holds ({@link ConstantNode#moment}). */
    public static ColumnNode compare(Relation relation, ColumnNode left, ColumnNode right) {
        if (ConstantNode.isNull(left) || ConstantNode.isNull(right)) {
            return ConstantNode.unknown();
        }
        Instant moment = ConstantNode.moment(right);
        if (ConstantNode.moment(left) != null) {
            return moment == null
                    ? compare(relation.mirrored(), right, left)
                    : ConstantNode.truth(CompareNode.truth(
                            relation,
                            Objects.requireNonNull(ConstantNode.moment(left)).compareTo(moment)));
        } else if (left instanceof FieldNode field && right instanceof ConstantNode constant) {
            Bounds bounds = bounds(relation, field, constant);
            return bounds == null ? new CompareNode(relation, left, right) : new FieldBounds(field, bounds);
        } else if (left instanceof ConstantNode && right instanceof FieldNode) {
            return compare(relation.mirrored(), right, left);
        }
        return moment == null ? new CompareNode(relation, left, right) : compareBeyond(relation, left, moment);
    }

    /** With a moment that has digits below the microsecond, where no value has any: it equals none. */
    private static ColumnNode compareBeyond(Relation relation, ColumnNode left, Instant moment) {
        ConstantNode before = new ConstantNode(ValueType.TIMESTAMP_US, TimestampUnit.MICROSECONDS.units(moment));
        return switch (relation) {
            case LESS, AT_MOST -> new CompareNode(Relation.AT_MOST, left, before);
            case GREATER, AT_LEAST -> new CompareNode(Relation.GREATER, left, before);
            case EQUAL -> new InNode(left, List.of(), false, false);
            case UNEQUAL -> new InNode(left, List.of(), false, true);
        };
    }

    private static @Nullable Bounds bounds(Relation relation, FieldNode field, ConstantNode constant) {
        Object value = constant.value();
        if (field.type().isTimestamp()) {
            return Bounds.of(
                    relation,
                    field.fieldType().resolution(),
                    value instanceof Instant moment
                            ? moment
                            : constant.type().fieldType().resolution().instant((Long) Objects.requireNonNull(value)));
        }
        return switch (field.fieldType().physical()) {
            case INT32, UINT32, INT64 ->
                value instanceof Long whole
                        ? Bounds.of(relation, whole)
                        : value instanceof Double number ? Bounds.of(relation, number) : null;
            case FLOAT32, FLOAT64 ->
                value instanceof Long whole
                        ? Bounds.ofDoubles(relation, whole)
                        : value instanceof Double number ? Bounds.ofDoubles(relation, number) : null;
            case BOOLEAN, VARIABLE -> null;
        };
    }

    /**
     * BETWEEN, or NOT BETWEEN, as one test; null when the two comparisons that it means are not bounds of one field.
     *
     * @param above the operand compared with the lower end, as {@link #compare} made it
     * @param below the operand compared with the upper end
     */
    public static @Nullable ColumnNode between(ColumnNode above, ColumnNode below, boolean negated) {
        if (above instanceof FieldBounds first
                && below instanceof FieldBounds second
                && first.field() == second.field()) {
            Bounds bounds = first.bounds().and(second.bounds());
            if (bounds != null) {
                return new FieldBounds(first.field(), negated ? bounds.inverted() : bounds);
            }
        }
        return null;
    }

    /** Hands over what a condition says of single fields, by the terms of its outermost AND. */
    public static void conjuncts(ColumnNode node, ConjunctSink sink) {
        if (node instanceof LogicNode logic && logic.and()) {
            for (ColumnNode term : logic.terms()) {
                conjuncts(term, sink);
            }
        } else if (node instanceof FieldBounds test && !test.bounds().outside()) {
            sink.within(
                    test.field().column(), test.bounds().low(), test.bounds().high());
        } else if (node instanceof InNode in) {
            in.conjunct(sink);
        } else if (node instanceof TextRangesNode ranges) {
            ranges.conjunct(sink);
        } else if (node instanceof CompareNode compare) {
            compare.conjunct(sink);
            sink.other(node);
        } else if (node instanceof PolygonNode polygon) {
            polygon.conjunct(sink);
            sink.other(node);
        } else if (node instanceof FieldNode field) {
            sink.within(field.column(), 1, 1);
            sink.other(node);
        } else if (node instanceof NotNode not && not.operand() instanceof FieldNode field) {
            sink.within(field.column(), 0, 0);
            sink.other(node);
        } else if (node instanceof IsNullNode test && test.field() != null) {
            sink.isNull(test.field().column(), test.negated(), node);
        } else if (node instanceof NotNode not && not.operand() instanceof IsNullNode test && test.field() != null) {
            sink.isNull(test.field().column(), !test.negated(), node);
        } else if (node instanceof LikeNode like) {
            like.conjunct(sink);
            sink.other(node);
        } else if (!(node instanceof LogicNode logic && new Alternatives().conjunct(logic, sink))) {
            sink.other(node);
        }
    }

    /** The terms of an OR; none when the condition is something else. */
    public static List<ColumnNode> alternatives(ColumnNode node) {
        return node instanceof LogicNode logic && !logic.and() ? List.of(logic.terms()) : List.of();
    }
}
