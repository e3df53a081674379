package io.waterwheel.client;

import org.apache.arrow.flight.FlightStream;
import org.jspecify.annotations.Nullable;

/** The way to end one answer from another thread, before it has begun too. Thread-safe. */
final class Cancellation {
    /** Guarded by this: what to end; null before the answer and after it. */
    private @Nullable FlightStream stream;

    private volatile @Nullable String reason;

    /** Ends the answer, for this reason; does nothing when it has ended or was ended before. */
    synchronized void cancel(String why) {
        if (reason != null) {
            return;
        }
        reason = why;
        if (stream != null) {
            stream.cancel(why, null);
        }
    }

    /** Why it was ended; null when it was not. */
    @Nullable
    String reason() {
        return reason;
    }

    synchronized void attach(FlightStream answer) {
        stream = answer;
        if (reason != null) {
            answer.cancel(reason, null);
        }
    }

    synchronized void detach() {
        stream = null;
    }
}
