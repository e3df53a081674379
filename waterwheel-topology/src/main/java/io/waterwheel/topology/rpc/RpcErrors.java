package io.waterwheel.topology.rpc;

import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.run.QueryRunner;
import io.waterwheel.wire.WireErrors;
import org.apache.arrow.flight.CallStatus;
import org.apache.arrow.flight.ErrorFlightMetadata;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.memory.OutOfMemoryException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Errors as Flight carries them: a status for anyone, the detail for those who read it. */
final class RpcErrors {
    private static final Logger LOG = LoggerFactory.getLogger(RpcErrors.class);

    /** The description travels in a header of limited size, beside the detail that has the whole message. */
    private static final int MAX_DESCRIPTION = 500;

    private RpcErrors() {}

    /** What a handler threw, as the receiver shall see it; what is no WaterwheelException is a defect, and logged. */
    static WaterwheelException of(Throwable failure) {
        if (failure instanceof WaterwheelException known) {
            return known;
        }
        if (failure instanceof OutOfMemoryException) {
            return new WaterwheelException(
                    ErrorCode.ANSWER_MEMORY_FULL,
                    "the server's memory for answers is used up; ask again later",
                    failure);
        }
        if (failure instanceof InterruptedException) {
            return closing(failure);
        }
        if (isOfCancelledCall(failure)) {
            return clientGone();
        }
        LOG.error("a call failed", failure);
        if (failure instanceof Error error) {
            return QueryRunner.failed(error);
        }
        return new WaterwheelException(ErrorCode.BUG, "a defect of the server: " + failure, failure);
    }

    /** What gRPC throws at those who answer a call that its client has given up. */
    private static boolean isOfCancelledCall(Throwable failure) {
        return failure instanceof StatusRuntimeException status
                && status.getStatus().getCode() == Status.Code.CANCELLED;
    }

    static WaterwheelException clientGone() {
        return new WaterwheelException(ErrorCode.CLIENT_GONE, "the receiver of the answer is gone");
    }

    static WaterwheelException closing(Throwable failure) {
        return new WaterwheelException(ErrorCode.SERVER_CLOSING, "the server is closing; ask again", failure);
    }

    /**
     * As the receiver is told.
     *
     * @param closing whether the server closes: a handler that is interrupted may have failed with anything, unless it
     *     was the caller's doing or something is lost
     */
    static FlightRuntimeException toFlight(WaterwheelException failure, boolean closing) {
        WaterwheelException error =
                switch (failure.kind()) {
                    case TEMPORARY, BUG -> closing ? closing(failure) : failure;
                    case USER, CORRUPT, UNKNOWN_OUTCOME -> failure;
                };
        CallStatus status =
                switch (error.kind()) {
                    case USER -> CallStatus.INVALID_ARGUMENT;
                    case TEMPORARY -> CallStatus.UNAVAILABLE;
                    case CORRUPT, BUG -> CallStatus.INTERNAL;
                    case UNKNOWN_OUTCOME -> CallStatus.UNKNOWN;
                };
        ErrorFlightMetadata metadata = new ErrorFlightMetadata();
        metadata.insert(WireErrors.TRAILER, WireErrors.detail(error));
        String description = error.code() + ": " + error.getMessage();
        return status.withDescription(
                        description.length() > MAX_DESCRIPTION
                                ? description.substring(0, MAX_DESCRIPTION) + "..."
                                : description)
                .withMetadata(metadata)
                .toRuntimeException();
    }
}
