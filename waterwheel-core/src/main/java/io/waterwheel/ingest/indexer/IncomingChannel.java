package io.waterwheel.ingest.indexer;

/**
 * A channel from the dispatcher of one partition as its indexer keeps it: how far it is taken, and what may still come.
 * Owner: {@link IncomingChannels}, which alone changes it.
 */
final class IncomingChannel {
    /** Number of the present subscription. */
    long attempt;
    /** Everything below is taken, or is empty for this indexer. */
    long watermark;

    long consumed;
    long granted;
    boolean active;
    long lastTakeNanos;
    long lastHeardNanos;
    /** When the watermark last moved, or a subscription was new. */
    long lastNewsNanos;

    long lastSubscribeNanos;
    boolean subscribeDue;
}
