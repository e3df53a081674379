package io.waterwheel.protocol;

/**
 * Names one subscription of a channel: blocks of another subscription are dropped unread (protocol rules 3 to 5).
 *
 * @param indexerEpoch the indexer's epoch, raised in the catalog at each of its starts
 * @param attempt counts the subscriptions of that indexer to this channel, from 1
 */
public record ChannelEpoch(int indexerEpoch, long attempt) implements Comparable<ChannelEpoch> {
    @Override
    public int compareTo(ChannelEpoch other) {
        int byEpoch = Integer.compare(indexerEpoch, other.indexerEpoch);
        return byEpoch != 0 ? byEpoch : Long.compare(attempt, other.attempt);
    }
}
