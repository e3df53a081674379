package io.waterwheel.wire;

import io.waterwheel.schema.FieldType;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The type of a field that travels as 16 bytes, in the metadata of its Arrow field. The key is one of our own: Arrow's
 * for extensions ({@code ARROW:extension:name}) makes its Java library log a line for each answer. Stateless.
 */
public final class TypeMetadata {
    private static final String KEY = "waterwheel.type";

    private TypeMetadata() {}

    /** The metadata of a field of the type; empty for one that Arrow has by itself. */
    public static Map<String, String> of(FieldType type) {
        return type.hasSixteenBytes() ? Map.of(KEY, type.schemaName()) : Map.of();
    }

    /** The type that a field of 16 bytes with this metadata is of; null when it is of none that is known. */
    public static @Nullable FieldType sixteen(Map<String, String> metadata) {
        String name = metadata.get(KEY);
        FieldType type = name == null ? null : FieldType.named(name);
        return type != null && type.hasSixteenBytes() ? type : null;
    }
}
