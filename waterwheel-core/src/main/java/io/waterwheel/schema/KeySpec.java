package io.waterwheel.schema;

import io.waterwheel.geo.Box;

/** How a tuple's key is made from its fields. The key keeps the order of the field, or the z-order of a position. */
public sealed interface KeySpec {
    /**
     * The key is made of the value of one field, of any type, and keeps its order (see
     * {@code io.waterwheel.key.KeyCodec}).
     *
     * @param field the field's name; not nullable
     */
    record Ordered(String field) implements KeySpec {}

    /**
     * The key is the z-order code of a position, 31 bits a dimension (see {@code io.waterwheel.key.ZOrder}).
     *
     * @param longitude name of a double field, degrees
     * @param latitude name of a double field, degrees
     * @param domain the box every position must lie in; a tuple outside it is rejected
     */
    record Position(String longitude, String latitude, Box domain) implements KeySpec {}
}
