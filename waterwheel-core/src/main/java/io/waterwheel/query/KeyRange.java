package io.waterwheel.query;

import org.jspecify.annotations.Nullable;

/**
 * Values of the key field from low to high, both included, as text: numbers in decimals, timestamps as they are counted
 * or in ISO 8601 with a zone, addresses with dots or colons, UUIDs with hyphens, bytes in base64. Of a stream whose key
 * is a position, its z-order codes.
 *
 * @param low least value, or null for all up to high
 * @param high greatest value, or null for all from low on
 */
public record KeyRange(@Nullable String low, @Nullable String high) {
    /** One value. */
    public static KeyRange of(String value) {
        return new KeyRange(value, value);
    }
}
