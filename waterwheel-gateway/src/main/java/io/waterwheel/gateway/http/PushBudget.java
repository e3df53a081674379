package io.waterwheel.gateway.http;

import java.util.concurrent.atomic.AtomicLong;

/** The bytes that requests of one kind hold: bodies, what they expand to, tuples that wait. Thread-safe. */
public final class PushBudget {
    private final long mostBytes;
    private final String what;
    private final AtomicLong taken = new AtomicLong();

    /**
     * A budget of this number of bytes.
     *
     * @param what messages call those that hold them: rows, queries
     */
    public PushBudget(long mostBytes, String what) {
        this.mostBytes = mostBytes;
        this.what = what;
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
                        "these " + what + " alone would take more than the " + mostBytes + " bytes that all " + what
                                + " under way may; send less at a time");
            }
            long before = taken.getAndAdd(bytes);
            if (before + bytes > mostBytes) {
                taken.addAndGet(-bytes);
                throw HttpFailure.of(
                        HttpCode.GATEWAY_BUSY,
                        what + " under way take " + before + " of " + mostBytes
                                + " bytes; send these again in a moment");
            }
            held += bytes;
        }

        /** Gives a part back. */
        public void shrink(long bytes) {
            taken.addAndGet(-bytes);
            held -= bytes;
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

    /** Bytes that all requests may hold. */
    public long most() {
        return mostBytes;
    }

    /** Bytes that all requests hold. */
    public long taken() {
        return taken.get();
    }
}
