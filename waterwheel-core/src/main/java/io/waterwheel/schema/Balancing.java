package io.waterwheel.schema;

import java.util.Locale;

/** Who divides a stream's keys between its indexers ([Wang 2018], section III-D). */
public enum Balancing {
    /** The balancer, whenever an indexer's load is far from the mean for some time. */
    AUTO,
    /** The boundaries stay as they are, or are set by hand. */
    OFF;

    /**
     * Reads {@code auto} or {@code off}.
     *
     * @throws IllegalArgumentException when it is neither
     */
    public static Balancing parse(String text) {
        for (Balancing policy : values()) {
            if (policy.toString().equals(text)) {
                return policy;
            }
        }
        throw new IllegalArgumentException("balancing: expected auto or off, got '" + text + "'");
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
