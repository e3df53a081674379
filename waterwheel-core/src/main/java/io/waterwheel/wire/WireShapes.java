package io.waterwheel.wire;

import io.waterwheel.geo.Box;
import io.waterwheel.geo.Circle;
import io.waterwheel.geo.Polygon;
import io.waterwheel.geo.Shape;

/** Shapes as messages. */
final class WireShapes {
    private WireShapes() {}

    static io.waterwheel.wire.proto.Shape toMessage(Shape shape) {
        io.waterwheel.wire.proto.Shape.Builder message = io.waterwheel.wire.proto.Shape.newBuilder();
        if (shape instanceof Box box) {
            message.setBox(io.waterwheel.wire.proto.Box.newBuilder()
                    .setWest(box.west())
                    .setSouth(box.south())
                    .setEast(box.east())
                    .setNorth(box.north()));
        } else if (shape instanceof Circle circle) {
            message.setCircle(io.waterwheel.wire.proto.Circle.newBuilder()
                    .setLongitude(circle.longitude())
                    .setLatitude(circle.latitude())
                    .setMetres(circle.metres()));
        } else if (shape instanceof Polygon polygon) {
            message.setPolygon(polygon.wkt());
        }
        return message.build();
    }

    /** Reads a shape; one that cannot be is an {@link IllegalArgumentException}. */
    static Shape fromMessage(io.waterwheel.wire.proto.Shape message) {
        return switch (message.getKindCase()) {
            case BOX ->
                new Box(
                        message.getBox().getWest(),
                        message.getBox().getSouth(),
                        message.getBox().getEast(),
                        message.getBox().getNorth());
            case CIRCLE ->
                new Circle(
                        message.getCircle().getLongitude(),
                        message.getCircle().getLatitude(),
                        message.getCircle().getMetres());
            case POLYGON -> new Polygon(message.getPolygon());
            case KIND_NOT_SET -> throw new IllegalArgumentException("shape: expected a box, a circle or a polygon");
        };
    }
}
