package io.waterwheel.topology.kafka;

import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.RecordDeserializationException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.jspecify.annotations.Nullable;

/**
 * Whose failure it is when a consumer's poll fails: one partition's must not end the reading of the others, which goes
 * on when those who are to blame are no longer read. Kafka's consumer may have passed records of the others in that
 * poll: they must be sent back to what they had handed on.
 */
final class FailedPartitions {
    private FailedPartitions() {}

    /**
     * The partitions that a failure is about.
     *
     * @param read what the consumer reads
     * @return some of {@code read}: none when the failure names only what is not read, all when it does not say
     */
    static Set<TopicPartition> of(RuntimeException failure, Collection<TopicPartition> read) {
        if (failure instanceof TopicAuthorizationException unauthorized) {
            return ofTopics(unauthorized.unauthorizedTopics(), read);
        }
        if (failure instanceof InvalidTopicException invalid) {
            return ofTopics(invalid.invalidTopics(), read);
        }
        if (failure instanceof RecordDeserializationException record) {
            return read.contains(record.topicPartition()) ? Set.of(record.topicPartition()) : Set.of();
        }
        TopicPartition named = named(failure, read);
        return named == null ? Set.copyOf(read) : Set.of(named);
    }

    private static Set<TopicPartition> ofTopics(Set<String> topics, Collection<TopicPartition> read) {
        if (topics.isEmpty()) {
            return Set.copyOf(read);
        }
        Set<TopicPartition> blamed = new HashSet<>();
        for (TopicPartition partition : read) {
            if (topics.contains(partition.topic())) {
                blamed.add(partition);
            }
        }
        return blamed;
    }

    /**
     * The partition that the message names: of a damaged batch, record or answer that is all that Kafka's client gives.
     * The longest of several: "rows-1" is also the beginning of "rows-12", and of "rows-1-0".
     */
    private static @Nullable TopicPartition named(Throwable failure, Collection<TopicPartition> read) {
        String said = String.valueOf(failure.getMessage());
        TopicPartition found = null;
        for (TopicPartition partition : List.copyOf(read)) {
            if (said.contains(partition.toString())
                    && (found == null
                            || partition.toString().length() > found.toString().length())) {
                found = partition;
            }
        }
        return found;
    }
}
