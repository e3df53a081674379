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
 * @param index what chunks keep an index of; text only of a string
 */
public record Field(String name, FieldType type, boolean nullable, TimestampUnit unit, Index index) {
    /** What of a field's values chunks keep an index of: which leaves have it. */
    public enum Index {
        NONE,
        /** The values, as they are. */
        VALUES,
        /** The values, and where they are many, each three bytes in a row of them. */
        TEXT
    }

    private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,63}");

    public Field {
        if (!isName(name)) {
            throw new IllegalArgumentException("field name '" + name
                    + "': expected letters, digits and underscores, not starting with a digit, at most 64");
        }
        if (!type.isTimestamp() && unit != TimestampUnit.NANOSECONDS) {
            throw new IllegalArgumentException("field '" + name + "': only a timestamp has a unit");
        }
        if (index == Index.TEXT && type != FieldType.STRING) {
            throw new IllegalArgumentException("field '" + name + "': only a string may have a text index");
        }
    }

    /** Whether a field may have this name. */
    public static boolean isName(String name) {
        return NAME.matcher(name).matches();
    }

    /** A field with an index of its values, or none. */
    public Field(String name, FieldType type, boolean nullable, TimestampUnit unit, boolean indexed) {
        this(name, type, nullable, unit, indexed ? Index.VALUES : Index.NONE);
    }

    /** Whether chunks keep an index of its values. */
    public boolean indexed() {
        return index != Index.NONE;
    }

    /** A field without an index; a timestamp is read in the unit it is kept in. */
    public Field(String name, FieldType type, boolean nullable) {
        this(name, type, nullable, type.isTimestamp() ? type.resolution() : TimestampUnit.NANOSECONDS, Index.NONE);
    }
}
