package io.waterwheel.ingest.block;

import io.waterwheel.protocol.ChannelEpoch;
import java.util.Arrays;

/**
 * Where channels from one dispatcher task to one indexer task stand on which nothing flows: one message for all of them
 * (protocol rule 5). Columns, an entry for each channel. Travels behind the blocks that were sent before it. Filled by
 * the dispatcher, not changed once it is sent.
 */
public final class ChannelHeartbeats {
    /** Entries that one message holds at most; some 790 KB. */
    public static final int MAX_SIZE = 16 * 1024;

    private int size;
    private int[] streamIds;
    private int[] partitions;
    private int[] indexers;
    private int[] indexerEpochs;
    private long[] attempts;
    private long[] positions;
    private long[] sent;
    private long[] granted;

    /** An empty one with room for {@code capacity} heartbeats; it grows up to {@link #MAX_SIZE}. */
    public ChannelHeartbeats(int capacity) {
        streamIds = new int[capacity];
        partitions = new int[capacity];
        indexers = new int[capacity];
        indexerEpochs = new int[capacity];
        attempts = new long[capacity];
        positions = new long[capacity];
        sent = new long[capacity];
        granted = new long[capacity];
    }

    /**
     * Adds a channel.
     *
     * @param position end of the last block that was sent on it
     * @param sentBytes by the dispatcher's account, cumulative as in {@code Control.Subscribe}
     * @param grantedBytes that the dispatcher knows of
     * @throws IllegalStateException when it is full
     */
    public void add(
            int streamId,
            int partition,
            int indexer,
            ChannelEpoch epoch,
            long position,
            long sentBytes,
            long grantedBytes) {
        if (isFull()) {
            throw new IllegalStateException("heartbeats of more than " + MAX_SIZE + " channels in one message");
        }
        if (size == streamIds.length) {
            grow(Math.min(MAX_SIZE, Math.max(16, 2 * size)));
        }
        streamIds[size] = streamId;
        partitions[size] = partition;
        indexers[size] = indexer;
        indexerEpochs[size] = epoch.indexerEpoch();
        attempts[size] = epoch.attempt();
        positions[size] = position;
        sent[size] = sentBytes;
        granted[size] = grantedBytes;
        size++;
    }

    private void grow(int capacity) {
        streamIds = Arrays.copyOf(streamIds, capacity);
        partitions = Arrays.copyOf(partitions, capacity);
        indexers = Arrays.copyOf(indexers, capacity);
        indexerEpochs = Arrays.copyOf(indexerEpochs, capacity);
        attempts = Arrays.copyOf(attempts, capacity);
        positions = Arrays.copyOf(positions, capacity);
        sent = Arrays.copyOf(sent, capacity);
        granted = Arrays.copyOf(granted, capacity);
    }

    public int size() {
        return size;
    }

    /** Whether no entry more fits. */
    public boolean isFull() {
        return size == MAX_SIZE;
    }

    public int streamId(int entry) {
        return streamIds[entry];
    }

    public int partition(int entry) {
        return partitions[entry];
    }

    public int indexer(int entry) {
        return indexers[entry];
    }

    /** The epoch of the indexer whose subscription the channel serves. */
    public int indexerEpoch(int entry) {
        return indexerEpochs[entry];
    }

    /** The attempt of that subscription. */
    public long attempt(int entry) {
        return attempts[entry];
    }

    /** End of the last block that was sent. */
    public long position(int entry) {
        return positions[entry];
    }

    /** Bytes sent, by the dispatcher's account. */
    public long sent(int entry) {
        return sent[entry];
    }

    /** Bytes granted, as far as the dispatcher knows. */
    public long granted(int entry) {
        return granted[entry];
    }
}
