package io.waterwheel.cli.input;

import java.io.IOException;

/** A line that is not in the encoding that the file was taken to have; the message names the file. */
public final class OtherEncodingException extends IOException {
    private static final long serialVersionUID = 1;

    public OtherEncodingException(String message) {
        super(message);
    }
}
