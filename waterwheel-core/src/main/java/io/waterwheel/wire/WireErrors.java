package io.waterwheel.wire;

import com.google.protobuf.InvalidProtocolBufferException;
import io.waterwheel.model.WaterwheelException;
import io.waterwheel.model.WaterwheelException.Kind;
import io.waterwheel.wire.proto.ErrorDetail;

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
            return new WaterwheelException(kind, message.getCode(), message.getMessage(), carrier);
        } catch (InvalidProtocolBufferException e) {
            e.addSuppressed(carrier);
            return new WaterwheelException(
                    Kind.BUG, "BAD_ERROR", "the server's error detail cannot be read: " + e.getMessage(), e);
        }
    }
}
