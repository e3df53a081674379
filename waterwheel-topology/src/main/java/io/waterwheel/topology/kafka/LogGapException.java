package io.waterwheel.topology.kafka;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import org.apache.kafka.common.TopicPartition;

/**
 * An offset that should be read is no longer in the log, or not yet: retention removed it, or the topic was truncated
 * or made anew. Nothing was skipped; what happens next is the caller's decision.
 */
public final class LogGapException extends WaterwheelException {
    private static final long serialVersionUID = 1;

    LogGapException(TopicPartition of, long offset, Throwable cause) {
        super(
                ErrorCode.LOG_GAP,
                "topic " + of.topic() + ", partition " + of.partition() + ": offset " + offset + " is not in the log ("
                        + cause.getMessage()
                        + "); retention may have removed it, or the topic was truncated or made anew",
                cause);
    }
}
