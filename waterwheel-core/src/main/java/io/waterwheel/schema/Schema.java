package io.waterwheel.schema;

import io.waterwheel.geo.Box;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The fields of a stream, and which of them make the key and the time. Never changed once a stream uses it. A part that
 * names a field that is missing or unfit is an {@link IllegalArgumentException} that says which.
 *
 * @param fields in the order of CSV columns and of answers; 1 to 256, names unique
 * @param key how the key is made
 * @param timeField name of the field of a timestamp type that is the tuple's time; not nullable
 */
public record Schema(List<Field> fields, KeySpec key, String timeField) {
    /** Nullable fields are marked in one 64-bit mask a tuple. */
    static final int MAX_NULLABLE = 64;

    static final int MAX_FIELDS = 256;
    /** Types that a field may have for a role. */
    static final Set<FieldType> TIMES = EnumSet.of(FieldType.TIMESTAMP, FieldType.TIMESTAMP_US, FieldType.TIMESTAMP_NS);

    static final Set<FieldType> DEGREES = EnumSet.of(FieldType.DOUBLE);
    static final Set<FieldType> ANY = EnumSet.allOf(FieldType.class);

    public Schema {
        fields = List.copyOf(fields);
        if (fields.isEmpty() || fields.size() > MAX_FIELDS) {
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
        refuse(roleProblem("time", timeField, byName.get(timeField), TIMES));
        if (key instanceof KeySpec.Ordered ordered) {
            refuse(roleProblem("key", ordered.field(), byName.get(ordered.field()), ANY));
        } else if (key instanceof KeySpec.Position position) {
            refuse(roleProblem("longitude", position.longitude(), byName.get(position.longitude()), DEGREES));
            refuse(roleProblem("latitude", position.latitude(), byName.get(position.latitude()), DEGREES));
            refuse(domainProblem(position.domain()));
        }
    }

    private static void refuse(@Nullable String problem) {
        if (problem != null) {
            throw new IllegalArgumentException("schema: " + problem);
        }
    }

    /** What is wrong with a field for a role, or null. */
    static @Nullable String roleProblem(String role, String name, @Nullable Field field, Set<FieldType> types) {
        if (field == null) {
            return "the " + role + " field '" + name + "' is not declared";
        }
        if (!types.contains(field.type())) {
            return "the " + role + " field '" + name + "' must be of type "
                    + String.join(
                            " or ", types.stream().map(FieldType::schemaName).toList()) + ", it is of type "
                    + field.type().schemaName();
        }
        return field.nullable() ? "the " + role + " field '" + name + "' must not be nullable" : null;
    }

    /** What is wrong with the domain of a position key, or null. */
    static @Nullable String domainProblem(Box domain) {
        return domain.west() >= domain.east() || domain.south() == domain.north()
                ? "the key's box must have an area and not go over the antimeridian"
                : null;
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
