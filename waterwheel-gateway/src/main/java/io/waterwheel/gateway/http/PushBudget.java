package io.waterwheel.gateway.http;

import java.util.concurrent.atomic.AtomicLong;

/** The bytes of rows under way: bodies, what they expand to, tuples that wait to be stored. Thread-safe. */
public final class PushBudget {
    private final long mostBytes;
    private final AtomicLong taken = new AtomicLong();

    /** A budget of this number of bytes. */
    public PushBudget(long mostBytes) {
        this.mostBytes = mostBytes;
    }

    /** What one request holds. One thread at a time. */
    public final class Lease implements AutoCloseable {
        private long held;

        /**
         * Takes more, before the memory itself is taken.
         *
         * @throws HttpFailure GATEWAY_BUSY when all requests together would hold more than they may, BODY_TOO_LARGE
         *     when this one alone would
         */
        public void grow(long bytes) {
            if (held + bytes > mostBytes) {
                throw HttpFailure.of(
                        HttpCode.BODY_TOO_LARGE,
                        "these rows alone would take more than the " + mostBytes
                                + " bytes that all rows under way may; send less at a time");
            }
            long before = taken.getAndAdd(bytes);
            if (before + bytes > mostBytes) {
                taken.addAndGet(-bytes);
                throw HttpFailure.of(
                        HttpCode.GATEWAY_BUSY,
                        "rows under way take " + before + " of " + mostBytes + " bytes; send these again in a moment");
            }
            held += bytes;
        }

        /** Gives everything back. */
        @Override
        public void close() {
            taken.addAndGet(-held);
            held = 0;
        }
    }

    /** What one request holds, nothing yet. */
    public Lease lease() {
        return new Lease();
    }

    /** Bytes that all requests hold. */
    public long taken() {
        return taken.get();
    }
}
