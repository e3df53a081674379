package io.waterwheel.schema;

/** Policy for a partition whose log has lost records that must be read next (protocol rule 14). */
public enum LogLoss {
    /** Its reading stops, and says so, until somebody decides. */
    FAIL("fail"),
    /** The missing range is recorded as lost, every answer names it, and reading goes on behind it. */
    SKIP("skip to earliest");

    private final String text;

    LogLoss(String text) {
        this.text = text;
    }

    /**
     * Reads {@code fail} or {@code skip to earliest}.
     *
     * @throws IllegalArgumentException when it is neither
     */
    public static LogLoss parse(String text) {
        for (LogLoss policy : values()) {
            if (policy.text.equals(text)) {
                return policy;
            }
        }
        throw new IllegalArgumentException("log-loss: expected fail or skip to earliest, got '" + text + "'");
    }

    @Override
    public String toString() {
        return text;
    }
}
