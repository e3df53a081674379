package io.waterwheel.client.kafka;

import java.time.Duration;
import java.util.Map;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * A consumer of bytes without a group. Its end waits for nothing: a broker holds a fetch of a partition without news
 * for half a second, and the answer has no reader.
 */
final class TopicConsumer extends KafkaConsumer<byte[], byte[]> {
    /** @param settings as Kafka names them, without a group and without deserializers */
    TopicConsumer(Map<String, Object> settings) {
        super(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    @Override
    public void close() {
        close(CloseOptions.timeout(Duration.ZERO));
    }
}
