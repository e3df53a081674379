package io.waterwheel.catalog.state;

/**
 * Which log a partition's positions are of, and where its offsets lie among them: position = offset + base. A topic
 * that is made anew, or a log that was truncated, begins again at offsets that were used before; positions never do.
 *
 * @param topicId Kafka's id of this making of the topic; empty when not known
 * @param base added to an offset of the log to make a position
 * @param since first position of this log; what lies below was of another, and can be read no longer
 */
public record LogIdentity(String topicId, long base, long since) {
    /** A log whose positions are its offsets, of a topic whose id is not known. */
    public static final LogIdentity ANY = new LogIdentity("", 0, Long.MIN_VALUE);

    /** The first log of a topic: its positions are its offsets. */
    public static LogIdentity first(String topicId) {
        return new LogIdentity(topicId, 0, Long.MIN_VALUE);
    }

    /**
     * Positions of one log lie between two multiples of this, so that nothing of two logs is ever taken for the other.
     */
    private static final long STRIDE = 1_000_000_000_000L;

    /** The log that follows in a partition: its base is the first multiple of 10^12 above the limit. */
    public static LogIdentity after(PartitionRoute route, String topicId, long firstOffset) {
        long base = (Math.max(0, route.limit()) / STRIDE + 1) * STRIDE;
        return new LogIdentity(topicId, base, base + firstOffset);
    }

    /** Whether a topic of this id may be it. */
    public boolean matches(String id) {
        return topicId.isEmpty() || id.isEmpty() || topicId.equals(id);
    }
}
