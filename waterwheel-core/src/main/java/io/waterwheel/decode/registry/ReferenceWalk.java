package io.waterwheel.decode.registry;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import io.waterwheel.decode.typed.RegisteredSchema;
import io.waterwheel.decode.typed.RegisteredSchema.Reference;
import java.io.IOException;
import java.net.URLEncoder;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a schema refers to, as it becomes known: the references of the schema, those of theirs, and so on, at most
 * {@link #MOST} of {@link #MOST_CHARACTERS} together. One with more, or whose references go round in a circle, becomes
 * a schema of a type that no stream reads, whose name says so. Not thread-safe.
 */
final class ReferenceWalk {
    static final int MOST = 200;
    private static final long MOST_CHARACTERS = 4L << 20;
    private static final int MOST_DEEP = 100;

    /** Where a registry keeps what is referred to, and by which name. */
    record Place(String name, String subject, int version) {
        String path() {
            return "/subjects/" + URLEncoder.encode(subject, UTF_8).replace("+", "%20") + "/versions/" + version
                    // Records outlive a subject that is deleted, and so does what they refer to.
                    + "?deleted=true";
        }

        String describe() {
            return "what it refers to as " + SchemaRegistry.shown(name) + ", version " + version + " of subject "
                    + SchemaRegistry.shown(subject) + ",";
        }
    }

    private record Found(String text, List<Place> references) {}

    private final String type;
    private final String text;
    private final List<Place> references;
    private final Map<Place, Found> found = new LinkedHashMap<>();
    private final Deque<Place> open = new ArrayDeque<>();
    private final Set<Place> seen = new HashSet<>();
    private long characters;
    private String trouble = "";

    /**
     * Begins.
     *
     * @param schema the registry's answer, with a text
     * @throws IOException when its references cannot be understood
     */
    ReferenceWalk(JsonNode schema) throws IOException {
        this.type = schema.path("schemaType").asText("AVRO");
        this.text = schema.path("schema").asText();
        this.references = references(schema);
        add(references);
    }

    private static List<Place> references(JsonNode schema) throws IOException {
        List<Place> places = new ArrayList<>();
        for (JsonNode one : schema.path("references")) {
            JsonNode version = one.path("version");
            if (!one.path("name").isTextual()
                    || !one.path("subject").isTextual()
                    || !version.isIntegralNumber()
                    || !version.canConvertToInt()) {
                throw new IOException("a reference without name, subject and version");
            }
            places.add(
                    new Place(one.path("name").textValue(), one.path("subject").textValue(), version.intValue()));
        }
        return places;
    }

    private void add(List<Place> places) {
        for (Place place : places) {
            if (seen.size() >= MOST) {
                trouble = " with more than " + MOST + " references";
                open.clear();
                return;
            }
            if (seen.add(place)) {
                open.add(place);
            }
        }
    }

    /** What to ask for next; null when all is known. */
    @Nullable
    Place next() {
        return trouble.isEmpty() ? open.poll() : null;
    }

    /**
     * Takes what a place has.
     *
     * @throws IOException when it cannot be understood
     */
    void found(Place place, JsonNode answer) throws IOException {
        JsonNode theirs = answer.path("schema");
        if (!theirs.isTextual()) {
            throw new IOException("it has no member 'schema'");
        }
        characters += theirs.textValue().length();
        if (characters > MOST_CHARACTERS) {
            trouble = " with references of more than " + MOST_CHARACTERS + " characters";
        }
        Found here = new Found(theirs.textValue(), references(answer));
        found.put(place, here);
        add(here.references);
    }

    /** The schema with all that it refers to. */
    RegisteredSchema whole() {
        Map<Place, Reference> ordered = new LinkedHashMap<>();
        if (trouble.isEmpty()) {
            Set<Place> within = new HashSet<>();
            references.forEach(place -> order(place, within, ordered));
        }
        return trouble.isEmpty()
                ? new RegisteredSchema(type, text, List.copyOf(ordered.values()))
                : new RegisteredSchema(type + trouble, text);
    }

    /** Each behind those that it refers to. */
    private void order(Place place, Set<Place> within, Map<Place, Reference> ordered) {
        if (ordered.containsKey(place)) {
            return;
        }
        if (within.size() >= MOST_DEEP) {
            trouble = " with references that are more than " + MOST_DEEP + " deep";
            return;
        }
        if (!within.add(place)) {
            trouble = " with references that go round in a circle";
            return;
        }
        Found here = found.get(place);
        if (here != null) {
            here.references.forEach(other -> order(other, within, ordered));
            // Of several by one name the first is meant.
            if (ordered.keySet().stream().noneMatch(other -> other.name().equals(place.name()))) {
                ordered.put(place, new Reference(place.name(), here.text));
            }
        }
        within.remove(place);
    }
}
