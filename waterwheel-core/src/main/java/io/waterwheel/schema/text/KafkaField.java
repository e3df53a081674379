package io.waterwheel.schema.text;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What Kafka has of a record beside its value, as {@code from} of a field names it: {@code kafka.key},
 * {@code kafka.timestamp}, {@code kafka.partition}, {@code kafka.offset} or {@code kafka.headers.NAME}.
 *
 * @param part which of them
 * @param header its name, of a header; else empty
 */
public record KafkaField(Part part, String header) {
    /** Begins the name of each. */
    public static final String PREFIX = "kafka.";

    private static final String HEADERS = "headers.";

    /** Parts of a record. */
    public enum Part {
        KEY,
        /** Milliseconds since 1970 UTC, of the producer or the broker, as the topic is set up. */
        TIMESTAMP,
        PARTITION,
        /** In the topic's log as it is now. */
        OFFSET,
        /** The last of its name. */
        HEADER
    }

    /**
     * What a source of a field stands for; null when that is a part of the record's value.
     *
     * @throws IllegalArgumentException when it begins as these do, and is none
     */
    public static @Nullable KafkaField of(String source) {
        if (!source.startsWith(PREFIX)) {
            return null;
        }
        String name = source.substring(PREFIX.length());
        if (name.startsWith(HEADERS) && name.length() > HEADERS.length()) {
            return new KafkaField(Part.HEADER, name.substring(HEADERS.length()));
        }
        for (Part part : Part.values()) {
            if (part != Part.HEADER && name.equals(part.name().toLowerCase(Locale.ROOT))) {
                return new KafkaField(part, "");
            }
        }
        throw new IllegalArgumentException("expected kafka.key, kafka.timestamp, kafka.partition, kafka.offset or"
                + " kafka.headers.NAME, got '" + source + "'; a member of that name is $['" + source + "']");
    }
}
