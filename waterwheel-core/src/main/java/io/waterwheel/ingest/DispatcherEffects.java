package io.waterwheel.ingest;

import io.waterwheel.model.Control;
import java.nio.ByteBuffer;

/**
 * What a partition's dispatcher wants done. Calls return at once; answers come back as events, on the dispatcher's
 * thread, or never.
 */
public interface DispatcherEffects {
    /** Carry a block to its indexer. The receiver releases the body. */
    void send(ChannelBlock block);

    /** Read the log again from an offset; answer by {@link PartitionDispatcher#onSweep}. */
    void readLog(long from, int maxBytes);

    /** Raise the partition's limit to at least this; answer by {@link PartitionDispatcher#onRoute}. */
    void raiseLimit(long limit);

    /** Fetch a routing table; answer by {@link PartitionDispatcher#onTable}. */
    void fetchTable(int version);

    /** Store a dead letter; answer by {@link PartitionDispatcher#onDeadLetter} with the same token. */
    void storeDeadLetter(Object token, long offset, int index, String reason, ByteBuffer raw);

    /** Tell the spout where to go on reading, or to pause. */
    void steer(Control.Live live);
}
