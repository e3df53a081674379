package io.waterwheel.ingest.source;

/**
 * The bytes that one spout task has read for one dispatcher task and that have not come there yet: those that wait for
 * credit in its lanes, and those under way. When they reach the bound, nothing more is read for that dispatcher until
 * half of them are gone; what the read under way still brings comes on top. Owner: the spout's thread.
 *
 * <p>The credit of a partition bounds it alone. A thousand partitions of which each has a little, and sends a whole
 * batch for it, are bounded here.
 */
public final class ReadAhead {
    private final long limit;
    private long bytes;
    private boolean closed;

    /** @param limit bytes, see {@link RecordBatch#bytes} */
    public ReadAhead(long limit) {
        this.limit = limit;
    }

    void add(long more) {
        bytes += more;
        if (bytes >= limit) {
            closed = true;
        } else if (bytes <= limit / 2) {
            closed = false;
        }
    }

    /** Whether more may be read. */
    public boolean isOpen() {
        return !closed;
    }

    /** Bytes that wait or are under way. */
    public long bytes() {
        return bytes;
    }
}
