package io.waterwheel.topology.kafka;

import io.waterwheel.model.WaterwheelException;

/**
 * An offset that should be read is no longer in the log, or not yet: retention removed it, or the topic was truncated
 * or made anew. Nothing was skipped; what happens next is the caller's decision.
 */
public final class LogGapException extends WaterwheelException {
    private static final long serialVersionUID = 1;

    private final int streamId;
    private final int partition;
    private final long position;

    LogGapException(int streamId, String topic, int partition, long position, Throwable cause) {
        super(
                Kind.CORRUPT,
                "LOG_GAP",
                "topic " + topic + ", partition " + partition + ": offset " + position + " is not in the log ("
                        + cause.getMessage()
                        + "); retention may have removed it, or the topic was truncated or made anew",
                cause);
        this.streamId = streamId;
        this.partition = partition;
        this.position = position;
    }

    public int streamId() {
        return streamId;
    }

    public int partition() {
        return partition;
    }

    /** The offset that was to be read next. */
    public long position() {
        return position;
    }
}
