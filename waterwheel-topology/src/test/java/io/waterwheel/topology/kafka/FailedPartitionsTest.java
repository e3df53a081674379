package io.waterwheel.topology.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.junit.jupiter.api.Test;

/** Whose reading ends when a poll fails. */
final class FailedPartitionsTest {
    private static final TopicPartition A_1 = new TopicPartition("a", 1);
    private static final TopicPartition A_12 = new TopicPartition("a", 12);
    private static final TopicPartition A_1_0 = new TopicPartition("a-1", 0);
    private static final TopicPartition B_0 = new TopicPartition("b", 0);
    private static final Set<TopicPartition> READ = Set.of(A_1, A_12, A_1_0, B_0);

    @Test
    void whatMayNotBeReadIsOfItsTopic() {
        assertThat(FailedPartitions.of(new TopicAuthorizationException(Set.of("a")), READ))
                .containsExactlyInAnyOrder(A_1, A_12);
        assertThat(FailedPartitions.of(new TopicAuthorizationException(Set.of("not read any more")), READ))
                .isEmpty();
        assertThat(FailedPartitions.of(new TopicAuthorizationException("of a topic that is not named"), READ))
                .isEqualTo(READ);
    }

    @Test
    void whatIsDamagedIsOfThePartitionThatTheMessageNames() {
        for (TopicPartition each : READ) {
            assertThat(FailedPartitions.of(
                            new KafkaException("Record batch for partition " + each + " at offset 7 is invalid"), READ))
                    .containsExactly(each);
            assertThat(FailedPartitions.of(
                            new KafkaException("Failed to make progress reading messages at " + each + "=1."), READ))
                    .containsExactly(each);
            assertThat(FailedPartitions.of(
                            new IllegalStateException(
                                    "Unexpected error code 99 while fetching at offset 3 from topic-partition " + each),
                            READ))
                    .containsExactly(each);
        }
    }

    @Test
    void whatNamesNobodyIsOfAll() {
        assertThat(FailedPartitions.of(new SaslAuthenticationException("the password has expired"), READ))
                .isEqualTo(READ);
        assertThat(FailedPartitions.of(new KafkaException(), READ)).isEqualTo(READ);
    }
}
