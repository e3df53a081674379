package io.waterwheel.sql.leaf;

import io.waterwheel.geo.Box;
import io.waterwheel.geo.Circle;
import io.waterwheel.geo.Polygon;
import io.waterwheel.geo.Shape;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.query.expression.ValueType;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlKind;
import org.jspecify.annotations.Nullable;

/**
 * Conditions on positions as the leaf answers them. Where the position is the stream's key and the region is written
 * they become the shape of the query; elsewhere they become conditions.
 */
final class ShapeCondition {
    private final Leaf leaf;
    private final ConditionTranslator translator;
    private final RexBuilder rex;

    ShapeCondition(Leaf leaf, ConditionTranslator translator, RexBuilder rex) {
        this.leaf = leaf;
        this.translator = translator;
        this.rex = rex;
    }

    /** The leaf with the condition as well; null when it is none on positions. */
    @Nullable
    Leaf push(RexNode node) throws NotPushed {
        try {
            Circle within = isKeyed() ? within(node) : null;
            if (within != null) {
                // All that is so near lies in the circle; what is as far as the circle ends must not be less far.
                return leaf.withWhere(Conditions.and(leaf.where(), translator.translate(node)), within);
            }
            SpatialCall.Holds holds = SpatialCall.holds(node, rex);
            return holds == null ? null : pushed(holds, node);
        } catch (IllegalArgumentException e) {
            throw new NotPushed(String.valueOf(e.getMessage()));
        }
    }

    /** Whether a shape of positions can be asked of the leaf, and none is yet. */
    private boolean isKeyed() {
        return leaf.shape() == null
                && leaf.what() instanceof Leaf.Tuples
                && !leaf.schema().key().position().isEmpty();
    }

    private Leaf pushed(SpatialCall.Holds holds, RexNode node) throws NotPushed {
        boolean keyed = isKeyed() && isKey(holds.position());
        if (holds.region() instanceof SpatialCall.Around around) {
            Circle circle = isKeyed() ? circle(holds.position(), around.centre(), around.metres()) : null;
            return circle == null ? where(translator.translate(node)) : leaf.withWhere(leaf.where(), circle);
        } else if (holds.region() instanceof SpatialCall.Envelope envelope) {
            List<RexNode> bounds = envelope.bounds();
            Box box =
                    new Box(number(bounds.get(0)), number(bounds.get(1)), number(bounds.get(2)), number(bounds.get(3)));
            return keyed ? leaf.withWhere(leaf.where(), box) : where(inBox(point(holds.position()), box));
        }
        String text = SpatialCall.written(((SpatialCall.Written) holds.region()).text());
        if (keyed && text != null) {
            Shape polygon = new Polygon(text);
            return leaf.withWhere(leaf.where(), polygon);
        }
        return where(translator.translate(node));
    }

    private Leaf where(Expression condition) {
        return leaf.withWhere(Conditions.and(leaf.where(), condition), leaf.shape());
    }

    /** The circle of a condition that a distance from the key is less than a written number; null for any other. */
    private @Nullable Circle within(RexNode node) throws NotPushed {
        if (!(node instanceof RexCall call) || call.getOperands().size() != 2) {
            return null;
        }
        boolean less = call.getKind() == SqlKind.LESS_THAN || call.getKind() == SqlKind.LESS_THAN_OR_EQUAL;
        boolean more = call.getKind() == SqlKind.GREATER_THAN || call.getKind() == SqlKind.GREATER_THAN_OR_EQUAL;
        List<SpatialCall.Position> positions =
                less || more ? SpatialCall.distance(call.getOperands().get(less ? 0 : 1), rex) : null;
        return positions == null
                ? null
                : circle(positions.get(0), positions.get(1), call.getOperands().get(less ? 1 : 0));
    }

    /** Around a written position with the key on the other side; null when it is another. */
    private @Nullable Circle circle(SpatialCall.Position one, SpatialCall.Position other, RexNode metres)
            throws NotPushed {
        SpatialCall.Position centre = isKey(one) ? other : isKey(other) ? one : null;
        Double radius = centre == null ? null : written(translator.translate(metres));
        Double longitude = centre == null ? null : written(translator.translate(centre.longitude()));
        Double latitude = centre == null ? null : written(translator.translate(centre.latitude()));
        return radius == null || longitude == null || latitude == null ? null : new Circle(longitude, latitude, radius);
    }

    private List<Expression> point(SpatialCall.Position position) throws NotPushed {
        return List.of(translator.translate(position.longitude()), translator.translate(position.latitude()));
    }

    private boolean isKey(SpatialCall.Position position) throws NotPushed {
        List<Expression> key = new ArrayList<>();
        leaf.schema().key().position().forEach(field -> key.add(new Expression.FieldValue(field)));
        return point(position).equals(key);
    }

    private double number(RexNode node) throws NotPushed {
        Double written = written(translator.translate(node));
        if (written == null) {
            throw new NotPushed("a box of numbers that are computed");
        }
        return written;
    }

    private static @Nullable Double written(Expression value) {
        if (value instanceof Expression.Whole whole) {
            return (double) whole.value();
        } else if (value instanceof Expression.Decimal decimal) {
            return decimal.value();
        }
        return value instanceof Expression.Cast cast && cast.type() == ValueType.DOUBLE
                ? written(cast.operand())
                : null;
    }

    private static Expression inBox(List<Expression> point, Box box) {
        // What is no position on the globe lies in no shape, as in DuckDB.
        Expression latitude = between(
                point.get(1), Math.max(box.south(), Box.WORLD.south()), Math.min(box.north(), Box.WORLD.north()));
        Expression longitude = box.crossesAntimeridian()
                ? new Expression.Or(
                        List.of(between(point.get(0), box.west(), 180), between(point.get(0), -180, box.east())))
                : between(point.get(0), Math.max(box.west(), Box.WORLD.west()), Math.min(box.east(), Box.WORLD.east()));
        return new Expression.And(List.of(longitude, latitude));
    }

    private static Expression between(Expression value, double low, double high) {
        return new Expression.Between(value, new Expression.Decimal(low), new Expression.Decimal(high), false);
    }
}
