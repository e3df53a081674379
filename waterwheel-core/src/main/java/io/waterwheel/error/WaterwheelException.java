package io.waterwheel.error;

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

    public WaterwheelException(ErrorCode code, String message) {
        super(message);
        this.kind = code.kind();
        this.code = code.name();
    }

    public WaterwheelException(ErrorCode code, String message, Throwable cause) {
        super(message, cause);
        this.kind = code.kind();
        this.code = code.name();
    }

    private WaterwheelException(Kind kind, String code, String message, Throwable cause) {
        super(message, cause);
        this.kind = kind;
        this.code = code;
    }

    /**
     * A failure that another process had. Its kind and code are kept as they came: they may be those of a newer
     * release.
     *
     * @param cause what carried it here
     */
    public static WaterwheelException received(Kind kind, String code, String message, Throwable cause) {
        return new WaterwheelException(kind, code, message, cause);
    }

    /** The same failure, told anew, with this as the cause. */
    public WaterwheelException withMessage(String message) {
        return new WaterwheelException(kind, code, message, this);
    }

    public Kind kind() {
        return kind;
    }

    /**
     * For programs: the name of an {@link ErrorCode}, whose advice {@link ErrorCode#of} finds; of a server of a newer
     * release perhaps one that is not there.
     */
    public String code() {
        return code;
    }

    /** Whether this is the code. */
    public boolean is(ErrorCode other) {
        return code.equals(other.name());
    }
}
