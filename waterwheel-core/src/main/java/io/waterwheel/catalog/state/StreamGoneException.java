package io.waterwheel.catalog.state;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;

/** An entry of a stream is not in the catalog: the stream was dropped. */
public final class StreamGoneException extends WaterwheelException {
    private static final long serialVersionUID = 1;

    public StreamGoneException(String stream, String path) {
        super(ErrorCode.NO_SUCH_STREAM, "stream " + stream + " is not in the catalog (no entry " + path + ")");
    }
}
