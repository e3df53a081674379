package io.waterwheel.ingest.dispatch;

import io.waterwheel.protocol.ChannelEpoch;
import org.jspecify.annotations.Nullable;

/**
 * A channel to one indexer as its dispatcher keeps it: how far it is sent, and what may still be. Owner: the
 * dispatcher.
 */
final class OutgoingChannel {
    final int indexer;

    @Nullable
    ChannelEpoch epoch;
    /** Everything below is sent, or is empty for this indexer. */
    long cursor;
    /** End of the last block sent. */
    long sentTo;

    int sentVersion;
    long sent;
    long granted;
    long lastSendNanos;

    OutgoingChannel(int indexer) {
        this.indexer = indexer;
    }

    boolean hasCredit() {
        return epoch != null && granted > sent;
    }
}
