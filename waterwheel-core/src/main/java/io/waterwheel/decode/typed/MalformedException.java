package io.waterwheel.decode.typed;

/**
 * A record is damaged, or has a value that its field cannot hold; the message is the reason, for people. Without a
 * stack trace: a topic may hold millions of such records.
 */
public final class MalformedException extends Exception {
    private static final long serialVersionUID = 1;

    public MalformedException(String reason) {
        super(reason, null, false, false);
    }
}
