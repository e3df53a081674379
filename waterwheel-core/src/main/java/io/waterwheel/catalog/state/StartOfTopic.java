package io.waterwheel.catalog.state;

/**
 * What a stream begins with of the topic that feeds it.
 *
 * @param topic its name
 * @param offsets per partition, the first that belongs to the stream
 * @param log of the topic
 * @param made whether the topic was made for this stream just now
 */
@SuppressWarnings("ArrayRecordComponent") // one number per partition; never compared
public record StartOfTopic(String topic, long[] offsets, LogIdentity log, boolean made) {
    /** Of a topic that was there before, or of which that is not known. */
    public StartOfTopic(String topic, long[] offsets, LogIdentity log) {
        this(topic, offsets, log, false);
    }
}
