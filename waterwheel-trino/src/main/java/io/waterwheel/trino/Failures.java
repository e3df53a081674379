package io.waterwheel.trino;

import io.trino.spi.ErrorCode;
import io.trino.spi.ErrorType;
import io.trino.spi.TrinoException;
import io.waterwheel.error.WaterwheelException;

/** Failures of Waterwheel as Trino tells them: with Waterwheel's code in the message. Pure functions. */
final class Failures {
    private Failures() {}

    /** Numbers that no connector of Trino's has. */
    private static final int FIRST = 0x0757_0000;

    /** The question is wrong: to ask it again does not help. */
    private static final ErrorCode REFUSED = new ErrorCode(FIRST, "WATERWHEEL_REFUSED", ErrorType.USER_ERROR);

    /** It passes by itself, or somebody has to look after a server. */
    private static final ErrorCode FAILED = new ErrorCode(FIRST + 1, "WATERWHEEL_FAILED", ErrorType.EXTERNAL);

    /** A value that Trino's type cannot hold. */
    private static final ErrorCode VALUE = new ErrorCode(FIRST + 2, "WATERWHEEL_VALUE", ErrorType.USER_ERROR);

    static TrinoException of(WaterwheelException e) {
        boolean users = e.kind() == WaterwheelException.Kind.USER;
        ErrorCode code = users ? REFUSED : FAILED;
        return new TrinoException(() -> code, e.code() + ": " + e.getMessage(), e);
    }

    /** An answer that is no part of the scan that it was asked for. */
    static TrinoException split(String message) {
        return new TrinoException(() -> FAILED, message);
    }

    static TrinoException value(String message) {
        return new TrinoException(() -> VALUE, message);
    }
}
