package io.waterwheel;

/**
 * How long a test goes on. Every build runs the short form, so that a build takes minutes; {@code ./waterwheel test
 * --all} runs the long one, and a system property sets any length. The first rounds of a long run are those of a short
 * one.
 */
public final class Rounds {
    /** Whether this is a long run. */
    public static final boolean ALL = Boolean.getBoolean("waterwheel.all");

    private Rounds() {}

    /** The number of rounds: {@code -Dseeds} where it is given, else {@code few}, or {@code many} in a long run. */
    public static int of(int few, int many) {
        return of("seeds", few, many);
    }

    /** A length: what the property says where it is given, else {@code few}, or {@code many} in a long run. */
    public static int of(String property, int few, int many) {
        return Integer.getInteger(property, ALL ? many : few);
    }
}
