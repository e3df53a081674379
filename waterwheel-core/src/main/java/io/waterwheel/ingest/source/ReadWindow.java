package io.waterwheel.ingest.source;

/**
 * The credit that a dispatcher grants to the spout of a partition. Bytes that are read and not routed yet, under way or
 * waiting, stay within a bound, plus one batch (protocol rule 6; the spout's side is {@link ReadLane}). Owner: the
 * dispatcher.
 *
 * <p>Counts are cumulative over the spout's life and come with its batches. So whatever was lost is counted by the next
 * batch or heartbeat, a dispatcher that is new takes over the count as it is, and a spout that is new begins at 0.
 */
public final class ReadWindow {
    /** Credit is raised when it can be by the bound divided by this. */
    private static final int STEP_SHARE = 2;

    private long life;
    private long received;
    private long granted;

    /** The life that the counts are of; 0 before the spout's first word. */
    public long life() {
        return life;
    }

    public long received() {
        return received;
    }

    public long granted() {
        return granted;
    }

    /**
     * Takes the spout's account.
     *
     * @return whether the spout knows less than it was told, or should be
     */
    public boolean heard(LiveBatch batch) {
        if (batch.life() != life) {
            life = batch.life();
            received = 0;
            granted = 0;
        }
        received = Math.max(received, batch.sent());
        // What another dispatcher has granted is not taken back.
        granted = Math.max(granted, batch.granted());
        return batch.granted() < granted || batch.received() < received;
    }

    /**
     * Raises the credit if that is worth a message.
     *
     * @param limit bytes that may be read and not routed
     * @param pending of these, what has come and waits
     */
    public boolean raise(long limit, long pending) {
        long next = received + Math.max(0, limit - pending);
        if (life == 0 || next <= granted || (next - granted) * STEP_SHARE < limit) {
            return false;
        }
        granted = next;
        return true;
    }
}
