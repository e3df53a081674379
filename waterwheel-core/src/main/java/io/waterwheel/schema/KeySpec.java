package io.waterwheel.schema;

import io.waterwheel.geo.Box;
import io.waterwheel.schema.Document.Node;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A kind of key as a stream's definition says it: which fields make the key, and with what parameters. How keys are
 * made, narrowed and shown says {@code io.waterwheel.key.KeyScheme}; {@link KeyForms} lists how each kind is written.
 */
public sealed interface KeySpec {
    /**
     * A field that takes part in the key.
     *
     * @param name of the part it plays, for messages
     * @param field the field's name
     * @param types that the field may have
     */
    record Role(String name, String field, Set<FieldType> types) {}

    /** The fields that make the key. */
    List<Role> roles();

    /** What is wrong with the parameters, or null. */
    default @Nullable String problem() {
        return null;
    }

    /** The field that alone makes the key, whose order the key keeps; null when there is no such field. */
    default @Nullable String onlyField() {
        return null;
    }

    /** The members of the definition's object {@code key}, in order; values are texts and lists of doubles. */
    Map<String, Object> members();

    /**
     * The key is made of the value of one field, of any type, and keeps its order (see
     * {@code io.waterwheel.key.KeyCodec}).
     *
     * @param field the field's name; not nullable
     */
    record Ordered(String field) implements KeySpec {
        static final KeyForms.Form FORM = new KeyForms.Form(List.of("field"), "{field: NAME}", Ordered::read);

        private static @Nullable KeySpec read(Members members) {
            String field = members.text("field");
            return field.isEmpty() ? null : new Ordered(field);
        }

        @Override
        public List<Role> roles() {
            return List.of(new Role("key", field, Schema.ANY));
        }

        @Override
        public String onlyField() {
            return field;
        }

        @Override
        public Map<String, Object> members() {
            return Map.of("field", field);
        }
    }

    /**
     * The key is the z-order code of a position, 31 bits a dimension (see {@code io.waterwheel.key.ZOrder}).
     *
     * @param longitude name of a double field, degrees
     * @param latitude name of a double field, degrees
     * @param domain the box every position must lie in; a tuple outside it is rejected
     */
    record Position(String longitude, String latitude, Box domain) implements KeySpec {
        static final KeyForms.Form FORM = new KeyForms.Form(
                List.of("longitude", "latitude", "box"), "{longitude: NAME, latitude: NAME}", Position::read);

        private static @Nullable KeySpec read(Members members) {
            String longitude = members.text("longitude");
            String latitude = members.text("latitude");
            Box domain = members.has("box") ? box(members) : Box.WORLD;
            return longitude.isEmpty() || latitude.isEmpty() || domain == null
                    ? null
                    : new Position(longitude, latitude, domain);
        }

        private static @Nullable Box box(Members members) {
            Node node = members.get("box");
            if (node == null || node.items() == null || node.items().size() != 4) {
                members.error(
                        "box",
                        "box: expected [LON1, LAT1, LON2, LAT2], got " + (node == null ? "nothing" : node.describe()));
                return null;
            }
            double[] bounds = new double[4];
            for (int i = 0; i < 4; i++) {
                Node bound = node.items().get(i);
                String text = bound.scalar();
                try {
                    bounds[i] = Double.parseDouble(text == null ? "" : text);
                } catch (NumberFormatException e) {
                    members.error("box", "box: expected a number of degrees, got " + bound.describe());
                    return null;
                }
            }
            try {
                return new Box(bounds[0], bounds[1], bounds[2], bounds[3]);
            } catch (IllegalArgumentException e) {
                members.error("box", String.valueOf(e.getMessage()));
                return null;
            }
        }

        @Override
        public List<Role> roles() {
            return List.of(
                    new Role("longitude", longitude, Schema.DEGREES), new Role("latitude", latitude, Schema.DEGREES));
        }

        @Override
        public @Nullable String problem() {
            return domain.west() >= domain.east() || domain.south() == domain.north()
                    ? "the key's box must have an area and not go over the antimeridian"
                    : null;
        }

        @Override
        public Map<String, Object> members() {
            Map<String, Object> members = new LinkedHashMap<>();
            members.put("longitude", longitude);
            members.put("latitude", latitude);
            members.put("box", List.of(domain.west(), domain.south(), domain.east(), domain.north()));
            return members;
        }
    }
}
