package io.waterwheel.query.condition;

import io.waterwheel.geo.Box;
import io.waterwheel.key.Area;
import io.waterwheel.query.column.ColumnNode;
import io.waterwheel.query.column.ConstantNode;
import io.waterwheel.query.column.FieldNode;
import io.waterwheel.query.column.RowView;
import io.waterwheel.query.column.Values;
import io.waterwheel.query.expression.Expression.Comparison.Relation;
import io.waterwheel.query.expression.ValueType;
import java.util.Objects;

/**
 * Whether a longitude and a latitude, in degrees, are a position in a polygon; null where either is null, false where
 * they are no position on the globe.
 */
final class PolygonNode extends ColumnNode {
    private final ColumnNode longitude;
    private final ColumnNode latitude;
    private final Area area;

    PolygonNode(ColumnNode longitude, ColumnNode latitude, Area area) {
        super(ValueType.BOOLEAN);
        this.longitude = ConstantNode.once(longitude);
        this.latitude = ConstantNode.once(latitude);
        this.area = area;
    }

    /** Whether its operands are fields. */
    boolean isOfFields() {
        return longitude instanceof FieldNode && latitude instanceof FieldNode;
    }

    /** A row that matches lies in the bounds. Over the antimeridian they are apart: any longitude lies between. */
    void conjunct(ConjunctSink sink) {
        double west = Double.POSITIVE_INFINITY;
        double east = Double.NEGATIVE_INFINITY;
        double south = Double.POSITIVE_INFINITY;
        double north = Double.NEGATIVE_INFINITY;
        for (Box box : area.bounds()) {
            if (box.west() <= Box.WORLD.east() && box.east() >= Box.WORLD.west()) {
                west = Math.min(west, Math.max(box.west(), Box.WORLD.west()));
                east = Math.max(east, Math.min(box.east(), Box.WORLD.east()));
                south = Math.min(south, Math.max(box.south(), Box.WORLD.south()));
                north = Math.max(north, Math.min(box.north(), Box.WORLD.north()));
            }
        }
        within(longitude, west, east, sink);
        within(latitude, south, north, sink);
    }

    private static void within(ColumnNode coordinate, double low, double high, ConjunctSink sink) {
        if (coordinate instanceof FieldNode field) {
            Bounds bounds = bound(field, Relation.AT_LEAST, low).and(bound(field, Relation.AT_MOST, high));
            Bounds both = Objects.requireNonNull(bounds);
            sink.within(field.column(), both.low(), both.high());
        }
    }

    private static Bounds bound(FieldNode field, Relation relation, double value) {
        return field.type() == ValueType.DOUBLE ? Bounds.ofDoubles(relation, value) : Bounds.of(relation, value);
    }

    @Override
    protected void compute(RowView view, int[] selected, int count) {
        longitude.evaluate(view, selected, count);
        latitude.evaluate(view, selected, count);
        out.nullsOf(longitude.values(), latitude.values(), selected, count, view);
        long[] truth = out.ownLongs(view);
        long cost = area.costOfTest();
        for (int i = 0; i < count; i++) {
            int row = selected[i];
            truth[row] = 0;
            if (!out.isNull(row)) {
                double x = number(longitude, row);
                double y = number(latitude, row);
                view.workspace().spend(cost);
                truth[row] = Box.WORLD.contains(x, y) && area.contains(x, y) ? 1 : 0;
            }
        }
        longitude.release(view);
        latitude.release(view);
    }

    private static double number(ColumnNode node, int row) {
        Values values = node.values();
        return node.type() == ValueType.DOUBLE
                ? values.doubles[row & values.rowMask]
                : values.longs[row & values.rowMask];
    }
}
