package io.waterwheel.model;

/** What a stream does about trouble with its topic. The one part of a stream that is changed while it is used. */
public record SourcePolicy(BadRecords badRecords, LogLoss logLoss) {
    /** Bad records are set aside; a log that lost something stops its partition. */
    public static final SourcePolicy DEFAULT = new SourcePolicy(BadRecords.SKIP, LogLoss.FAIL);
}
