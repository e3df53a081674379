package io.waterwheel.wire;

import com.google.protobuf.InvalidProtocolBufferException;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.error.WaterwheelException.Kind;
import io.waterwheel.wire.proto.ErrorDetail;
import java.nio.channels.ClosedChannelException;
import org.jspecify.annotations.Nullable;

/** Errors as messages. Stateless, thread-safe. */
public final class WireErrors {
    /** The trailer that holds the detail of a failed call. */
    public static final String TRAILER = "waterwheel-error-bin";

    /** Trailers travel in headers, whose size is limited. */
    private static final int MAX_MESSAGE = 2000;

    private WireErrors() {}

    /** The error as bytes; a message of over 2,000 characters is cut. */
    public static byte[] detail(WaterwheelException error) {
        String message = String.valueOf(error.getMessage());
        return ErrorDetail.newBuilder()
                .setKind(
                        switch (error.kind()) {
                            case USER -> ErrorDetail.Kind.USER;
                            case TEMPORARY -> ErrorDetail.Kind.TEMPORARY;
                            case CORRUPT -> ErrorDetail.Kind.CORRUPT;
                            case UNKNOWN_OUTCOME -> ErrorDetail.Kind.UNKNOWN_OUTCOME;
                            case BUG -> ErrorDetail.Kind.BUG;
                        })
                .setCode(error.code())
                .setMessage(message.length() > MAX_MESSAGE ? message.substring(0, MAX_MESSAGE) + "..." : message)
                .build()
                .toByteArray();
    }

    /**
     * What a failed call says.
     *
     * @param status name of the gRPC status, such as UNAVAILABLE
     * @param detail the trailer {@link #TRAILER}; null when the failure came from the transport, not from the server
     * @param server what messages call the other side: host and port
     * @param carrier becomes the cause
     */
    public static WaterwheelException of(String status, byte @Nullable [] detail, String server, Throwable carrier) {
        if (detail != null) {
            return parse(detail, carrier);
        }
        return switch (lost(status, carrier) ? "UNAVAILABLE" : status) {
            case "UNAVAILABLE" ->
                new WaterwheelException(
                        ErrorCode.SERVER_UNREACHABLE, server + " does not answer: is it running?", carrier);
            case "TIMED_OUT" ->
                new WaterwheelException(ErrorCode.TIMEOUT, server + " did not answer in time; ask again", carrier);
            case "CANCELLED" ->
                new WaterwheelException(ErrorCode.CANCELLED, "the call to " + server + " was cancelled", carrier);
            default ->
                new WaterwheelException(
                        ErrorCode.CALL_FAILED, "the call to " + server + " failed: " + carrier.getMessage(), carrier);
        };
    }

    /** gRPC calls a channel that closes while a call begins UNKNOWN, though the connection is just lost. */
    private static boolean lost(String status, Throwable carrier) {
        if (status.equals("UNKNOWN")) {
            for (Throwable at = carrier; at != null; at = at.getCause()) {
                if (at instanceof ClosedChannelException) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Reads what {@link #detail} wrote, with the failure that carried it as the cause. */
    public static WaterwheelException parse(byte[] detail, Throwable carrier) {
        try {
            ErrorDetail message = ErrorDetail.parseFrom(detail);
            Kind kind =
                    switch (message.getKind()) {
                        case USER -> Kind.USER;
                        case TEMPORARY -> Kind.TEMPORARY;
                        case CORRUPT -> Kind.CORRUPT;
                        case UNKNOWN_OUTCOME -> Kind.UNKNOWN_OUTCOME;
                        case BUG, KIND_UNSPECIFIED, UNRECOGNIZED -> Kind.BUG;
                    };
            return WaterwheelException.received(kind, message.getCode(), message.getMessage(), carrier);
        } catch (InvalidProtocolBufferException e) {
            e.addSuppressed(carrier);
            return new WaterwheelException(
                    ErrorCode.BAD_ERROR, "the server's error detail cannot be read: " + e.getMessage(), e);
        }
    }
}
