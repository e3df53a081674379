package io.waterwheel.sql.residual;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.geo.Box;
import io.waterwheel.geo.Polygon;
import io.waterwheel.key.Area;
import io.waterwheel.sql.leaf.NotPushed;
import io.waterwheel.sql.leaf.SpatialCall;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.type.SqlTypeName;
import org.jspecify.annotations.Nullable;

/**
 * Calls on positions and shapes as DuckDB's text. They become functions that DuckDB's process adds to DuckDB, which
 * have the engine's own geometry. A shape is a text there.
 */
final class ResidualShapes {
    private final ResidualExpressions expressions;
    private final ResidualRegions regions;
    private final RexBuilder rex;

    ResidualShapes(ResidualExpressions expressions, ResidualRegions regions, RexBuilder rex) {
        this.expressions = expressions;
        this.regions = regions;
        this.rex = rex;
    }

    /** The call; null for one that has nothing to do with shapes. */
    @Nullable
    String of(RexCall call) throws NotPushed {
        List<SpatialCall.Position> apart = SpatialCall.distance(call, rex);
        if (apart != null) {
            return distance(apart.get(0), apart.get(1));
        }
        RexNode shown = SpatialCall.shownAsText(call);
        if (shown != null) {
            return text(shown);
        }
        SpatialCall.Holds holds = SpatialCall.holds(call, rex);
        if (holds != null) {
            return holds(holds);
        }
        return call.getType().getSqlTypeName() == SqlTypeName.GEOMETRY ? carried(call) : null;
    }

    /** A position or a shape as a column. */
    private String carried(RexCall call) throws NotPushed {
        SpatialCall.Position position = SpatialCall.position(call, rex);
        return position != null ? "ww_position(" + position(position) + ")" : shape(SpatialCall.region(call, rex));
    }

    /** The engine's function of a longitude, a latitude and a written polygon. */
    String inPolygon(List<RexNode> operands) throws NotPushed {
        if (SpatialCall.written(operands.get(2)) == null) {
            throw new NotPushed("IN_POLYGON of a polygon that is not written; ST_Within takes one that is computed");
        }
        return holds(new SpatialCall.Holds(
                new SpatialCall.Position(operands.get(0), operands.get(1)), new SpatialCall.Written(operands.get(2))));
    }

    private String holds(SpatialCall.Holds holds) throws NotPushed {
        if (holds.region() instanceof SpatialCall.Around around) {
            return "(" + distance(holds.position(), around.centre()) + " <= " + number(around.metres()) + ")";
        }
        String shape = shape(holds.region());
        if (isWritten(holds.region())) {
            requireShape(holds.region());
            return "ww_holds(" + ResidualRegions.id(regions.one(shape)) + ", " + position(holds.position()) + ")";
        }
        return "ww_inside(" + position(holds.position()) + ", " + shape + ")";
    }

    /** Whether it is made of literals that are not null. */
    private static boolean isWritten(SpatialCall.Region region) {
        List<RexNode> parts = region instanceof SpatialCall.Envelope envelope
                ? envelope.bounds()
                : region instanceof SpatialCall.Written text ? List.of(text.text()) : List.of();
        return !parts.isEmpty()
                && parts.stream().allMatch(part -> part instanceof RexLiteral literal && !literal.isNull());
    }

    /** What is written is checked before anything is read. */
    private static void requireShape(SpatialCall.Region region) {
        try {
            if (region instanceof SpatialCall.Envelope envelope) {
                double[] bounds = envelope.bounds().stream()
                        .mapToDouble(bound -> ((RexLiteral) bound).getValueAs(Double.class))
                        .toArray();
                Box unused = new Box(bounds[0], bounds[1], bounds[2], bounds[3]);
            } else if (region instanceof SpatialCall.Written written) {
                Area unused = Area.of(new Polygon(String.valueOf(SpatialCall.written(written.text()))));
            }
        } catch (IllegalArgumentException e) {
            throw new WaterwheelException(ErrorCode.SQL_VALUE, "statement: " + e.getMessage(), e);
        }
    }

    private String distance(SpatialCall.Position one, SpatialCall.Position other) throws NotPushed {
        return "ww_distance(" + position(one) + ", " + position(other) + ")";
    }

    /** Longitude and latitude, with a comma between. */
    String position(SpatialCall.Position position) throws NotPushed {
        if (SpatialCall.isCarried(position.longitude())) {
            String text = expressions.of(position.longitude());
            return "ww_longitude(" + text + "), ww_latitude(" + text + ")";
        }
        return number(position.longitude()) + ", " + number(position.latitude());
    }

    private String number(RexNode node) throws NotPushed {
        return ResidualExpressions.cast(expressions.number(node), "DOUBLE");
    }

    /** The text of a region. */
    String shape(SpatialCall.Region region) throws NotPushed {
        if (region instanceof SpatialCall.Envelope envelope) {
            return "ww_box(" + numbers(envelope) + ")";
        } else if (region instanceof SpatialCall.Around around) {
            return "ww_circle(" + position(around.centre()) + ", " + number(around.metres()) + ")";
        }
        return text((SpatialCall.Written) region);
    }

    private String numbers(SpatialCall.Envelope envelope) throws NotPushed {
        List<String> numbers = new ArrayList<>();
        for (RexNode bound : envelope.bounds()) {
            numbers.add(number(bound));
        }
        return String.join(", ", numbers);
    }

    private String text(SpatialCall.Written written) throws NotPushed {
        SqlTypeName type = written.text().getType().getSqlTypeName();
        if (type != SqlTypeName.GEOMETRY
                && type != SqlTypeName.VARCHAR
                && type != SqlTypeName.CHAR
                && type != SqlTypeName.NULL) {
            throw new NotPushed("ST_GEOMFROMTEXT of " + written.text().getType());
        }
        return expressions.of(written.text());
    }

    private String text(RexNode shape) throws NotPushed {
        if (SpatialCall.isCarried(shape)) {
            throw new NotPushed("ST_ASTEXT of a column of a sub-query; write it in there");
        }
        SpatialCall.Position position = SpatialCall.position(shape, rex);
        if (position != null) {
            return "ww_point(" + position(position) + ")";
        }
        SpatialCall.Region region = SpatialCall.region(shape, rex);
        if (region instanceof SpatialCall.Envelope envelope) {
            return "ww_envelope(" + numbers(envelope) + ")";
        } else if (region instanceof SpatialCall.Written written) {
            return text(written);
        }
        throw new NotPushed("ST_ASTEXT of a circle, which is no polygon");
    }
}
