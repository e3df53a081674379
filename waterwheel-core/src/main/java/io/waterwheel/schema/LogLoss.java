package io.waterwheel.schema;

/** What becomes of a partition whose log no longer holds what must be read next (protocol rule 14). */
public enum LogLoss {
    /** Its reading stops, and says so, until somebody decides. */
    FAIL("fail"),
    /** What is gone is recorded as lost, every answer names it, and reading goes on with what there is. */
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
