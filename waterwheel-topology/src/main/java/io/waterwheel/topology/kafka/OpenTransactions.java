package io.waterwheel.topology.kafka;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeProducersOptions;
import org.apache.kafka.clients.admin.DescribeProducersResult.PartitionProducerState;
import org.apache.kafka.clients.admin.ProducerState;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.AuthorizationException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says which partitions have a transaction that has been open for long: no committed reader, so no stream, gets past
 * it. Brokers end what its producer leaves open after 15 minutes at most, by default
 * ({@code transaction.max.timeout.ms}); what is older hangs. Here it is only told of: on a cluster of others' it is not
 * known how it should end. It takes the right that reading the topic takes; where even that is refused, it is said once
 * and nothing is told of the topic.
 *
 * <p>Looks, now and then, at those partitions that were asked about since the last look, and keeps a line for each of
 * them that has something: no more than the worker has partitions. Thread-safe.
 */
public final class OpenTransactions implements AutoCloseable {
    /** Longer than brokers let a transaction be open. */
    public static final Duration LONG = Duration.ofMinutes(16);
    /** How often to look. */
    public static final Duration INTERVAL = Duration.ofMinutes(1);

    private static final Logger LOG = LoggerFactory.getLogger(OpenTransactions.class);
    private static final int CALL_MILLIS = 20_000;

    private record Key(int streamId, int partition) {}

    private record Transaction(long producerId, int producerEpoch, long startOffset) {}

    private final String bootstrap;
    private final Duration longest;
    private final TopicNames topics;
    private final Admin admin;
    private final AutoCloseable looks;
    private final Set<Key> asked = ConcurrentHashMap.newKeySet();
    private final Map<Key, String> found = new ConcurrentHashMap<>();

    // Only a look uses these, one at a time.
    /** Topics of which it was said that they may not be looked at. */
    private final Set<String> refused = new HashSet<>();
    /**
     * When each open transaction was first seen, by {@link System#nanoTime}. The times in its records do not say how
     * long it has been open: they are what its producer wrote, perhaps of last year.
     */
    private final Map<Key, Map<Transaction, Long>> seen = new HashMap<>();

    private boolean failing;

    /** Runs looks again and again, one after another; each may take {@link #CALL_MILLIS} twice. */
    @FunctionalInterface
    public interface Schedule {
        /**
         * Begins.
         *
         * @return closing it interrupts a look, waits a moment for its end, and lets none begin
         */
        AutoCloseable begin(Runnable look);
    }

    /**
     * Begins to look.
     *
     * @param kafka to be closed after this
     * @param longest how long a transaction may be open before it is told of
     */
    public OpenTransactions(KafkaTopics kafka, TopicNames topics, Duration longest, Schedule schedule) {
        this.bootstrap = kafka.bootstrap();
        this.admin = kafka.admin();
        this.longest = longest;
        this.topics = topics;
        this.looks = schedule.begin(this::look);
    }

    /** What the last look found in a partition, and what to do; empty when that was nothing, or none was made yet. */
    public String warning(int streamId, int partition) {
        Key key = new Key(streamId, partition);
        asked.add(key);
        return found.getOrDefault(key, "");
    }

    private void look() {
        try {
            Map<Key, TopicPartition> partitions = new HashMap<>();
            for (Key key : List.copyOf(asked)) {
                asked.remove(key);
                String topic = topics.topicOf(key.streamId);
                if (topic != null) {
                    partitions.put(key, new TopicPartition(topic, key.partition));
                }
            }
            found.keySet().retainAll(partitions.keySet());
            seen.keySet().retainAll(partitions.keySet());
            if (partitions.isEmpty()) {
                return;
            }
            var answers = admin.describeProducers(
                    Set.copyOf(partitions.values()), new DescribeProducersOptions().timeoutMs(CALL_MILLIS));
            List<String> failures = new ArrayList<>();
            for (Map.Entry<Key, TopicPartition> one : partitions.entrySet()) {
                take(one.getKey(), one.getValue(), answers.partitionResult(one.getValue()), failures);
            }
            if (!failures.isEmpty() && !failing) {
                LOG.warn(
                        "whether transactions hang is not known of {} partitions; asking again: {}",
                        failures.size(),
                        failures.get(0));
            }
            failing = !failures.isEmpty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            // The partitions are asked about again, and looked at then.
            LOG.warn("transactions that hang could not be looked for; trying again", e);
        }
    }

    private void take(
            Key key, TopicPartition partition, KafkaFuture<PartitionProducerState> answer, List<String> failures)
            throws InterruptedException {
        try {
            // All are answered, or fail, in the time of one.
            ProducerState oldest = oldest(key, answer.get(2L * CALL_MILLIS, TimeUnit.MILLISECONDS));
            if (oldest == null) {
                if (found.remove(key) != null) {
                    LOG.info("{}: the transaction that was open for long is ended", partition);
                }
                return;
            }
            String warning = warning(partition, oldest);
            if (!warning.equals(found.put(key, warning))) {
                LOG.warn("{}: {}", partition, warning);
            }
        } catch (ExecutionException e) {
            if (!(e.getCause() instanceof AuthorizationException)) {
                failures.add(partition + ": " + e.getCause());
            } else if (refused.add(partition.topic())) {
                LOG.warn(
                        "topic {}: whether transactions hang there is not known, since its producers may not be described"
                                + " (right READ): {}",
                        partition.topic(),
                        e.getCause().getMessage());
            }
        } catch (TimeoutException e) {
            failures.add(partition + ": " + e);
        }
    }

    /** Of those that have been open too long the one that holds up readers; null when there is none. */
    private @Nullable ProducerState oldest(Key key, PartitionProducerState state) {
        long now = System.nanoTime();
        Map<Transaction, Long> before = seen.getOrDefault(key, Map.of());
        Map<Transaction, Long> open = new HashMap<>();
        ProducerState oldest = null;
        for (ProducerState producer : state.activeProducers()) {
            if (producer.currentTransactionStartOffset().isEmpty()) {
                continue;
            }
            Transaction transaction = new Transaction(producer.producerId(), producer.producerEpoch(), start(producer));
            long since = before.getOrDefault(transaction, now);
            open.put(transaction, since);
            if (now - since >= longest.toNanos() && (oldest == null || start(producer) < start(oldest))) {
                oldest = producer;
            }
        }
        if (open.isEmpty()) {
            seen.remove(key);
        } else {
            seen.put(key, open);
        }
        return oldest;
    }

    private static long start(ProducerState producer) {
        return producer.currentTransactionStartOffset().orElse(Long.MAX_VALUE);
    }

    private String warning(TopicPartition partition, ProducerState producer) {
        return "a transaction of producer " + producer.producerId() + " (epoch " + producer.producerEpoch()
                + ") is open from offset " + start(producer) + " of the log on, its last record has the time "
                + Instant.ofEpochMilli(producer.lastTimestamp())
                + ": no committed reader gets past it. Where its producer will not end it, and was not told that it is"
                + " committed: kafka-transactions.sh --bootstrap-server " + bootstrap + " abort --topic "
                + partition.topic() + " --partition " + partition.partition() + " --start-offset " + start(producer);
    }

    @Override
    public void close() throws Exception {
        looks.close();
    }
}
