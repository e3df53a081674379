package io.waterwheel.topology.kafka;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.ByteBufferDeserializer;

/** How every consumer reads: committed records, from offsets that we give, into buffers that are shared, not copied. */
final class ConsumerSettings {
    /** Time that a broker may hold a fetch without news, hence the delay of a seek behind such a fetch. */
    private static final int FETCH_WAIT_MILLIS = 100;

    private static final int MAX_POLL_RECORDS = 100_000;
    private static final int SMALLEST_FETCH = 64 << 10;
    /** What a broker answers to one fetch of all partitions, about. */
    private static final int ANSWER_BYTES = 16 << 20;

    private ConsumerSettings() {}

    /**
     * A consumer.
     *
     * @param fetchBytes about how much one fetch of a partition brings; a larger record still comes
     */
    static KafkaConsumer<ByteBuffer, ByteBuffer> consumer(String bootstrap, String clientId, int fetchBytes) {
        return consumer(bootstrap, clientId, fetchBytes, "read_committed");
    }

    /** A consumer of another isolation level. */
    static KafkaConsumer<ByteBuffer, ByteBuffer> consumer(
            String bootstrap, String clientId, int fetchBytes, String isolation) {
        return consumer(bootstrap, clientId, fetchBytes, ANSWER_BYTES, isolation);
    }

    /**
     * One that is to take little memory.
     *
     * @param answerBytes about how much a broker answers to one fetch of all partitions
     */
    static KafkaConsumer<ByteBuffer, ByteBuffer> consumer(
            String bootstrap, String clientId, int fetchBytes, int answerBytes, String isolation) {
        int partitionBytes = Math.max(fetchBytes, SMALLEST_FETCH);
        Map<String, Object> settings = new HashMap<>();
        settings.put(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrap);
        settings.put(ConsumerConfig.CLIENT_ID_CONFIG, clientId);
        settings.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, isolation);
        settings.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none");
        settings.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
        settings.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
        settings.put(ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG, FETCH_WAIT_MILLIS);
        settings.put(ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, partitionBytes);
        settings.put(ConsumerConfig.FETCH_MAX_BYTES_CONFIG, Math.max(answerBytes, partitionBytes));
        settings.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, MAX_POLL_RECORDS);
        return new KafkaConsumer<>(settings, new ByteBufferDeserializer(), new ByteBufferDeserializer());
    }
}
