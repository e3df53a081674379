package io.waterwheel.model;

/**
 * A failure with a stable code and a kind, so that a program knows whom to blame and whether to try again. The message
 * says what, where, expected, got and what to do now.
 */
public class WaterwheelException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** Whose fault it is and what may help. */
    public enum Kind {
        /** The request or the input is wrong; repeating it does not help. */
        USER,
        /** Something is away or busy; the same request may work later. */
        TEMPORARY,
        /** Stored data is damaged. */
        CORRUPT,
        /** A commit was sent and not confirmed: look before trying again. */
        UNKNOWN_OUTCOME,
        /** A defect of Waterwheel. */
        BUG
    }

    private final Kind kind;
    private final String code;

    /** @param code stable, upper case with underscores, for programs */
    public WaterwheelException(Kind kind, String code, String message) {
        super(message);
        this.kind = kind;
        this.code = code;
    }

    public WaterwheelException(Kind kind, String code, String message, Throwable cause) {
        super(message, cause);
        this.kind = kind;
        this.code = code;
    }

    public Kind kind() {
        return kind;
    }

    public String code() {
        return code;
    }
}
