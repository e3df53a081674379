package io.waterwheel.topology.flightsql;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import java.util.concurrent.atomic.AtomicLong;

/** Bounds the memory of values that clients have sent, until their statements have run. Thread-safe. */
final class BoundMemory {
    private final long most;
    private final AtomicLong held = new AtomicLong();

    /** @param most bytes, of all clients */
    BoundMemory(long most) {
        this.most = most;
    }

    /** What one client holds. One thread at a time. */
    final class Share implements AutoCloseable {
        private final long mostOfOne;
        private long own;

        private Share(long mostOfOne) {
            this.mostOfOne = mostOfOne;
        }

        /**
         * Takes more, before it is used.
         *
         * @throws WaterwheelException code BAD_REQUEST when it is too much for one; SERVER_BUSY when others hold the
         *     rest
         */
        void take(long bytes) {
            if (own + bytes > mostOfOne) {
                throw new WaterwheelException(
                        ErrorCode.BAD_REQUEST,
                        "parameters: expected values of at most " + (mostOfOne >> 20)
                                + " MiB of memory in a batch, got more: divide it");
            }
            if (held.addAndGet(bytes) > most) {
                held.addAndGet(-bytes);
                throw new WaterwheelException(
                        ErrorCode.SERVER_BUSY,
                        "the server holds " + (most >> 20)
                                + " MiB of values for statements; nothing was done, try again");
            }
            own += bytes;
        }

        @Override
        public void close() {
            held.addAndGet(-own);
            own = 0;
        }
    }

    /** @param mostOfOne bytes, of this client */
    Share share(long mostOfOne) {
        return new Share(mostOfOne);
    }

    long held() {
        return held.get();
    }
}
