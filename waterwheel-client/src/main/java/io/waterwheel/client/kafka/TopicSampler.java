package io.waterwheel.client.kafka;

import io.waterwheel.client.admin.TopicSample;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.InvalidTopicException;

/** Reads some records of a topic, to see what they are: the first and the newest of each partition. Stateless. */
public final class TopicSampler {
    private static final Duration POLL = Duration.ofMillis(200);
    /** Of values, in all. */
    private static final long MOST_BYTES = 16 << 20;

    private TopicSampler() {}

    /**
     * Reads some records.
     *
     * @param bootstrap Kafka's address
     * @param most records in all; of each partition at least two
     * @param patience how long it waits for each answer
     * @throws WaterwheelException when there is no such topic, it may not be read, or Kafka does not answer
     */
    public static TopicSample read(String bootstrap, String topic, int most, Duration patience) {
        Map<String, Object> conf = Map.of(
                ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                bootstrap,
                ConsumerConfig.ISOLATION_LEVEL_CONFIG,
                "read_committed",
                ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG,
                false,
                ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG,
                (int) patience.toMillis(),
                ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
                false);
        try (KafkaConsumer<byte[], byte[]> consumer = new TopicConsumer(conf)) {
            List<PartitionInfo> partitions = consumer.partitionsFor(topic);
            if (partitions == null || partitions.isEmpty()) {
                throw new WaterwheelException(
                        ErrorCode.BAD_TOPIC, "Kafka at " + bootstrap + " has no topic '" + topic + "'");
            }
            return new Reading(consumer, bootstrap, topic, partitions.size(), most, patience).sample();
        } catch (InvalidTopicException e) {
            throw new WaterwheelException(ErrorCode.BAD_TOPIC, "topic '" + topic + "': " + e.getMessage(), e);
        } catch (AuthorizationException e) {
            throw new WaterwheelException(
                    ErrorCode.NOT_ALLOWED,
                    "topic " + topic + " at " + bootstrap + " may not be read from here: " + e.getMessage(),
                    e);
        } catch (KafkaException e) {
            throw failed(bootstrap, topic, String.valueOf(e.getMessage()), e);
        }
    }

    private static WaterwheelException failed(String bootstrap, String topic, String why, Exception cause) {
        return new WaterwheelException(
                ErrorCode.KAFKA_UNREACHABLE, "topic " + topic + " at " + bootstrap + " cannot be read: " + why, cause);
    }

    private static final class Reading {
        private final KafkaConsumer<byte[], byte[]> consumer;
        private final String bootstrap;
        private final String topic;
        private final int partitions;
        private final int ofEach;
        private final Duration patience;
        private final List<byte[]> values = new ArrayList<>();
        private final List<byte[]> keys = new ArrayList<>();
        private final List<Instant> times = new ArrayList<>();
        private final Map<TopicPartition, Long> next = new HashMap<>();
        private long records;
        private long offsets;
        private long withoutValue;
        private long withKey;
        private long bytes;
        private long mostBytes;

        Reading(
                KafkaConsumer<byte[], byte[]> consumer,
                String bootstrap,
                String topic,
                int partitions,
                int most,
                Duration patience) {
            this.patience = patience;
            this.consumer = consumer;
            this.bootstrap = bootstrap;
            this.topic = topic;
            this.partitions = partitions;
            this.ofEach = Math.max(1, most / partitions / 2);
        }

        TopicSample sample() {
            boolean all = true;
            for (int p = 0; p < partitions; p++) {
                TopicPartition of = new TopicPartition(topic, p);
                consumer.assign(List.of(of));
                long begin = consumer.beginningOffsets(List.of(of)).getOrDefault(of, 0L);
                long end = consumer.endOffsets(List.of(of)).getOrDefault(of, 0L);
                offsets += Math.max(0, end - begin);
                mostBytes = MOST_BYTES / partitions * p + MOST_BYTES / partitions / 2;
                long first = read(of, begin, end, ofEach);
                long newest = Math.max(first, end - ofEach);
                // Each partition has its share of the bytes, and what those before it left.
                mostBytes = MOST_BYTES / partitions * (p + 1);
                long last = read(of, newest, end, ofEach);
                all &= newest == first && last >= end;
            }
            return new TopicSample(
                    topic, partitions, values, keys, times, records, withoutValue, withKey, all, offsets);
        }

        /** Reads at most {@code most} records of [from, to); returns where it ended. */
        private long read(TopicPartition of, long from, long to, int most) {
            int got = 0;
            consumer.seek(of, from);
            next.put(of, from);
            long deadline = System.nanoTime() + patience.toNanos();
            while (next.getOrDefault(of, to) < to && got < most && bytes < mostBytes) {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
                    if (record.offset() >= to || got >= most || bytes >= mostBytes) {
                        return next.getOrDefault(of, to);
                    }
                    add(record);
                    got++;
                    next.put(of, record.offset() + 1);
                    deadline = System.nanoTime() + patience.toNanos();
                }
                // Beyond records of aborted transactions, and what a transaction leaves.
                if (got < most) {
                    next.merge(of, consumer.position(of), Math::max);
                }
                if (System.nanoTime() - deadline > 0) {
                    throw failed(
                            bootstrap,
                            topic,
                            "nothing came within " + patience.toSeconds() + " s",
                            new IllegalStateException("no records"));
                }
            }
            return next.getOrDefault(of, to);
        }

        private void add(ConsumerRecord<byte[], byte[]> record) {
            records++;
            withKey += record.key() == null ? 0 : 1;
            byte[] value = record.value();
            if (value == null || value.length == 0) {
                withoutValue++;
            } else {
                bytes += value.length;
                values.add(value);
                if (record.key() != null) {
                    bytes += record.key().length;
                    keys.add(record.key());
                }
                if (record.timestamp() > 0) {
                    times.add(Instant.ofEpochMilli(record.timestamp()));
                }
            }
        }
    }
}
