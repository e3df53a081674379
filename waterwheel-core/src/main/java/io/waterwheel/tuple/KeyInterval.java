package io.waterwheel.tuple;

/** A closed interval of keys, {@code low <= high}. */
public record KeyInterval(long low, long high) {
    /** Every key. */
    public static final KeyInterval ALL = new KeyInterval(Long.MIN_VALUE, Long.MAX_VALUE);

    public KeyInterval {
        if (low > high) {
            throw new IllegalArgumentException("key interval: low " + low + " is above high " + high);
        }
    }

    public boolean contains(long key) {
        return low <= key && key <= high;
    }

    public boolean overlaps(KeyInterval other) {
        return low <= other.high && other.low <= high;
    }

    /** The smallest interval that holds both. */
    public KeyInterval span(KeyInterval other) {
        return new KeyInterval(Math.min(low, other.low), Math.max(high, other.high));
    }
}
