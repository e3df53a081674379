package io.waterwheel.model;

import java.util.regex.Pattern;

/**
 * One named field of a stream.
 *
 * @param name letters, digits and underscores, not starting with a digit, at most 64
 * @param type what it holds
 * @param nullable whether a tuple may lack it
 */
public record Field(String name, FieldType type, boolean nullable) {
    private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,63}");

    public Field {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException("field name '" + name
                    + "': expected letters, digits and underscores, not starting with a digit, at most 64");
        }
    }
}
