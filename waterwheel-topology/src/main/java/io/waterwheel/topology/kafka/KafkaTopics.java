package io.waterwheel.topology.kafka;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.DescribeConfigsOptions;
import org.apache.kafka.clients.admin.DescribeTopicsOptions;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.ListOffsetsResult;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.InvalidPartitionsException;
import org.apache.kafka.common.errors.PolicyViolationException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Topics and their offsets. Thread-safe. Calls block: each question is waited for {@link #PATIENCE_SECONDS} at most.
 */
public final class KafkaTopics implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(KafkaTopics.class);
    private static final int PATIENCE_SECONDS = 30;
    /** One that does not answer keeps the others waiting for so long. */
    private static final int STATE_MILLIS = 5_000;
    /** The broker's own default. */
    private static final Optional<Short> DEFAULT_REPLICATION = Optional.empty();

    /**
     * A topic as it is.
     *
     * @param id of this making of the topic: one deleted and made again has another
     * @param made whether the call that says so has made it
     */
    public record Topic(String name, String id, int partitions, boolean made) {}

    private static final Map<String, String> DELETED_BY_TIME =
            Map.of(TopicConfig.CLEANUP_POLICY_CONFIG, TopicConfig.CLEANUP_POLICY_DELETE);

    private static final Map<String, String> SHORT_SEGMENTS = Map.of(
            TopicConfig.CLEANUP_POLICY_CONFIG,
            TopicConfig.CLEANUP_POLICY_DELETE,
            TopicConfig.SEGMENT_BYTES_CONFIG,
            Integer.toString(32 << 20));

    private final String bootstrap;
    private final Admin admin;
    /** Of the writer are deletions, of the readers those who want all records. */
    private final ReentrantReadWriteLock deletions = new ReentrantReadWriteLock();

    public KafkaTopics(String bootstrap) {
        this.bootstrap = bootstrap;
        this.admin = Admin.create(Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrap));
    }

    /** What asks Kafka; closed with this. */
    Admin admin() {
        return admin;
    }

    String bootstrap() {
        return bootstrap;
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
                            description.partitions().size(),
                            false));
        } catch (WaterwheelException e) {
            if (e.getCause() instanceof UnknownTopicOrPartitionException) {
                return Optional.empty();
            }
            throw e;
        }
    }

    /**
     * Makes the topic unless it exists, and refuses one that is unfit: a compacted topic loses records below offsets
     * that were read, so what a replay reads would not be what was read before.
     *
     * @param partitions of a new topic; an existing one keeps its own
     * @param shortSegments whether the files of a new topic are to be short, because its records are deleted before its
     *     retention is over: Kafka deletes whole files, and never the last one of a partition
     * @throws WaterwheelException USER when the topic is compacted
     */
    public Topic ensure(String topic, int partitions, boolean shortSegments) {
        TopicNames.checkSource(topic);
        Optional<Topic> found = find(topic);
        boolean made = false;
        if (found.isEmpty()) {
            made = create(topic, partitions, shortSegments ? SHORT_SEGMENTS : DELETED_BY_TIME);
            found = findMade(topic);
        }
        Topic existing = found.orElseThrow(() ->
                new WaterwheelException(ErrorCode.KAFKA_UNAVAILABLE, "topic " + topic + ": made, but not seen yet"));
        refuseCompacted(topic);
        return new Topic(existing.name(), existing.id(), existing.partitions(), made);
    }

    /** {@link #ensure(String, int, boolean)} with files of the usual length. */
    public Topic ensure(String topic, int partitions) {
        return ensure(topic, partitions, false);
    }

    /**
     * Runs something that reads a topic, or notes where it begins, while this process deletes no records of any: what
     * was seen of it would not hold. Several may run at once.
     */
    public <T, E extends Exception> T keepingAll(Work<T, E> work) throws E {
        deletions.readLock().lock();
        try {
            return work.run();
        } finally {
            deletions.readLock().unlock();
        }
    }

    /** Runs something that may delete records, while nothing runs that wants all of them; or does nothing. */
    public void unlessAllAreKept(Runnable work) {
        if (deletions.writeLock().tryLock()) {
            try {
                work.run();
            } finally {
                deletions.writeLock().unlock();
            }
        }
    }

    /** What is run by {@link #keepingAll}. */
    public interface Work<T, E extends Exception> {
        T run() throws E;
    }

    /**
     * Deletes the first records of a topic. The bytes follow within minutes, whole files at a time.
     *
     * @param before by partition the first offset that stays
     */
    public void deleteBefore(String topic, Map<Integer, Long> before) {
        Map<TopicPartition, RecordsToDelete> asked = new HashMap<>();
        before.forEach((partition, offset) ->
                asked.put(new TopicPartition(topic, partition), RecordsToDelete.beforeOffset(offset)));
        get("delete records of topic " + topic, admin.deleteRecords(asked).all());
    }

    /**
     * Makes the topic for the dead letters of a stream's topic, with one partition, unless it exists; of one with more,
     * the first is used. It is compacted, and keeps letters for ever. One that exists keeps its {@code cleanup.policy}:
     * of an older release's, whose letters have no keys, compaction would take them; but nothing of it is deleted by
     * time or size from now on.
     *
     * @return what should be known of it, for people; empty when there is nothing
     */
    public String ensureDeadLetters(String topic) {
        String name = TopicNames.deadLettersOf(topic);
        if (find(name).isEmpty()) {
            boolean unused = create(
                    name,
                    1,
                    Map.of(
                            TopicConfig.CLEANUP_POLICY_CONFIG,
                            TopicConfig.CLEANUP_POLICY_COMPACT,
                            TopicConfig.RETENTION_MS_CONFIG,
                            "-1"));
            findMade(name);
        }
        return Stream.of(keepForEver(name), tooFewReplicas(name))
                .filter(warning -> !warning.isEmpty())
                .collect(Collectors.joining("; "));
    }

    /** Letters are stored in any case: what may become of them is only said. */
    private String keepForEver(String name) {
        ConfigResource resource = resource(name);
        Config config;
        try {
            config = getOnceKnown(
                            "read the configuration of topic " + name,
                            () -> admin.describeConfigs(List.of(resource)).all())
                    .getOrDefault(resource, new Config(List.of()));
        } catch (WaterwheelException e) {
            return "whether it keeps letters for ever is not known (right DESCRIBE_CONFIGS): " + e.getMessage();
        }
        if (policy(config).contains(TopicConfig.CLEANUP_POLICY_DELETE)
                && (!isEndless(config, TopicConfig.RETENTION_MS_CONFIG)
                        || !isEndless(config, TopicConfig.RETENTION_BYTES_CONFIG))) {
            List<AlterConfigOp> endless = List.of(
                    new AlterConfigOp(new ConfigEntry(TopicConfig.RETENTION_MS_CONFIG, "-1"), AlterConfigOp.OpType.SET),
                    new AlterConfigOp(
                            new ConfigEntry(TopicConfig.RETENTION_BYTES_CONFIG, "-1"), AlterConfigOp.OpType.SET));
            try {
                get(
                        "let topic " + name + " keep its letters",
                        admin.incrementalAlterConfigs(Map.of(resource, endless)).all());
            } catch (WaterwheelException e) {
                return "it may delete letters, since retention.ms and retention.bytes are not -1 and cannot be changed"
                        + " (right ALTER_CONFIGS): " + e.getMessage();
            }
            LOG.warn(
                    "topic {}: retention.ms and retention.bytes are -1 now, or it would delete its letters; its"
                            + " cleanup.policy is {} still, since compaction would take the letters of older releases,"
                            + " which have no keys",
                    name,
                    policy(config));
        }
        return "";
    }

    private static boolean isEndless(Config config, String name) {
        ConfigEntry entry = config.get(name);
        return entry != null && "-1".equals(entry.value());
    }

    /** Not known is no warning: it is asked for again with the letters of another worker, or when this one was idle. */
    private String tooFewReplicas(String topic) {
        try {
            int brokers =
                    get("count the brokers", admin.describeCluster().nodes()).size();
            TopicDescription found = getOnceKnown("describe topic " + topic, () -> admin.describeTopics(List.of(topic))
                            .allTopicNames())
                    .get(topic);
            return found == null
                    ? ""
                    : replicaWarning(
                            topic,
                            brokers,
                            found.partitions()
                                    .get(DeadLetterFormat.PARTITION)
                                    .replicas()
                                    .size());
        } catch (WaterwheelException e) {
            LOG.warn("how many replicas topic {} has is not known: {}", topic, e.getMessage());
            return "";
        }
    }

    /** Where there is but one broker, there cannot be two. */
    static String replicaWarning(String topic, int brokers, int replicas) {
        return brokers < 2 || replicas >= 2
                ? ""
                : "the topic " + topic + " has " + replicas + " replica: with its broker's disk the dead letters are"
                        + " gone. Give it two or more (kafka-reassign-partitions.sh)";
    }

    /** Whether it was made now, and not by another process at this moment. */
    private boolean create(String topic, int partitions, Map<String, String> configs) {
        NewTopic made = new NewTopic(topic, Optional.of(partitions), DEFAULT_REPLICATION).configs(configs);
        try {
            get("create topic " + topic, admin.createTopics(List.of(made)).all());
            return true;
        } catch (WaterwheelException e) {
            if (e.getCause() instanceof TopicExistsException) {
                return false;
            }
            // It does run.
            throw e.getCause() instanceof PolicyViolationException || e.getCause() instanceof InvalidPartitionsException
                    ? new WaterwheelException(
                            ErrorCode.TOPIC_REFUSED,
                            "Kafka does not make a topic " + topic + " of " + partitions + " partitions: "
                                    + e.getCause().getMessage(),
                            e.getCause())
                    : e;
        }
    }

    private void refuseCompacted(String topic) {
        ConfigResource resource = resource(topic);
        String policy = policy(
                getOnceKnown("read the configuration of topic " + topic, () -> admin.describeConfigs(List.of(resource))
                                .all())
                        .getOrDefault(resource, new Config(List.of())));
        if (isCompaction(policy)) {
            throw new WaterwheelException(
                    ErrorCode.TOPIC_COMPACTED,
                    "topic " + topic + ": expected cleanup.policy=delete, got " + policy
                            + "; compaction removes records that must be read again after a crash. Take another topic");
        }
    }

    /**
     * Whether some topics are compacted now, by name. Those for which it cannot be found out are absent, and keep
     * nothing else back.
     */
    public Map<String, Boolean> compacted(Collection<String> names) {
        DescribeConfigsOptions patience = new DescribeConfigsOptions().timeoutMs(STATE_MILLIS);
        Map<String, Boolean> found = new HashMap<>();
        admin.describeConfigs(names.stream().map(KafkaTopics::resource).toList(), patience)
                .values()
                .forEach((resource, answer) -> {
                    String name = resource.name();
                    try {
                        String policy = policy(get("read the configuration of topic " + name, answer));
                        found.put(name, isCompaction(policy));
                    } catch (WaterwheelException e) {
                        if (!(e.getCause() instanceof UnknownTopicOrPartitionException)) {
                            LOG.warn("whether topic {} is compacted is not known: {}", name, e.getMessage());
                        }
                    }
                });
        return found;
    }

    private static ConfigResource resource(String topic) {
        return new ConfigResource(ConfigResource.Type.TOPIC, topic);
    }

    private static String policy(Config config) {
        var policy = config.get(TopicConfig.CLEANUP_POLICY_CONFIG);
        return policy == null ? "" : policy.value();
    }

    private static boolean isCompaction(String policy) {
        return policy.contains(TopicConfig.CLEANUP_POLICY_COMPACT);
    }

    /** First offset of each partition that the log still holds. */
    public long[] startOffsets(Topic topic) {
        Map<TopicPartition, OffsetSpec> asked = new HashMap<>();
        for (int partition = 0; partition < topic.partitions(); partition++) {
            asked.put(new TopicPartition(topic.name(), partition), OffsetSpec.earliest());
        }
        ListOffsetsOptions committed = new ListOffsetsOptions(IsolationLevel.READ_COMMITTED);
        Map<TopicPartition, ListOffsetsResult.ListOffsetsResultInfo> found = get(
                "list offsets of topic " + topic.name(),
                admin.listOffsets(asked, committed).all());
        long[] offsets = new long[topic.partitions()];
        found.forEach((partition, info) -> offsets[partition.partition()] = info.offset());
        return offsets;
    }

    /**
     * A topic with its offsets.
     *
     * @param id of this making of the topic; empty when it could not be described
     * @param starts what {@link #startOffsets} says; -1 where the broker did not answer
     * @param ends one after the last committed record, where a reader of committed records comes to its end; -1 where
     *     the broker did not answer
     * @param epochs of the leaders that named the ends; -1 where not known
     * @param failure what could not be asked for and why; empty when everything was answered
     */
    @SuppressWarnings("ArrayRecordComponent") // one number per partition; never compared
    public record State(String id, long[] starts, long[] ends, int[] epochs, String failure) {
        private static State of(TopicDescription description) {
            int partitions = description.partitions().size();
            State state = new State(
                    description.topicId().toString(),
                    new long[partitions],
                    new long[partitions],
                    new int[partitions],
                    "");
            Arrays.fill(state.starts, -1);
            Arrays.fill(state.ends, -1);
            Arrays.fill(state.epochs, -1);
            return state;
        }

        private State failed(String why) {
            return failure.isEmpty() ? new State(id, starts, ends, epochs, why) : this;
        }
    }

    /**
     * Some topics as they are, by name; those that do not exist are absent. What cannot be asked for of one (no leader,
     * not allowed) says so there, and keeps nothing else back.
     */
    public Map<String, State> states(Collection<String> names) {
        Map<String, State> states = new HashMap<>();
        Map<TopicPartition, OffsetSpec> first = new HashMap<>();
        Map<TopicPartition, OffsetSpec> last = new HashMap<>();
        DescribeTopicsOptions patience = new DescribeTopicsOptions().timeoutMs(STATE_MILLIS);
        admin.describeTopics(names, patience).topicNameValues().forEach((name, answer) -> {
            try {
                TopicDescription description = get("describe topic " + name, answer);
                State state = State.of(description);
                for (TopicPartitionInfo info : description.partitions()) {
                    if (info.leader() == null || info.leader().isEmpty()) {
                        // It would be asked for until the time is up, and all the others with it.
                        state = state.failed("partition " + info.partition() + " has no leader");
                    } else {
                        first.put(new TopicPartition(name, info.partition()), OffsetSpec.earliest());
                        last.put(new TopicPartition(name, info.partition()), OffsetSpec.latest());
                    }
                }
                states.put(name, state);
            } catch (WaterwheelException e) {
                if (!(e.getCause() instanceof UnknownTopicOrPartitionException)) {
                    states.put(
                            name, new State("", new long[0], new long[0], new int[0], String.valueOf(e.getMessage())));
                }
            }
        });
        ListOffsetsOptions committed = new ListOffsetsOptions(IsolationLevel.READ_COMMITTED).timeoutMs(STATE_MILLIS);
        ListOffsetsResult starts = admin.listOffsets(first, committed);
        ListOffsetsResult ends = admin.listOffsets(last, committed);
        for (TopicPartition partition : first.keySet()) {
            states.computeIfPresent(partition.topic(), (name, state) -> {
                try {
                    String what = "list offsets of " + partition;
                    state.starts[partition.partition()] =
                            get(what, starts.partitionResult(partition)).offset();
                    var end = get(what, ends.partitionResult(partition));
                    state.ends[partition.partition()] = end.offset();
                    state.epochs[partition.partition()] = end.leaderEpoch().orElse(-1);
                    return state;
                } catch (WaterwheelException e) {
                    return state.failed(String.valueOf(e.getMessage()));
                }
            });
        }
        return states;
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
                ErrorCode.KAFKA_UNAVAILABLE, "Kafka at " + bootstrap + ": " + what + " failed: " + cause, cause);
    }

    /** A topic that was just made; empty when it does not show while Kafka is waited for. */
    private Optional<Topic> findMade(String topic) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        Optional<Topic> found = find(topic);
        while (found.isEmpty() && System.nanoTime() - deadline < 0) {
            pause();
            found = find(topic);
        }
        return found;
    }

    /** Each broker learns of a new topic by itself: one that does not know it yet is asked again. */
    private <T> T getOnceKnown(String what, Supplier<KafkaFuture<T>> asked) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (true) {
            try {
                return get(what, asked.get());
            } catch (WaterwheelException e) {
                if (!(e.getCause() instanceof UnknownTopicOrPartitionException) || System.nanoTime() - deadline >= 0) {
                    throw e;
                }
                pause();
            }
        }
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
