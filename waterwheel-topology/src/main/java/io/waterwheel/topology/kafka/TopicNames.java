package io.waterwheel.topology.kafka;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import org.jspecify.annotations.Nullable;

/** The topic of each stream, as the catalog has it. Thread-safe. */
@FunctionalInterface
public interface TopicNames {
    /** Ends the name of the topic for what cannot be decoded. */
    String DEAD_LETTERS = ".dead-letters";

    /** Ends the name of the topic for the notes of named appends. */
    String APPENDS = ".appends";

    /** Ends the name of the topic for the keys under which gateways appended. */
    String APPEND_KEYS = ".append-keys";

    /** Begins the names of topics that Kafka keeps for itself, such as consumers' offsets. */
    String KAFKAS_OWN = "__";

    /** Characters in the name of a topic, as Kafka bounds it. */
    int MAX_LENGTH = 249;

    /** The topic that feeds the stream; null when there is no such stream. */
    @Nullable
    String topicOf(int streamId);

    /** Name of the topic for what cannot be decoded. */
    static String deadLettersOf(String topic) {
        return topic + DEAD_LETTERS;
    }

    /**
     * Refuses a topic for a stream that is Kafka's own, that is another topic's dead letters or notes of appends, or
     * whose name is so long that its dead letters could have no topic.
     *
     * @throws WaterwheelException USER when it cannot be a stream's
     */
    static void checkSource(String topic) {
        if (topic.startsWith(KAFKAS_OWN)) {
            throw new WaterwheelException(
                    ErrorCode.BAD_TOPIC,
                    "topic " + topic + ": names that begin with " + KAFKAS_OWN
                            + " are of topics that Kafka keeps for itself. Take another name");
        }
        if (topic.endsWith(DEAD_LETTERS) || topic.endsWith(APPENDS) || topic.endsWith(APPEND_KEYS)) {
            throw new WaterwheelException(
                    ErrorCode.BAD_TOPIC,
                    "topic " + topic + ": names that end with " + DEAD_LETTERS + ", " + APPENDS + " or " + APPEND_KEYS
                            + " are of topics that hold what belongs to another. Take another name");
        }
        if (topic.length() > MAX_LENGTH - DEAD_LETTERS.length()) {
            throw new WaterwheelException(
                    ErrorCode.BAD_TOPIC,
                    "topic " + topic + ": expected at most " + (MAX_LENGTH - DEAD_LETTERS.length())
                            + " characters, so that the topic of its dead letters can be named, got "
                            + topic.length());
        }
    }
}
