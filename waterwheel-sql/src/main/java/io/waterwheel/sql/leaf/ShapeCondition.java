package io.waterwheel.sql.leaf;

import io.waterwheel.geo.Box;
import io.waterwheel.geo.Circle;
import io.waterwheel.geo.Polygon;
import io.waterwheel.geo.Shape;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.query.expression.Expression.Comparison.Relation;
import io.waterwheel.query.expression.Function;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexNode;
import org.jspecify.annotations.Nullable;

/**
 * Conditions on positions: {@code ST_Within(ST_Point(lon, lat), SHAPE)}, {@code ST_Contains}, {@code ST_Intersects},
 * {@code ST_DWithin(ST_Point(lon, lat), ST_Point(2.3, 48.8), METRES)}. Where the point is the stream's key they become
 * the shape of the query; a box and a distance become conditions elsewhere.
 */
final class ShapeCondition {
    private final Leaf leaf;
    private final ConditionTranslator translator;

    ShapeCondition(Leaf leaf, ConditionTranslator translator) {
        this.leaf = leaf;
        this.translator = translator;
    }

    private static @Nullable RexCall named(RexNode node, String name) {
        return node instanceof RexCall call && call.getOperator().getName().equals(name) ? call : null;
    }

    /** Whether it is a condition on positions. */
    static boolean is(RexNode node) {
        return node instanceof RexCall call
                && List.of(
                                EngineFunctions.WITHIN,
                                EngineFunctions.CONTAINS,
                                EngineFunctions.INTERSECTS,
                                EngineFunctions.NEAR)
                        .contains(call.getOperator().getName());
    }

    /** The leaf with the condition as well. */
    Leaf push(RexNode node) throws NotPushed {
        RexCall call = (RexCall) node;
        RexNode first = call.getOperands().get(0);
        RexNode second = call.getOperands().get(1);
        boolean firstIsPoint = named(first, EngineFunctions.POINT) != null;
        boolean contains = call.getOperator().getName().equals(EngineFunctions.CONTAINS);
        boolean within = call.getOperator().getName().equals(EngineFunctions.WITHIN);
        if ((contains && firstIsPoint) || (within && !firstIsPoint)) {
            throw new NotPushed(call.getOperator().getName()
                    + " of a shape in a point; write ST_Within(ST_Point(lon, lat), SHAPE)");
        }
        List<Expression> point = point(firstIsPoint ? first : second);
        if (call.getOperator().getName().equals(EngineFunctions.NEAR)) {
            return near(point, point(second), number(call.getOperands().get(2)));
        }
        Shape shape = shape(firstIsPoint ? second : first);
        if (isKey(point) && leaf.shape() == null) {
            return leaf.withWhere(leaf.where(), shape);
        } else if (shape instanceof Box box) {
            return leaf.withWhere(Conditions.and(leaf.where(), inBox(point, box)), leaf.shape());
        }
        throw new NotPushed("a polygon for what is not the position of the stream's key, or a second one");
    }

    /** Longitude and latitude. */
    private List<Expression> point(RexNode node) throws NotPushed {
        RexCall point = named(node, EngineFunctions.POINT);
        if (point == null) {
            throw new NotPushed("a shape here; expected ST_Point(lon, lat)");
        }
        return List.of(
                translator.translate(point.getOperands().get(0)),
                translator.translate(point.getOperands().get(1)));
    }

    private boolean isKey(List<Expression> point) {
        List<Expression> key = new ArrayList<>();
        leaf.schema().key().position().forEach(field -> key.add(new Expression.FieldValue(field)));
        return point.equals(key);
    }

    private double number(RexNode node) throws NotPushed {
        return number(translator.translate(node));
    }

    private static double number(Expression value) throws NotPushed {
        if (value instanceof Expression.Whole whole) {
            return whole.value();
        } else if (value instanceof Expression.Decimal decimal) {
            return decimal.value();
        } else if (value instanceof Expression.Cast cast) {
            return number(cast.operand());
        }
        throw new NotPushed("a shape of numbers that are computed; write them out");
    }

    private Leaf near(List<Expression> point, List<Expression> centre, double metres) throws NotPushed {
        try {
            if (isKey(point) && leaf.shape() == null) {
                return leaf.withWhere(leaf.where(), new Circle(number(centre.get(0)), number(centre.get(1)), metres));
            }
            Expression distance = new Expression.Call(
                    Function.DISTANCE, List.of(point.get(0), point.get(1), centre.get(0), centre.get(1)));
            Expression near = new Expression.Comparison(Relation.AT_MOST, distance, new Expression.Decimal(metres));
            return leaf.withWhere(Conditions.and(leaf.where(), near), leaf.shape());
        } catch (IllegalArgumentException e) {
            throw new NotPushed(String.valueOf(e.getMessage()));
        }
    }

    private Shape shape(RexNode node) throws NotPushed {
        RexCall envelope = named(node, EngineFunctions.ENVELOPE);
        RexCall text = named(node, EngineFunctions.FROM_TEXT);
        try {
            if (envelope != null) {
                List<RexNode> bounds = envelope.getOperands();
                return new Box(
                        number(bounds.get(0)), number(bounds.get(1)), number(bounds.get(2)), number(bounds.get(3)));
            } else if (text != null && translator.translate(text.getOperands().get(0)) instanceof Expression.Text wkt) {
                return new Polygon(wkt.value());
            }
        } catch (IllegalArgumentException e) {
            throw new NotPushed(String.valueOf(e.getMessage()));
        }
        throw new NotPushed(
                "this shape; expected ST_MakeEnvelope(lon, lat, lon, lat) or ST_GeomFromText('POLYGON ...')");
    }

    private static Expression inBox(List<Expression> point, Box box) {
        Expression latitude = between(point.get(1), box.south(), box.north());
        Expression longitude = box.crossesAntimeridian()
                ? new Expression.Or(
                        List.of(between(point.get(0), box.west(), 180), between(point.get(0), -180, box.east())))
                : between(point.get(0), box.west(), box.east());
        return new Expression.And(List.of(longitude, latitude));
    }

    private static Expression between(Expression value, double low, double high) {
        return new Expression.Between(value, new Expression.Decimal(low), new Expression.Decimal(high), false);
    }
}
