package io.waterwheel.topology.kafka;

import io.waterwheel.model.WaterwheelException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.ListOffsetsResult;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/** Topics and their offsets. Thread-safe. Calls block, for {@link #PATIENCE_SECONDS} at most. */
public final class KafkaTopics implements AutoCloseable {
    private static final int PATIENCE_SECONDS = 30;
    /** The broker's own default. */
    private static final Optional<Short> DEFAULT_REPLICATION = Optional.empty();

    /**
     * A topic as it is.
     *
     * @param id of this making of the topic: one deleted and made again has another
     */
    public record Topic(String name, String id, int partitions) {}

    private final String bootstrap;
    private final Admin admin;

    public KafkaTopics(String bootstrap) {
        this.bootstrap = bootstrap;
        this.admin = Admin.create(Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrap));
    }

    /** The topic, or empty when there is none. A topic that was just made may take a moment to show. */
    public Optional<Topic> find(String topic) {
        try {
            TopicDescription description = get(
                            "describe topic " + topic,
                            admin.describeTopics(List.of(topic)).allTopicNames())
                    .getOrDefault(topic, null);
            return description == null
                    ? Optional.empty()
                    : Optional.of(new Topic(
                            topic,
                            description.topicId().toString(),
                            description.partitions().size()));
        } catch (WaterwheelException e) {
            if (e.getCause() instanceof UnknownTopicOrPartitionException) {
                return Optional.empty();
            }
            throw e;
        }
    }

    /** Those of the topics that exist, by name; the others are absent. */
    public Map<String, Topic> find(Collection<String> names) {
        Map<String, Topic> found = new HashMap<>();
        for (Map.Entry<String, KafkaFuture<TopicDescription>> entry :
                admin.describeTopics(names).topicNameValues().entrySet()) {
            try {
                TopicDescription description = get("describe topic " + entry.getKey(), entry.getValue());
                found.put(
                        entry.getKey(),
                        new Topic(
                                entry.getKey(),
                                description.topicId().toString(),
                                description.partitions().size()));
            } catch (WaterwheelException e) {
                if (!(e.getCause() instanceof UnknownTopicOrPartitionException)) {
                    throw e;
                }
            }
        }
        return found;
    }

    /**
     * Makes the topic unless it exists, and refuses one that is unfit: a compacted topic loses records below offsets
     * that were read, so what a replay reads would not be what was read before.
     *
     * @param partitions of a new topic; an existing one keeps its own
     * @throws WaterwheelException USER when the topic is compacted
     */
    public Topic ensure(String topic, int partitions) {
        Optional<Topic> found = find(topic);
        if (found.isEmpty()) {
            create(topic, partitions);
            found = find(topic);
            for (int attempt = 0; found.isEmpty() && attempt < 100; attempt++) {
                pause();
                found = find(topic);
            }
        }
        Topic existing = found.orElseThrow(() -> new WaterwheelException(
                WaterwheelException.Kind.TEMPORARY,
                "KAFKA_UNAVAILABLE",
                "topic " + topic + ": made, but not seen yet"));
        refuseCompacted(topic);
        return existing;
    }

    /** Makes the topic for the dead letters of a stream's topic, with one partition, unless it exists. */
    public void ensureDeadLetters(String topic) {
        ensure(TopicNames.deadLettersOf(topic), 1);
    }

    private void create(String topic, int partitions) {
        NewTopic made = new NewTopic(topic, Optional.of(partitions), DEFAULT_REPLICATION)
                .configs(Map.of(TopicConfig.CLEANUP_POLICY_CONFIG, TopicConfig.CLEANUP_POLICY_DELETE));
        try {
            get("create topic " + topic, admin.createTopics(List.of(made)).all());
        } catch (WaterwheelException e) {
            if (!(e.getCause() instanceof TopicExistsException)) {
                throw e;
            }
        }
    }

    private void refuseCompacted(String topic) {
        ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
        Config config = get(
                        "read the configuration of topic " + topic,
                        admin.describeConfigs(List.of(resource)).all())
                .getOrDefault(resource, new Config(List.of()));
        var policy = config.get(TopicConfig.CLEANUP_POLICY_CONFIG);
        if (policy != null && policy.value().contains(TopicConfig.CLEANUP_POLICY_COMPACT)) {
            throw new WaterwheelException(
                    WaterwheelException.Kind.USER,
                    "TOPIC_COMPACTED",
                    "topic " + topic + ": expected cleanup.policy=delete, got " + policy.value()
                            + "; compaction removes records that must be read again after a crash. Take another topic");
        }
    }

    /** First offset of each partition that the log still holds. */
    public long[] startOffsets(Topic topic) {
        return offsets(topic, OffsetSpec.earliest());
    }

    /** One after the last committed record of each partition: where a reader of committed records comes to its end. */
    public long[] endOffsets(Topic topic) {
        return offsets(topic, OffsetSpec.latest());
    }

    /**
     * First and last offsets of all partitions of some topics, in one request each.
     *
     * @return by name, two arrays: what {@link #startOffsets} and {@link #endOffsets} say
     */
    public Map<String, long[][]> offsets(Collection<Topic> topics) {
        Map<String, long[][]> all = new HashMap<>();
        for (Topic topic : topics) {
            all.put(topic.name(), new long[2][topic.partitions()]);
        }
        OffsetSpec[] ends = {OffsetSpec.earliest(), OffsetSpec.latest()};
        for (int i = 0; i < ends.length; i++) {
            Map<TopicPartition, OffsetSpec> asked = new HashMap<>();
            for (Topic topic : topics) {
                for (int partition = 0; partition < topic.partitions(); partition++) {
                    asked.put(new TopicPartition(topic.name(), partition), ends[i]);
                }
            }
            ListOffsetsOptions committed = new ListOffsetsOptions(IsolationLevel.READ_COMMITTED);
            int end = i;
            get(
                            "list offsets of " + topics.size() + " topics",
                            admin.listOffsets(asked, committed).all())
                    .forEach((partition, info) ->
                            java.util.Objects.requireNonNull(all.get(partition.topic()))[end][partition.partition()] =
                                    info.offset());
        }
        return all;
    }

    private long[] offsets(Topic topic, OffsetSpec which) {
        Map<TopicPartition, OffsetSpec> asked = new HashMap<>();
        for (int partition = 0; partition < topic.partitions(); partition++) {
            asked.put(new TopicPartition(topic.name(), partition), which);
        }
        ListOffsetsOptions committed = new ListOffsetsOptions(IsolationLevel.READ_COMMITTED);
        Map<TopicPartition, ListOffsetsResult.ListOffsetsResultInfo> found = get(
                "list offsets of topic " + topic.name(),
                admin.listOffsets(asked, committed).all());
        long[] offsets = new long[topic.partitions()];
        found.forEach((partition, info) -> offsets[partition.partition()] = info.offset());
        return offsets;
    }

    private <T> T get(String what, KafkaFuture<T> answer) {
        Throwable cause;
        try {
            return answer.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            cause = e.getCause() == null ? e : e.getCause();
        } catch (TimeoutException e) {
            cause = e;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            cause = e;
        }
        throw new WaterwheelException(
                WaterwheelException.Kind.TEMPORARY,
                "KAFKA_UNAVAILABLE",
                "Kafka at " + bootstrap + ": " + what + " failed: " + cause,
                cause);
    }

    private static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(20);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        admin.close(java.time.Duration.ofSeconds(2));
    }
}
