package io.waterwheel.topology.kafka;

import org.jspecify.annotations.Nullable;

/** The topic of each stream, as the catalog has it. Thread-safe. */
@FunctionalInterface
public interface TopicNames {
    /** The topic that feeds the stream; null when there is no such stream. */
    @Nullable
    String topicOf(int streamId);

    /** Name of the topic for what cannot be decoded. */
    static String deadLettersOf(String topic) {
        return topic + ".dead-letters";
    }
}
