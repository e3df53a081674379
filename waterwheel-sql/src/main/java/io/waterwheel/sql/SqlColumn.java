package io.waterwheel.sql;

/**
 * A column of a statement's answer.
 *
 * @param label as the statement calls it; any text, and two columns may have one
 * @param field index of the field of the query's answer that it shows
 */
public record SqlColumn(String label, int field) {}
