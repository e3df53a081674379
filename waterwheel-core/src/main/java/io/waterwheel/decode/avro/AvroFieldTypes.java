package io.waterwheel.decode.avro;

import io.waterwheel.schema.FieldType;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Which type of field holds all that the values of a schema can be, by the path of the value, such as
 * {@code $.position.lat}. What a text, a day or a time of day becomes is left to the values, and so are the branches of
 * a union that has several. Pure functions.
 */
public final class AvroFieldTypes {
    /** Records within each other that are looked into: one may hold itself. */
    private static final int MOST_DEEP = 16;

    /** Places that are looked at, whether a type is told of them or not. */
    private static final int MOST_PLACES = 2_000;

    /** Elements of an array that may be fields of their own. */
    private static final int MOST_ELEMENTS = 8;

    private final Map<String, FieldType> types = new HashMap<>();
    private int places;

    private AvroFieldTypes() {}

    /** The types, by path. */
    public static Map<String, FieldType> of(AvroType record) {
        AvroFieldTypes all = new AvroFieldTypes();
        all.walk(record, "$", 0);
        return all.types;
    }

    private void walk(AvroType type, String path, int depth) {
        if (depth > MOST_DEEP || ++places > MOST_PLACES) {
            return;
        }
        switch (type.kind) {
            case RECORD -> {
                for (AvroType.Member member : type.members) {
                    walk(member.type(), path + "." + member.name(), depth + 1);
                }
            }
            case ARRAY -> {
                for (int i = 0; i < MOST_ELEMENTS && places < MOST_PLACES; i++) {
                    walk(type.parts.get(0), path + "[" + i + "]", depth + 1);
                }
            }
            case UNION -> {
                AvroType only = only(type);
                if (only != null) {
                    walk(only, path, depth + 1);
                }
            }
            default -> {
                FieldType field = field(type);
                if (field != null) {
                    types.put(path, field);
                }
            }
        }
    }

    /** The branch of a union beside null; null where there are several. */
    private static @Nullable AvroType only(AvroType union) {
        AvroType only = null;
        for (AvroType part : union.parts) {
            if (part.kind != AvroType.Kind.NULL) {
                if (only != null) {
                    return null;
                }
                only = part;
            }
        }
        return only;
    }

    private static @Nullable FieldType field(AvroType type) {
        return switch (type.logical) {
            case TIMESTAMP_MILLIS, LOCAL_TIMESTAMP_MILLIS -> FieldType.TIMESTAMP;
            case TIMESTAMP_MICROS, LOCAL_TIMESTAMP_MICROS -> FieldType.TIMESTAMP_US;
            case TIMESTAMP_NANOS, LOCAL_TIMESTAMP_NANOS -> FieldType.TIMESTAMP_NS;
            case DECIMAL -> decimal(type);
            case UUID, DATE, TIME_MILLIS, TIME_MICROS -> null;
            case NONE ->
                switch (type.kind) {
                    case BOOLEAN -> FieldType.BOOLEAN;
                    case INT -> FieldType.INT;
                    case LONG -> FieldType.LONG;
                    case FLOAT, DOUBLE -> FieldType.DOUBLE;
                    case BYTES, FIXED -> FieldType.BYTES;
                    case ENUM -> FieldType.STRING;
                    default -> null;
                };
        };
    }

    /** A text, with all digits, where there are more than a field of decimals has. */
    private static FieldType decimal(AvroType type) {
        try {
            return FieldType.decimal(type.precision, type.scale);
        } catch (IllegalArgumentException e) {
            return FieldType.STRING;
        }
    }
}
