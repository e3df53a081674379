package io.waterwheel.query;

import org.jspecify.annotations.Nullable;

/**
 * Values of a field from low to high, both included, as text: numbers in decimals, timestamps as they are counted or in
 * ISO 8601 with a zone, addresses with dots or colons, UUIDs with hyphens, bytes in base64. Without a name the field is
 * that of the key; of a stream whose key is made of several fields, the values are numbers of keys then.
 *
 * @param field whose values they are, or null for the key
 * @param low least value, or null for all up to high
 * @param high greatest value, or null for all from low on
 */
public record KeyRange(
        @Nullable String field,
        @Nullable String low,
        @Nullable String high) {
    public KeyRange {
        if (field != null && low == null && high == null) {
            throw new IllegalArgumentException("range of '" + field + "': expected one bound at least");
        }
    }

    /** Values of the key. */
    public KeyRange(@Nullable String low, @Nullable String high) {
        this(null, low, high);
    }

    /** One value of the key. */
    public static KeyRange of(String value) {
        return new KeyRange(value, value);
    }
}
