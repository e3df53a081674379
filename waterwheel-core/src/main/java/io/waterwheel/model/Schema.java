package io.waterwheel.model;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The fields of a stream, and which of them make the key and the time. Never changed once a stream uses it. A part that
 * names a field that is missing or unfit is an {@link IllegalArgumentException} that says which.
 *
 * @param fields in the order of CSV columns and of answers; 1 to 256, names unique
 * @param key how the key is made
 * @param timeField name of the field of type timestamp that is the tuple's time; not nullable
 */
public record Schema(List<Field> fields, KeySpec key, String timeField) {
    /** Nullable fields are marked in one 64-bit mask a tuple. */
    static final int MAX_NULLABLE = 64;

    public Schema {
        fields = List.copyOf(fields);
        if (fields.isEmpty() || fields.size() > 256) {
            throw new IllegalArgumentException("schema: expected 1 to 256 fields, got " + fields.size());
        }
        Map<String, Field> byName = new HashMap<>();
        for (Field field : fields) {
            if (byName.put(field.name(), field) != null) {
                throw new IllegalArgumentException("schema: field '" + field.name() + "' is declared twice");
            }
        }
        if (fields.stream().filter(Field::nullable).count() > MAX_NULLABLE) {
            throw new IllegalArgumentException("schema: more than " + MAX_NULLABLE + " nullable fields");
        }
        require(byName, "time", timeField, FieldType.TIMESTAMP);
        if (key instanceof KeySpec.Ordered ordered) {
            require(byName, "key", ordered.field(), FieldType.LONG, FieldType.INT, FieldType.TIMESTAMP);
        } else if (key instanceof KeySpec.Position position) {
            require(byName, "key longitude", position.longitude(), FieldType.DOUBLE);
            require(byName, "key latitude", position.latitude(), FieldType.DOUBLE);
            Box domain = position.domain();
            if (domain.west() >= domain.east() || domain.south() == domain.north()) {
                throw new IllegalArgumentException(
                        "schema: the key's box must have an area and not go over the antimeridian");
            }
        }
    }

    private static void require(Map<String, Field> byName, String role, String name, FieldType... types) {
        Field field = byName.get(name);
        if (field == null) {
            throw new IllegalArgumentException("schema: the " + role + " field '" + name + "' is not declared");
        }
        if (!List.of(types).contains(field.type())) {
            throw new IllegalArgumentException("schema: the " + role + " field '" + name + "' must be of type "
                    + List.of(types) + ", it is " + field.type());
        }
        if (field.nullable()) {
            throw new IllegalArgumentException("schema: the " + role + " field '" + name + "' must not be nullable");
        }
    }

    /** Index of the field in {@link #fields()}, or -1. */
    public int indexOf(String name) {
        for (int i = 0; i < fields.size(); i++) {
            if (fields.get(i).name().equals(name)) {
                return i;
            }
        }
        return -1;
    }
}
