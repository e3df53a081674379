package io.waterwheel.decode;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;

/** Bytes that should be a tuple block are not one; the message says what, where, expected and got. */
public final class BlockFormatException extends WaterwheelException {
    private static final long serialVersionUID = 1;

    BlockFormatException(String message) {
        super(ErrorCode.BLOCK_MALFORMED, "tuple block: " + message);
    }
}
