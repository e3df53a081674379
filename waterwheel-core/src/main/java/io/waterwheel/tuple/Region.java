package io.waterwheel.tuple;

/** A closed rectangle in key and time. */
public record Region(KeyInterval keys, TimeInterval times) {
    public static Region of(long lowKey, long highKey, long fromTime, long toTime) {
        return new Region(new KeyInterval(lowKey, highKey), new TimeInterval(fromTime, toTime));
    }

    public boolean overlaps(Region other) {
        return keys.overlaps(other.keys) && times.overlaps(other.times);
    }

    public boolean contains(long key, long time) {
        return keys.contains(key) && times.contains(time);
    }

    /** The smallest region that holds both. */
    public Region span(Region other) {
        return new Region(keys.span(other.keys), times.span(other.times));
    }
}
