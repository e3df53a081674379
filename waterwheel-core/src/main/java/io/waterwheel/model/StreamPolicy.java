package io.waterwheel.model;

/**
 * How a stream is run: the one part of it that is changed while it is used.
 *
 * @param badRecords what becomes of records that cannot be decoded
 * @param logLoss what becomes of a partition whose log has lost what is still needed
 * @param balancing who divides the keys between the indexers
 */
public record StreamPolicy(BadRecords badRecords, LogLoss logLoss, Balancing balancing) {
    /** Bad records are set aside; a log that lost something stops its partition; keys are divided by their load. */
    public static final StreamPolicy DEFAULT = new StreamPolicy(BadRecords.SKIP, LogLoss.FAIL, Balancing.AUTO);

    public StreamPolicy withBadRecords(BadRecords changed) {
        return new StreamPolicy(changed, logLoss, balancing);
    }

    public StreamPolicy withLogLoss(LogLoss changed) {
        return new StreamPolicy(badRecords, changed, balancing);
    }

    public StreamPolicy withBalancing(Balancing changed) {
        return new StreamPolicy(badRecords, logLoss, changed);
    }
}
