package io.waterwheel.client.kafka;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;

/** How far the appends under each name have come: a compacted topic beside a stream's, one record a name in the end. */
public final class ProgressTopic {
    private static final String SUFFIX = ".appends";
    private static final long RETRY_MILLIS = 50;
    private static final int SEGMENT_BYTES = 16 << 20;
    private static final Duration POLL = Duration.ofMillis(200);

    private final String streamTopic;
    private final String name;
    private final String bootstrapServers;
    private final int partitions;

    /**
     * For the notes of named appends.
     *
     * @param streamTopic the topic of the stream
     */
    public ProgressTopic(String streamTopic, String bootstrapServers) {
        this(streamTopic, bootstrapServers, SUFFIX, 1);
    }

    /**
     * One for another kind of notes.
     *
     * @param suffix of its name
     */
    ProgressTopic(String streamTopic, String bootstrapServers, String suffix, int partitions) {
        this.streamTopic = streamTopic;
        this.name = streamTopic + suffix;
        this.bootstrapServers = bootstrapServers;
        this.partitions = partitions;
    }

    public String name() {
        return name;
    }

    /**
     * Makes it when there is none, and refuses one that is not compacted alone: retention would take a note, and what
     * it speaks of would be appended a second time.
     */
    public void ensure(Duration timeout) {
        NewTopic topic = new NewTopic(name, Optional.of(partitions), Optional.empty())
                .configs(Map.of(
                        TopicConfig.CLEANUP_POLICY_CONFIG,
                        TopicConfig.CLEANUP_POLICY_COMPACT,
                        TopicConfig.SEGMENT_BYTES_CONFIG,
                        Integer.toString(SEGMENT_BYTES)));
        int millis = (int) timeout.toMillis();
        Map<String, Object> conf = Map.of(
                AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG,
                bootstrapServers,
                AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG,
                millis,
                AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG,
                millis);
        try (Admin admin = Admin.create(conf)) {
            if (!make(admin, topic, millis)) {
                requireCompacted(admin, millis);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw failed("interrupted", e);
        } catch (ExecutionException e) {
            throw failed(String.valueOf(e.getCause()), e);
        } catch (TimeoutException | KafkaException e) {
            throw failed(e.toString(), e);
        }
    }

    /** Whether there was none. */
    private static boolean make(Admin admin, NewTopic topic, int millis)
            throws InterruptedException, ExecutionException, TimeoutException {
        try {
            admin.createTopics(List.of(topic)).all().get(millis, TimeUnit.MILLISECONDS);
            return true;
        } catch (ExecutionException e) {
            if (e.getCause() instanceof TopicExistsException) {
                return false;
            }
            throw e;
        }
    }

    private void requireCompacted(Admin admin, int millis)
            throws InterruptedException, ExecutionException, TimeoutException {
        ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, name);
        Config config = describe(admin, resource, millis);
        ConfigEntry policy = config.get(TopicConfig.CLEANUP_POLICY_CONFIG);
        if (policy == null || !TopicConfig.CLEANUP_POLICY_COMPACT.equals(policy.value())) {
            throw new WaterwheelException(
                    ErrorCode.PROGRESS_FORGOTTEN,
                    "topic " + name + " at " + bootstrapServers + ", where named appends keep their progress: expected"
                            + " cleanup.policy=compact, got " + (policy == null ? "none" : policy.value())
                            + "; retention would remove the notes, and what was appended would be appended again;"
                            + " nothing was appended. Set it: kafka-configs.sh --bootstrap-server " + bootstrapServers
                            + " --alter --topic " + name + " --add-config cleanup.policy=compact");
        }
    }

    /** A topic that was made just now may not be known to the broker that is asked. */
    private static Config describe(Admin admin, ConfigResource resource, int millis)
            throws InterruptedException, ExecutionException, TimeoutException {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        while (true) {
            try {
                return admin.describeConfigs(List.of(resource))
                        .all()
                        .get(millis, TimeUnit.MILLISECONDS)
                        .getOrDefault(resource, new Config(List.of()));
            } catch (ExecutionException e) {
                if (!(e.getCause() instanceof UnknownTopicOrPartitionException) || System.nanoTime() - deadline > 0) {
                    throw e;
                }
                TimeUnit.MILLISECONDS.sleep(RETRY_MILLIS);
            }
        }
    }

    /**
     * The last committed note of a name. Waits for transactions that others have open in the topic, so that none of
     * this name can be hidden behind them.
     */
    public Optional<byte[]> last(byte[] key, Duration timeout) {
        TopicPartition partition = new TopicPartition(name, 0);
        byte @Nullable [] last = null;
        try (KafkaConsumer<byte[], byte[]> consumer = consumer("read_committed")) {
            long end = end(partition, timeout);
            long deadline = System.nanoTime() + timeout.toNanos();
            consumer.assign(List.of(partition));
            consumer.seekToBeginning(List.of(partition));
            while (consumer.position(partition, timeout) < end) {
                for (ConsumerRecord<byte[], byte[]> note : consumer.poll(POLL)) {
                    if (Arrays.equals(note.key(), key)) {
                        last = note.value();
                    }
                }
                if (System.nanoTime() - deadline > 0) {
                    throw failed("its end was not reached within " + timeout.toSeconds() + " s", null);
                }
            }
        } catch (KafkaException e) {
            throw failed(e.toString(), e);
        }
        return Optional.ofNullable(last);
    }

    /**
     * By partition the position of the end of the stream's own topic; of what is not committed too, or another's open
     * transaction would hide what was appended after its begin.
     *
     * @param bases by partition what is added to an offset to make a position
     */
    public Map<Integer, Long> streamEnds(int partitions, Map<Integer, Long> bases, Duration timeout) {
        List<TopicPartition> all = IntStream.range(0, partitions)
                .mapToObj(partition -> new TopicPartition(streamTopic, partition))
                .toList();
        try (KafkaConsumer<byte[], byte[]> consumer = consumer("read_uncommitted")) {
            Map<Integer, Long> ends = new HashMap<>();
            consumer.endOffsets(all, timeout)
                    .forEach((partition, end) ->
                            ends.put(partition.partition(), end + bases.getOrDefault(partition.partition(), 0L)));
            return Map.copyOf(ends);
        } catch (KafkaException e) {
            throw failed(e.toString(), e);
        }
    }

    /** Above everything that is there now, committed or not. */
    private long end(TopicPartition partition, Duration timeout) {
        try (KafkaConsumer<byte[], byte[]> consumer = consumer("read_uncommitted")) {
            Long end = consumer.endOffsets(List.of(partition), timeout).get(partition);
            if (end == null) {
                throw failed("Kafka named no end of it", null);
            }
            return end;
        }
    }

    private KafkaConsumer<byte[], byte[]> consumer(String isolation) {
        return new TopicConsumer(Map.of(
                ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                bootstrapServers,
                ConsumerConfig.ISOLATION_LEVEL_CONFIG,
                isolation,
                ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
                false));
    }

    private WaterwheelException failed(String why, @Nullable Exception cause) {
        String message = "topic " + name + " at " + bootstrapServers + ", where named appends keep their progress: "
                + why + "; nothing was appended";
        return cause == null
                ? new WaterwheelException(ErrorCode.PROGRESS_UNREADABLE, message)
                : new WaterwheelException(ErrorCode.PROGRESS_UNREADABLE, message, cause);
    }
}
