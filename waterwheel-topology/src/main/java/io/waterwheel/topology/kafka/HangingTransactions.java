package io.waterwheel.topology.kafka;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.ProducerState;
import org.apache.kafka.clients.admin.TransactionListing;
import org.apache.kafka.clients.admin.TransactionState;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.requests.TransactionResult;
import org.apache.kafka.common.requests.WriteTxnMarkersRequest.TxnMarkerEntry;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends transactions that hang: decided, but open in a partition, so that no committed reader gets past them, for good.
 *
 * <p>Kafka (seen with 4.3.1, in about one of fifteen kills of a single broker that was writing transactions) forgets to
 * mark a partition when the broker that holds its only replica is started again before its session has run out: its
 * coordinator of transactions loads what was decided before the kill, finds that the partition has no leader for a
 * moment, takes it for deleted, and is done. The decision may be a commit that the producer was told of, so to abort
 * what hangs, as Kafka's own tool does, would lose it: here the mark is written that is missing. Which one it is, the
 * coordinator's log says, also where its state is of a later transaction.
 */
public final class HangingTransactions {
    private static final Logger LOG = LoggerFactory.getLogger(HangingTransactions.class);
    private static final int CALL_MILLIS = 10_000;
    /** For reading the coordinator's log, which may be long. */
    private static final int LOG_MILLIS = 60_000;

    private static final int PAUSE_MILLIS = 100;

    private HangingTransactions() {}

    /** What hangs in one partition. */
    private record Hanging(TopicPartition partition, ProducerState producer, TransactionResult fromState) {}

    /**
     * Looks through all partitions of a cluster. For the embedded broker alone: on a cluster of others' a mark is never
     * written, since whether it was a commit may be known better there. For a single broker that has just been started,
     * before anybody uses it: who initialises the transactional id afterwards blots out what was decided. Where it is
     * started again in its process, its clients are there and connect at once, so that is likelier.
     *
     * @param before time in milliseconds; transactions with a record since are left alone
     */
    public static void endAll(String bootstrap, long before) {
        try (Admin admin = admin(bootstrap)) {
            List<TopicPartition> all = new ArrayList<>();
            var topics = admin.describeTopics(get(admin.listTopics().names())).allTopicNames();
            get(topics).values().forEach(topic -> topic.partitions()
                    .forEach(partition -> all.add(new TopicPartition(topic.name(), partition.partition()))));
            // What is decided and not marked yet is being marked, or about to be forgotten: that takes a moment.
            long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(CALL_MILLIS);
            while (!end(admin, bootstrap, all, before) && System.nanoTime() - deadline < 0) {
                TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
            }
        } catch (ExecutionException | TimeoutException | IOException e) {
            LOG.warn("hanging transactions could not be looked for, or ended", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static Admin admin(String bootstrap) {
        return Admin.create(Map.of(
                AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG,
                bootstrap,
                AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG,
                CALL_MILLIS,
                AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG,
                CALL_MILLIS));
    }

    private static <T> T get(org.apache.kafka.common.KafkaFuture<T> future)
            throws ExecutionException, TimeoutException, InterruptedException {
        return future.get(CALL_MILLIS, TimeUnit.MILLISECONDS);
    }

    /** Ends what hangs; returns false when there is more that its coordinator has decided, or does not list yet. */
    private static boolean end(Admin admin, String bootstrap, Collection<TopicPartition> partitions, long before)
            throws ExecutionException, TimeoutException, InterruptedException, IOException {
        Map<Long, TransactionListing> listed = new HashMap<>();
        for (TransactionListing listing : get(admin.listTransactions().all())) {
            listed.put(listing.producerId(), listing);
        }
        List<Hanging> hanging = new ArrayList<>();
        boolean[] whole = {true};
        get(admin.describeProducers(partitions).all()).forEach((partition, state) -> {
            for (ProducerState producer : state.activeProducers()) {
                TransactionListing listing = listed.get(producer.producerId());
                // What was begun since may be under way, whatever was listed before.
                if (producer.currentTransactionStartOffset().isEmpty() || producer.lastTimestamp() >= before) {
                    continue;
                }
                @Nullable TransactionState known = listing == null ? null : listing.state();
                TransactionResult decided = decided(known);
                if (decided != null) {
                    LOG.warn("{}: {} hangs; its coordinator has {}", partition, producer, listing);
                    hanging.add(new Hanging(partition, producer, decided));
                } else if (known != TransactionState.ONGOING) {
                    whole[0] = false;
                }
            }
        });
        if (hanging.isEmpty()) {
            return whole[0];
        }
        TransactionDecisions decisions = TransactionDecisions.read(bootstrap, LOG_MILLIS);
        for (Hanging one : hanging) {
            Node leader = get(admin.describeTopics(List.of(one.partition().topic()))
                            .allTopicNames())
                    .values()
                    .iterator()
                    .next()
                    .partitions()
                    .get(one.partition().partition())
                    .leader();
            if (leader == null || leader.isEmpty()) {
                throw new IOException(one.partition() + " has no leader");
            }
            ProducerState producer = one.producer();
            TransactionResult logged = decisions.of(producer.producerId(), producer.producerEpoch());
            TransactionResult result = logged != null ? logged : one.fromState();
            // By the rules of the first version of transactions, which take the epoch that the partition has.
            TransactionMarks.write(
                    leader,
                    new TxnMarkerEntry(
                            producer.producerId(),
                            (short) producer.producerEpoch(),
                            producer.coordinatorEpoch().orElse(0),
                            result,
                            List.of(one.partition()),
                            (short) 1),
                    CALL_MILLIS);
            LOG.warn(
                    "{}: wrote {} for the transaction of producer {}, {}",
                    one.partition(),
                    result,
                    producer,
                    logged != null ? "as its coordinator's log says" : "by the state of its coordinator");
        }
        return whole[0];
    }

    /**
     * How a transaction ended that is no longer under way, as far as its coordinator remembers it; null while its
     * coordinator will end it, by itself or with its producer.
     */
    static @Nullable TransactionResult decided(@Nullable TransactionState state) {
        if (state == null) {
            // Not listed: its coordinator may be on its way to another broker.
            return null;
        }
        return switch (state) {
            case ONGOING, PREPARE_ABORT, PREPARE_COMMIT, PREPARE_EPOCH_FENCE, UNKNOWN -> null;
            case COMPLETE_ABORT -> TransactionResult.ABORT;
            // Empty: somebody has initialised the id since, and how the transaction ended is forgotten. Where the
            // coordinator's log does not say it either, it may have been committed or aborted. An abort written as
            // a commit makes visible what is sent again; a commit written as an abort loses what its producer was
            // told of. Better twice than lost, and said in docs/exactness.md.
            case COMPLETE_COMMIT, EMPTY -> TransactionResult.COMMIT;
        };
    }
}
