package io.waterwheel.query.expression;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The functions that expressions may call. Each yields null for a null argument, except COALESCE and NULLIF. */
public enum Function {
    /** Absolute value of a number. */
    ABS(1, 1),
    /** Greatest whole number not above; of the argument's type. */
    FLOOR(1, 1),
    /** Least whole number not below; of the argument's type. */
    CEIL(1, 1),
    /** Nearest whole number, halves away from zero; a double. */
    ROUND(1, 1),
    /** Text with A to Z as a to z; other letters stay. */
    LOWER(1, 1),
    /** Text with a to z as A to Z; other letters stay. */
    UPPER(1, 1),
    /** Number of code points of text, of bytes of bytes. */
    LENGTH(1, 1),
    /** Number of bytes of text (UTF-8) or bytes. */
    OCTET_LENGTH(1, 1),
    /** The first argument that is not null. */
    COALESCE(2, 100),
    /** Null when both arguments are equal, else the first. */
    NULLIF(2, 2),
    /** Square root of a number, a double. */
    SQRT(1, 1),
    /** e to the power of a number. */
    EXP(1, 1),
    /** Logarithm to the base e. */
    LN(1, 1),
    /** Logarithm to the base 10. */
    LOG10(1, 1),
    /** The first number to the power of the second. */
    POWER(2, 2),
    /** Sine of an angle in radians. */
    SIN(1, 1),
    COS(1, 1),
    TAN(1, 1),
    /** The angle in radians whose sine it is. */
    ASIN(1, 1),
    ACOS(1, 1),
    ATAN(1, 1),
    /** The angle of the point (x, y), given as y, x. */
    ATAN2(2, 2),
    /** Degrees in radians. */
    RADIANS(1, 1),
    /** Radians in degrees. */
    DEGREES(1, 1),
    /** Texts, one after the other. */
    CONCAT(2, 100),
    /** The text from its n-th code point on, counted from 1; of a given length at most. */
    SUBSTRING(2, 3),
    /** Text without blanks at its ends. */
    TRIM(1, 1),
    /** Text in which each occurrence of the second is the third. */
    REPLACE(3, 3),
    /** Number of the code point, from 1, where the second text first occurs in the first; 0 when it does not. */
    STRPOS(2, 2),
    /** Whether the first text begins with the second. */
    STARTS_WITH(2, 2),
    /** The beginning of the unit (a literal) that a time lies in, by the clock of a zone (a literal; UTC). */
    DATE_TRUNC(2, 3),
    /** The number of the unit that a time lies in. */
    DATE_PART(2, 3),
    /** A time as text by a pattern (a literal), by the clock of a zone (a literal; UTC). */
    FORMAT_TIME(2, 3),
    /** Metres on the sphere between two positions: longitude, latitude, longitude, latitude. */
    DISTANCE(4, 4),
    /** The geohash of a position (longitude, latitude), of 1 to 12 characters (a literal). */
    GEOHASH(3, 3),
    /** Whether a position (longitude, latitude) lies in a polygon (well-known text, a literal). */
    IN_POLYGON(3, 3),
    /** The value at a path (a literal) of JSON text, as text. */
    JSON_TEXT(2, 2),
    /** The number at a path (a literal) of JSON text, a double. */
    JSON_NUMBER(2, 2),
    /** The number that a text is, a double. */
    TO_NUMBER(1, 1);

    private final int least;
    private final int most;

    Function(int least, int most) {
        this.least = least;
        this.most = most;
    }

    /** Fewest arguments. */
    public int least() {
        return least;
    }

    /** Most arguments. */
    public int most() {
        return most;
    }

    /** The function of this name, in any case of letters; null when there is none. */
    static @Nullable Function of(String name) {
        String upper = name.toUpperCase(Locale.ROOT);
        for (Function function : values()) {
            if (function.name().equals(upper)) {
                return function;
            }
        }
        return null;
    }
}
