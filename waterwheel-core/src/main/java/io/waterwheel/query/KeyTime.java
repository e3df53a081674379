package io.waterwheel.query;

import java.time.Instant;

/**
 * A key and a moment: what a lookup asks for.
 *
 * @param key a value of the key field, as {@link KeyRange} writes it
 * @param time to the nanosecond
 */
public record KeyTime(String key, Instant time) {}
