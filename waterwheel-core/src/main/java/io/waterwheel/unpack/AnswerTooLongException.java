package io.waterwheel.unpack;

import java.io.IOException;

/** An answer has more bytes than it may have. To ask again is in vain. */
public final class AnswerTooLongException extends IOException {
    private static final long serialVersionUID = 1;

    AnswerTooLongException(int most) {
        super("an answer of more than " + most + " bytes");
    }
}
