package io.waterwheel.topology.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class KafkaTopicsTest {
    @Test
    void oneReplicaIsTooFewWhereThereCouldBeTwo() {
        assertThat(KafkaTopics.replicaWarning("t.dead-letters", 3, 1))
                .startsWith("the topic t.dead-letters has 1 replica: ")
                .contains("kafka-reassign-partitions.sh");
        assertThat(KafkaTopics.replicaWarning("t.dead-letters", 3, 2)).isEmpty();
        assertThat(KafkaTopics.replicaWarning("t.dead-letters", 1, 1)).isEmpty();
    }
}
