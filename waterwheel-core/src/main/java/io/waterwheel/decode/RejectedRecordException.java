package io.waterwheel.decode;

import com.fasterxml.jackson.core.JsonProcessingException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A record cannot become tuples; the message is the reason, for people. Without a stack trace: a topic may hold
 * millions of such records, and where in the decoder one failed is of no help.
 */
public final class RejectedRecordException extends Exception {
    /** Numbers that Jackson takes when it is told to. */
    private static final Pattern NOT_FINITE = Pattern.compile("Non-standard token '([-+]?\\w+)'");

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

    /**
     * Why a text is no JSON, for the one who wrote it: not how a program would have Jackson take it.
     *
     * @param e as Jackson reports it
     */
    public static String notJson(JsonProcessingException e) {
        String message = e.getOriginalMessage();
        Matcher token = NOT_FINITE.matcher(message);
        return token.lookingAt()
                ? "JSON has no " + token.group(1) + ": write null, or \"" + token.group(1)
                        + "\" for a schema with records: {numbers: text}"
                : Snippet.of(message);
    }
}
