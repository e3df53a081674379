package io.waterwheel.query.scan;

import java.io.IOException;

/**
 * A scan that was to be quick is given up: the cache lacks something of it, its sink allows no more tuples, or it is of
 * more than a piece.
 */
public final class NotQuickException extends IOException {
    private static final long serialVersionUID = 1;

    public NotQuickException() {
        super("not quick");
    }

    /** Thrown where nothing is wrong, and often: a trace would cost more than the look. */
    @Override
    public synchronized Throwable fillInStackTrace() {
        return this;
    }
}
