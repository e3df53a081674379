package io.waterwheel.decode.typed;

import java.util.Locale;

/**
 * A schema of a registry.
 *
 * @param type as the registry calls it: {@code AVRO}, {@code PROTOBUF}, {@code JSON}
 * @param text the schema
 */
public record RegisteredSchema(String type, String text) {
    /** The text of a schema of a type; a schema of another type is refused. */
    public String require(String wanted) throws MalformedException {
        if (!type.equals(wanted)) {
            throw new MalformedException(
                    "is of type " + type.toLowerCase(Locale.ROOT) + ", not " + wanted.toLowerCase(Locale.ROOT));
        }
        return text;
    }
}
