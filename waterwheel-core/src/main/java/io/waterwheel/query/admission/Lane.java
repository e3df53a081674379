package io.waterwheel.query.admission;

import java.util.Locale;

/** Queries of one lane take turns among themselves: many light ones run beside each other, few heavy ones. */
public enum Lane {
    /** Reads few tuples: a point, a short range, a recent window. */
    LIGHT,
    /** Reads many tuples: its threads run below those of the light ones, where the system lets them. */
    HEAVY;

    /** In small letters, for people. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
