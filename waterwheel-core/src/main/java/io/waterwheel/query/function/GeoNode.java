package io.waterwheel.query.function;

import io.waterwheel.geo.Circle;
import io.waterwheel.query.column.ColumnNode;
import io.waterwheel.query.column.ConstantNode;
import io.waterwheel.query.column.RowView;
import io.waterwheel.query.expression.ExpressionTypes;
import io.waterwheel.query.expression.Function;
import io.waterwheel.query.expression.ValueType;
import io.waterwheel.tuple.TupleBlock;

/**
 * DISTANCE, in metres on the sphere, by haversines in {@link StrictMath} as circles have it; GEOHASH, the cell of a
 * position. Null when any argument is, or where there is no such position.
 */
final class GeoNode extends ColumnNode {
    private static final byte[] DIGITS =
            "0123456789bcdefghjkmnpqrstuvwxyz".getBytes(java.nio.charset.StandardCharsets.US_ASCII);

    private final Function function;
    private final ColumnNode[] arguments;
    private final int characters;

    /** @param characters of a geohash, 1 to {@link ExpressionTypes#MOST_GEOHASH} */
    GeoNode(Function function, ColumnNode[] arguments, int characters) {
        super(function == Function.GEOHASH ? ValueType.STRING : ValueType.DOUBLE);
        this.function = function;
        this.arguments = arguments;
        this.characters = characters;
        for (int a = 0; a < arguments.length; a++) {
            ConstantNode.once(arguments[a]);
        }
    }

    private static boolean isPosition(double longitude, double latitude) {
        return Math.abs(longitude) <= 180 && Math.abs(latitude) <= 90;
    }

    @Override
    protected void compute(RowView view, int[] selected, int count) {
        for (ColumnNode argument : arguments) {
            argument.evaluate(view, selected, count);
        }
        boolean[] nulls = out.ownNulls(view);
        out.anyNull = true;
        boolean hash = function == Function.GEOHASH;
        long[] references = hash ? out.ownLongs(view) : new long[0];
        double[] metres = hash ? new double[0] : out.ownDoubles(view);
        byte[] written = hash ? out.ownBytes(view, Math.multiplyExact(count, characters)) : new byte[0];
        view.workspace().spend((hash ? 100L : 300L) * count);
        int filled = 0;
        for (int i = 0; i < count; i++) {
            int row = selected[i];
            nulls[row] = isNull(row);
            if (nulls[row]) {
                continue;
            }
            double longitude = ArithmeticNode.asDouble(arguments[0], row);
            double latitude = ArithmeticNode.asDouble(arguments[1], row);
            nulls[row] = !isPosition(longitude, latitude);
            if (hash && !nulls[row]) {
                hash(longitude, latitude, written, filled);
                references[row] = TupleBlock.reference(filled, characters);
                filled += characters;
            } else if (!nulls[row]) {
                double otherLongitude = ArithmeticNode.asDouble(arguments[2], row);
                double otherLatitude = ArithmeticNode.asDouble(arguments[3], row);
                nulls[row] = !isPosition(otherLongitude, otherLatitude);
                metres[row] = Circle.distance(longitude, latitude, otherLongitude, otherLatitude);
            }
        }
        for (ColumnNode argument : arguments) {
            argument.release(view);
        }
    }

    private boolean isNull(int row) {
        for (ColumnNode argument : arguments) {
            if (argument.values().isNull(row)) {
                return true;
            }
        }
        return false;
    }

    /** Halves longitude and latitude in turn; five halves are a character. */
    private void hash(double longitude, double latitude, byte[] into, int at) {
        double west = -180;
        double east = 180;
        double south = -90;
        double north = 90;
        boolean ofLongitude = true;
        for (int c = 0; c < characters; c++) {
            int digit = 0;
            for (int bit = 0; bit < 5; bit++) {
                digit <<= 1;
                if (ofLongitude) {
                    double middle = (west + east) / 2;
                    if (longitude >= middle) {
                        digit |= 1;
                        west = middle;
                    } else {
                        east = middle;
                    }
                } else {
                    double middle = (south + north) / 2;
                    if (latitude >= middle) {
                        digit |= 1;
                        south = middle;
                    } else {
                        north = middle;
                    }
                }
                ofLongitude = !ofLongitude;
            }
            into[at + c] = DIGITS[digit];
        }
    }
}
