package io.waterwheel.query.scan;

import java.io.IOException;

/** What a scan of the cache alone needs is not all there. */
public final class NotCachedException extends IOException {
    private static final long serialVersionUID = 1;

    /** As it always is. */
    public NotCachedException() {
        super("not in the cache");
    }

    /** Thrown where nothing is wrong, and often: a trace would cost more than the look. */
    @Override
    public synchronized Throwable fillInStackTrace() {
        return this;
    }
}
