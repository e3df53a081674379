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
    NULLIF(2, 2);

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
