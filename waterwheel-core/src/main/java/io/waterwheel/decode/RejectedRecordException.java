package io.waterwheel.decode;

/**
 * A record cannot become tuples; the message is the reason, for people. Without a stack trace: a topic may hold
 * millions of such records, and where in the decoder one failed is of no help.
 */
public final class RejectedRecordException extends Exception {
    private static final long serialVersionUID = 1;

    private final RefusalKind kind;

    /** One of a value. */
    public RejectedRecordException(String reason) {
        this(RefusalKind.VALUE, reason);
    }

    /** @param reason for people */
    public RejectedRecordException(RefusalKind kind, String reason) {
        super(reason, null, false, false);
        this.kind = kind;
    }

    /** Why, in a word. */
    public RefusalKind kind() {
        return kind;
    }
}
