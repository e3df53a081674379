package io.waterwheel.sql.leaf;

import java.math.BigDecimal;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.type.SqlTypeName;
import org.jspecify.annotations.Nullable;

/**
 * Calls on positions and shapes, read: which position is to lie in which region. {@code ST_Within},
 * {@code ST_Contains}, {@code ST_Intersects} and {@code ST_DWithin} all say so of one position and one region.
 */
public final class SpatialCall {
    private static final String NUMBER = "([-+]?[0-9.]+(?:[eE][-+]?[0-9]+)?)";
    private static final Pattern POINT = Pattern.compile(
            "\\s*POINT\\s*\\(\\s*" + NUMBER + "\\s+" + NUMBER + "\\s*\\)\\s*", Pattern.CASE_INSENSITIVE);
    private static final List<String> HOLDS =
            List.of(EngineFunctions.WITHIN, EngineFunctions.CONTAINS, EngineFunctions.INTERSECTS, EngineFunctions.NEAR);

    private SpatialCall() {}

    /**
     * A position, in degrees. One that is a column, of type GEOMETRY, is both the longitude and the latitude.
     *
     * @see #isCarried
     */
    public record Position(RexNode longitude, RexNode latitude) {}

    /** Whether it is a column that holds a position or a shape: of a sub-query, or made while planning. */
    public static boolean isCarried(RexNode node) {
        return node instanceof RexInputRef && node.getType().getSqlTypeName() == SqlTypeName.GEOMETRY;
    }

    /** A part of the globe. */
    public sealed interface Region {}

    /** West, south, east and north. */
    public record Envelope(List<RexNode> bounds) implements Region {}

    /** The polygon of a well-known text. */
    public record Written(RexNode text) implements Region {}

    /** The positions at most so far from a centre. */
    public record Around(Position centre, RexNode metres) implements Region {}

    /** Whether a position lies in a region. */
    public record Holds(Position position, Region region) {}

    private static @Nullable RexCall named(RexNode node, String name) {
        return node instanceof RexCall call && call.getOperator().getName().equals(name) ? call : null;
    }

    /** Whether it is a condition on positions. */
    static boolean is(RexNode node) {
        return node instanceof RexCall call && HOLDS.contains(call.getOperator().getName());
    }

    /**
     * What a condition on positions says; null for any other expression.
     *
     * @throws NotPushed for one that is not of a position and a region
     */
    public static @Nullable Holds holds(RexNode node, RexBuilder rex) throws NotPushed {
        if (!is(node)) {
            return null;
        }
        RexCall call = (RexCall) node;
        String name = call.getOperator().getName();
        RexNode first = call.getOperands().get(0);
        RexNode second = call.getOperands().get(1);
        boolean contains = name.equals(EngineFunctions.CONTAINS);
        boolean within = name.equals(EngineFunctions.WITHIN);
        // A column is what its place says that it is.
        if (within && isCarried(first)) {
            return new Holds(new Position(first, first), region(second, rex));
        } else if (contains && isCarried(second)) {
            return new Holds(new Position(second, second), region(first, rex));
        }
        Position position = place(first, rex);
        if (name.equals(EngineFunctions.NEAR)) {
            Position centre = place(second, rex);
            if (position == null || centre == null) {
                throw new NotPushed("a shape here; expected ST_Point(lon, lat)");
            }
            return new Holds(position, new Around(centre, call.getOperands().get(2)));
        }
        position = position(first, rex);
        Position other = position(second, rex);
        if (position == null && other == null && isCarried(first) != isCarried(second)) {
            position = isCarried(first) ? new Position(first, first) : null;
            other = isCarried(second) ? new Position(second, second) : null;
        }
        if ((contains && position != null) || (within && position == null)) {
            throw new NotPushed(name + " of a shape in a point; write ST_Within(ST_Point(lon, lat), SHAPE)");
        } else if (position != null && other != null) {
            throw new NotPushed(name + " of two points; write ST_DWithin");
        }
        Position inside = position == null ? other : position;
        if (inside == null) {
            throw new NotPushed(name + " of two shapes; one side is to be ST_Point(lon, lat)");
        }
        return new Holds(inside, region(position == null ? first : second, rex));
    }

