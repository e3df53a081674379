package io.waterwheel.topology.worker;

import io.waterwheel.catalog.state.StreamInfo;
import java.util.Collection;
import java.util.Map;

/** What the topics of streams are like now, asked of Kafka. Thread-safe. */
public interface SourceTopics {
    /**
     * A topic as it is now, in offsets of its log.
     *
     * @param id of this making of it
     * @param starts first offset of each partition
     * @param ends one after the last visible record of each
     * @param epochs of the leaders that named the ends; -1 where not known
     * @param failure why not all of it could be asked for; empty when all could. Then starts and ends are -1 where
     *     nothing is known, and the arrays are empty when even the number of partitions is not
     */
    @SuppressWarnings("ArrayRecordComponent") // one number per partition; never compared
    record TopicState(String id, long[] starts, long[] ends, int[] epochs, String failure) {
        /** Whether what is said here, be it by silence, holds for a partition. */
        public boolean knows(int partition) {
            return failure.isEmpty() || (partition < ends.length && starts[partition] >= 0 && ends[partition] >= 0);
        }
    }

    /**
     * The topics of some streams, by stream id; those that do not exist are absent. One that cannot be asked for says
     * so, and keeps none of the others back. Blocks.
     */
    Map<Integer, TopicState> topicStates(Collection<StreamInfo> streams);

    /**
     * Whether the topics of some streams are compacted now, by stream id; those for which it cannot be found out are
     * absent. Blocks.
     */
    Map<Integer, Boolean> compactedTopics(Collection<StreamInfo> streams);

    /**
     * Position after the last visible record, for each partition of the stream, read now; {@link Long#MAX_VALUE} where
     * the log is another than the stream's route says.
     *
     * @throws io.waterwheel.error.WaterwheelException TEMPORARY when the topic is not there, or has fewer partitions
     */
    long[] logEnds(StreamInfo stream);
}
