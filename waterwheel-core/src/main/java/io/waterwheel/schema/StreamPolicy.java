package io.waterwheel.schema;

/**
 * How a stream is run: the one part of it that is changed while it is used.
 *
 * @param badRecords what becomes of records that cannot be decoded
 * @param logLoss what becomes of a partition whose log has lost what is still needed
 * @param balancing who divides the keys between the indexers
 * @param retention how long tuples are kept
 */
public record StreamPolicy(BadRecords badRecords, LogLoss logLoss, Balancing balancing, Retention retention) {
    /**
     * Bad records are set aside; a log that lost something stops its partition; keys are divided by their load; nothing
     * expires.
     */
    public static final StreamPolicy DEFAULT =
            new StreamPolicy(BadRecords.SKIP, LogLoss.FAIL, Balancing.AUTO, Retention.OFF);

    public StreamPolicy withBadRecords(BadRecords changed) {
        return new StreamPolicy(changed, logLoss, balancing, retention);
    }

    public StreamPolicy withLogLoss(LogLoss changed) {
        return new StreamPolicy(badRecords, changed, balancing, retention);
    }

    public StreamPolicy withBalancing(Balancing changed) {
        return new StreamPolicy(badRecords, logLoss, changed, retention);
    }

    public StreamPolicy withRetention(Retention changed) {
        return new StreamPolicy(badRecords, logLoss, balancing, changed);
    }
}
