package io.waterwheel.ingest.dispatch;

import io.waterwheel.catalog.state.LogIdentity;
import io.waterwheel.ingest.block.ChannelBlock;
import io.waterwheel.protocol.Control;
import io.waterwheel.tuple.LostRange;
import java.util.List;

/**
 * What a partition's dispatcher wants done. Calls return at once; answers come back as events, on the dispatcher's
 * thread, or never, except where said.
 */
public interface DispatcherEffects {
    /** Carry a block to its indexer. The receiver releases the body. */
    void send(ChannelBlock block);

    /** Read the log again from an offset; always answered, by {@link PartitionDispatcher#onCatchUp}. */
    void readLog(long from, int maxBytes);

    /**
     * Answer what {@link #readLog} asked for last at once, with nothing if it must be: others wait for its turn.
     * Without effect when it is answered already.
     */
    void takeBackRead();

    /**
     * Raise the partition's limit to at least this, unless its log is another; answer by
     * {@link PartitionDispatcher#onRoute}. With a limit that is there already it only reads the route.
     */
    void raiseLimit(long limit, LogIdentity log);

    /** Record that a range is given up; answer by {@link PartitionDispatcher#onRoute}. */
    void giveUp(LostRange range);

    /**
     * Fetch a routing table; answer by {@link PartitionDispatcher#onTable}, or, when there is none because no route
     * names it, by {@link PartitionDispatcher#onRoute} with the route as it is after a sync.
     */
    void fetchTable(int version);

    /**
     * Store dead letters; always answered, by {@link PartitionDispatcher#onDeadLetters} with the same token. Those of
     * one offset are all among them.
     */
    void storeDeadLetters(Object token, List<RefusedRow> letters);

    /** Tell the spout what it may send, and where to go on reading. */
    void steer(Control.ReadFrom live);

    /** Tell the coordinators how the partition is. */
    void report(Control.PartitionReport report);

    /** Tell the balancer which keys came in the last second. */
    void sample(Control.KeySample sample);
}
