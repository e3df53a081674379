package io.waterwheel.query;

/**
 * A field that rows are ordered by. Null comes before all values, last when descending; of doubles, -0.0 equals 0.0 and
 * NaN comes after all numbers; text and bytes go by their bytes.
 */
public record Order(String field, boolean descending) {}
