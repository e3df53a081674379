package io.waterwheel.schema;

import java.util.regex.Pattern;

/**
 * One named field of a stream.
 *
 * @param name letters, digits and underscores, not starting with a digit, at most 64
 * @param type what it holds
 * @param nullable whether a tuple may lack it
 * @param unit what a bare number means where a timestamp is read from text; {@link TimestampUnit#NANOSECONDS} for every
 *     type that is no timestamp
 * @param indexed whether chunks keep an index of its values: which leaves have them
 */
public record Field(String name, FieldType type, boolean nullable, TimestampUnit unit, boolean indexed) {
    private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,63}");

    public Field {
        if (!isName(name)) {
            throw new IllegalArgumentException("field name '" + name
                    + "': expected letters, digits and underscores, not starting with a digit, at most 64");
        }
        if (!type.isTimestamp() && unit != TimestampUnit.NANOSECONDS) {
            throw new IllegalArgumentException("field '" + name + "': only a timestamp has a unit");
        }
    }

    /** Whether a field may have this name. */
    public static boolean isName(String name) {
        return NAME.matcher(name).matches();
    }

    /** A field without an index; a timestamp is read in the unit it is kept in. */
    public Field(String name, FieldType type, boolean nullable) {
        this(name, type, nullable, type.isTimestamp() ? type.resolution() : TimestampUnit.NANOSECONDS, false);
    }
}
