package io.waterwheel.client.kafka;

import io.waterwheel.client.admin.StreamDetails;
import io.waterwheel.decode.RecordFacts;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/** Kafka's topic of a stream. It is of no consumer group, and keeps nothing in Kafka. One thread. */
public final class TopicReader implements TopicLog {
    /** Of one answer of a broker; a single batch of records may be longer. */
    private static final int FETCH_BYTES = 1 << 20;

    private static final int PARTITION_BYTES = 256 << 10;
    /** Handed over at a time: one may be as long as the topic allows. */
    private static final int RECORDS = 16;

    private static final long MOST_REST_MILLIS = 100;
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private final StreamDetails stream;
    private final KafkaConsumer<byte[], byte[]> consumer;
    private final Set<TopicPartition> partitions = new HashSet<>();
    /** Where reading is to begin, of those that were sought since the last poll. */
    private final Map<TopicPartition, Long> sought = new HashMap<>();

    private boolean changed;

    /** A reader of no partition yet. */
    public TopicReader(StreamDetails stream) {
        this.stream = stream;
        this.consumer = new TopicConsumer(Map.of(
                ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                stream.topic().bootstrapServers(),
                ConsumerConfig.ISOLATION_LEVEL_CONFIG,
                "read_committed",
                ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
                "none",
                ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
                false,
                ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG,
                false,
                ConsumerConfig.FETCH_MAX_BYTES_CONFIG,
                FETCH_BYTES,
                ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG,
                PARTITION_BYTES,
                ConsumerConfig.MAX_POLL_RECORDS_CONFIG,
                RECORDS,
                ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG,
                (int) TIMEOUT.toMillis()));
    }

    private TopicPartition at(int partition) {
        return new TopicPartition(stream.definition().topic(), partition);
    }

    /** What Kafka's client says of a record. */
    private record Facts(ConsumerRecord<byte[], byte[]> record) implements RecordFacts {
        @Override
        public int partition() {
            return record.partition();
        }

        @Override
        public long offset() {
            return record.offset();
        }

        @Override
        public long timestamp() {
            return record.timestamp();
        }

        @Override
        public @Nullable ByteBuffer key() {
            return record.key() == null ? null : ByteBuffer.wrap(record.key());
        }

        @Override
        public @Nullable ByteBuffer header(String name) {
            Header last = record.headers().lastHeader(name);
            return last == null || last.value() == null ? null : ByteBuffer.wrap(last.value());
        }
    }

    @Override
    public long beginning(int partition) {
        TopicPartition at = at(partition);
        return asked(() -> consumer.beginningOffsets(List.of(at)).getOrDefault(at, 0L));
    }

    @Override
    public long end(int partition) {
        // A consumer of committed records is told where the first open transaction begins.
        try (Admin admin = Admin.create(Map.<String, Object>of(
                AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG,
                stream.topic().bootstrapServers(),
                AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG,
                (int) TIMEOUT.toMillis(),
                AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG,
                (int) TIMEOUT.toMillis()))) {
            return admin.listOffsets(
                            Map.of(at(partition), OffsetSpec.latest()),
                            new ListOffsetsOptions(IsolationLevel.READ_UNCOMMITTED))
                    .partitionResult(at(partition))
                    .get(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)
                    .offset();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw interrupted(e);
        } catch (ExecutionException | TimeoutException e) {
            throw failed(e.getCause() == null ? e : e.getCause());
        }
    }

    @Override
    public void seek(int partition, long offset) {
        partitions.add(at(partition));
        sought.put(at(partition), offset);
        changed = true;
    }

    @Override
    public void drop(int partition) {
        partitions.remove(at(partition));
        sought.remove(at(partition));
        changed = true;
    }

    private void assign() {
        if (changed) {
            consumer.assign(partitions);
            sought.forEach(consumer::seek);
            sought.clear();
            changed = false;
        }
    }

    @Override
    public Set<Integer> poll(Duration patience, Take take) {
        Set<Integer> without = new HashSet<>();
        asked(() -> {
            assign();
            if (partitions.isEmpty()) {
                // Kafka's client does not wait for nothing.
                rest(patience);
                return 0L;
            }
            try {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(patience)) {
                    byte[] value = record.value();
                    take.record(ByteBuffer.wrap(value == null ? new byte[0] : value), new Facts(record));
                }
            } catch (OffsetOutOfRangeException e) {
                without.addAll(
                        e.partitions().stream().map(TopicPartition::partition).collect(Collectors.toSet()));
            }
            return 0L;
        });
        return without;
    }

    private static void rest(Duration patience) {
        try {
            TimeUnit.MILLISECONDS.sleep(Math.min(patience.toMillis(), MOST_REST_MILLIS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw interrupted(e);
        }
    }

    private long asked(Supplier<Long> question) {
        try {
            return question.get();
        } catch (InterruptException e) {
            Thread.currentThread().interrupt();
            throw interrupted(e);
        } catch (KafkaException e) {
            throw failed(e);
        }
    }

    private static WaterwheelException interrupted(Exception e) {
        return new WaterwheelException(ErrorCode.INTERRUPTED, "interrupted while a topic was read", e);
    }

    private WaterwheelException failed(Throwable why) {
        return new WaterwheelException(
                ErrorCode.KAFKA_UNREACHABLE,
                "topic " + stream.definition().topic() + " at " + stream.topic().bootstrapServers()
                        + " cannot be read: " + why.getMessage(),
                why);
    }

    @Override
    public void close() {
        consumer.close();
    }
}
