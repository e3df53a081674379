package io.waterwheel.query.run;

/**
 * How much of an answer of rows is under way at a time, by what has been handed out: little at first, for a client that
 * may take nothing of it, more for one that keeps up. What a transport takes before its client has read anything is
 * about a megabyte (the window of a connection); who is past that has read some.
 */
public final class AnswerPace {
    /** Of the rows that the transport may queue before its client counts as slow. */
    public static final int QUEUED_BYTES = 128 << 10;

    /** The first batch: the client has it soon. */
    public static final int LEAST_BATCH_BYTES = 64 << 10;

    private static final long KEEPS_UP = 2 << 20;

    private AnswerPace() {}

    /** Bytes of rows that go to the client together. */
    static int batchBytes(long handedOut) {
        if (handedOut < 256 << 10) {
            return LEAST_BATCH_BYTES;
        } else if (handedOut < KEEPS_UP) {
            return 128 << 10;
        }
        return handedOut < 4 * KEEPS_UP ? 512 << 10 : 1 << 20;
    }

    /** Bytes of rows that are read of a chunk before they are handed on. */
    static long pieceBytes(long handedOut) {
        if (handedOut < 1 << 20) {
            return 128 << 10;
        } else if (handedOut < KEEPS_UP) {
            return 256 << 10;
        }
        return handedOut < 4 * KEEPS_UP ? 1 << 20 : 4 << 20;
    }

    /** Bytes of rows that wait to be handed on; a reader that has more waits with it. */
    static long unmergedBytes(long handedOut) {
        return 2 * pieceBytes(handedOut);
    }
}