    /** As {@link #holds}; also of a distance that is at most a number of metres. */
    public static @Nullable Holds near(RexNode node, RexBuilder rex) throws NotPushed {
        boolean most = node.getKind() == SqlKind.LESS_THAN_OR_EQUAL;
        if (most || node.getKind() == SqlKind.GREATER_THAN_OR_EQUAL) {
            List<RexNode> operands = ((RexCall) node).getOperands();
            List<Position> apart = distance(operands.get(most ? 0 : 1), rex);
            RexNode metres = operands.get(most ? 1 : 0);
            return apart == null ? null : new Holds(apart.get(0), new Around(apart.get(1), metres));
        }
        return holds(node, rex);
    }

    /** The two positions of an {@code ST_Distance}; null for any other expression. */
    public static @Nullable List<Position> distance(RexNode node, RexBuilder rex) throws NotPushed {
        RexCall call = named(node, EngineFunctions.METRES);
        if (call == null) {
            return null;
        }
        Position one = place(call.getOperands().get(0), rex);
        Position other = place(call.getOperands().get(1), rex);
        if (one == null || other == null) {
            throw new NotPushed("ST_DISTANCE of a shape; expected two points");
        }
        return List.of(one, other);
    }

    /** The position that an expression is; null for another. */
    public static @Nullable Position position(RexNode node, RexBuilder rex) {
        RexCall point = named(node, EngineFunctions.POINT);
        if (point != null) {
            return new Position(point.getOperands().get(0), point.getOperands().get(1));
        }
        RexCall text = named(node, EngineFunctions.FROM_TEXT);
        String written = text == null ? null : written(text.getOperands().get(0));
        Matcher matcher = written == null ? null : POINT.matcher(written);
        return matcher != null && matcher.matches()
                ? new Position(literal(matcher.group(1), rex), literal(matcher.group(2), rex))
                : null;
    }

    /** The position that an expression is where it can be nothing else; null for a shape. */
    private static @Nullable Position place(RexNode node, RexBuilder rex) {
        return isCarried(node) ? new Position(node, node) : position(node, rex);
    }

    private static RexNode literal(String number, RexBuilder rex) {
        return rex.makeApproxLiteral(
                new BigDecimal(number), rex.getTypeFactory().createSqlType(SqlTypeName.DOUBLE));
    }

    /** The text of a literal, or null. */
    public static @Nullable String written(RexNode node) {
        return node instanceof RexLiteral literal
                        && !literal.isNull()
                        && SqlTypeName.CHAR_TYPES.contains(literal.getTypeName())
                ? literal.getValueAs(String.class)
                : null;
    }

    /** The region that an expression is. */
    public static Region region(RexNode node, RexBuilder rex) throws NotPushed {
        RexCall envelope = named(node, EngineFunctions.ENVELOPE);
        RexCall text = named(node, EngineFunctions.FROM_TEXT);
        RexCall buffer = named(node, EngineFunctions.BUFFER);
        if (envelope != null) {
            return new Envelope(envelope.getOperands().subList(0, 4));
        } else if (text != null) {
            return new Written(text.getOperands().get(0));
        } else if (isCarried(node)) {
            return new Written(node);
        } else if (buffer != null) {
            Position centre = place(buffer.getOperands().get(0), rex);
            if (centre != null) {
                return new Around(centre, buffer.getOperands().get(1));
            }
            throw new NotPushed("ST_BUFFER around a shape; expected ST_Buffer(ST_Point(lon, lat), METRES)");
        }
        throw new NotPushed("this shape; expected ST_MakeEnvelope(lon, lat, lon, lat),"
                + " ST_Buffer(ST_Point(lon, lat), METRES) or ST_GeomFromText('POLYGON ...')");
    }

    /** What {@code ST_AsText} is of; null for any other expression. */
    public static @Nullable RexNode shownAsText(RexNode node) {
        RexCall call = named(node, EngineFunctions.AS_TEXT);
        return call == null ? null : call.getOperands().get(0);
    }
}
