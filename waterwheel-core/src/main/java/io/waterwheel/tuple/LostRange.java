package io.waterwheel.tuple;

/**
 * Positions [from, to) of a partition that were given up: what they held, and was not indexed before, is in no answer.
 *
 * @param reason for people, such as "retention"
 */
public record LostRange(int partition, long from, long to, String reason) {
    public LostRange {
        if (from >= to) {
            throw new IllegalArgumentException("lost range of partition " + partition + ": " + from + " to " + to);
        }
    }

    public boolean contains(long position) {
        return position >= from && position < to;
    }

    @Override
    public String toString() {
        return "partition " + partition + ", offsets " + from + " to " + (to - 1) + " (" + reason + ")";
    }
}
