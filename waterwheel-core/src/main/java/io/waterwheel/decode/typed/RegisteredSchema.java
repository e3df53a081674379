package io.waterwheel.decode.typed;

import java.util.List;
import java.util.Locale;

/**
 * A schema of a registry.
 *
 * @param type as the registry calls it: {@code AVRO}, {@code PROTOBUF}, {@code JSON}
 * @param text the schema
 * @param references what it refers to, directly or not, each behind those that it refers to itself
 */
public record RegisteredSchema(String type, String text, List<Reference> references) {
    /**
     * A schema that another refers to.
     *
     * @param name by which the other does: of Avro a type, of Protocol Buffers a file
     * @param text the schema
     */
    public record Reference(String name, String text) {}

    public RegisteredSchema {
        references = List.copyOf(references);
    }

    /** One that refers to no other. */
    public RegisteredSchema(String type, String text) {
        this(type, text, List.of());
    }

    /** The text of a schema of a type; a schema of another type is refused. */
    public String require(String wanted) throws MalformedException {
        if (!type.equals(wanted)) {
            throw new MalformedException(
                    "is of type " + type.toLowerCase(Locale.ROOT) + ", not " + wanted.toLowerCase(Locale.ROOT));
        }
        return text;
    }

    /** Characters of all of it. */
    public long characters() {
        return text.length()
                + references.stream()
                        .mapToLong(reference -> (long) reference.name().length()
                                + reference.text().length())
                        .sum();
    }
}
