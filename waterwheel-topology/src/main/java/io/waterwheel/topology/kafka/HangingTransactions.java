package io.waterwheel.topology.kafka;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.AbortTransactionSpec;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.ProducerState;
import org.apache.kafka.clients.admin.TransactionListing;
import org.apache.kafka.clients.admin.TransactionState;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends transactions that hang: open in a partition, while the broker's coordinator of transactions knows of none, so
 * that nobody ever ends them and no committed reader gets past them. Kafka says that this does not happen; it was seen
 * once in some hundred kills of a broker. Its own tool ({@code kafka-transactions.sh find-hanging, abort}) does the
 * same.
 */
final class HangingTransactions {
    private static final Logger LOG = LoggerFactory.getLogger(HangingTransactions.class);
    private static final int CALL_MILLIS = 10_000;

    private HangingTransactions() {}

    /**
     * Looks through a partition in which nothing has become readable for longer than any transaction may last, and
     * aborts what hangs. What cannot be asked or done is only said: the reader fails by itself, and looks again.
     */
    static void end(String bootstrap, TopicPartition partition) {
        Map<String, Object> settings = Map.of(
                AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG,
                bootstrap,
                AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG,
                CALL_MILLIS,
                AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG,
                CALL_MILLIS);
        try (Admin admin = Admin.create(settings)) {
            Map<Long, TransactionListing> known = new HashMap<>();
            for (TransactionListing listing : admin.listTransactions().all().get(CALL_MILLIS, TimeUnit.MILLISECONDS)) {
                known.put(listing.producerId(), listing);
            }
            List<ProducerState> producers = admin.describeProducers(List.of(partition))
                    .partitionResult(partition)
                    .get(CALL_MILLIS, TimeUnit.MILLISECONDS)
                    .activeProducers();
            for (ProducerState producer : producers) {
                if (producer.currentTransactionStartOffset().isEmpty()) {
                    continue;
                }
                TransactionListing listing = known.get(producer.producerId());
                LOG.warn("{}: open for too long: {}; its coordinator has {}", partition, producer, listing);
                if (listing == null || !underWay(listing.state())) {
                    admin.abortTransaction(new AbortTransactionSpec(
                                    partition,
                                    producer.producerId(),
                                    (short) producer.producerEpoch(),
                                    producer.coordinatorEpoch().orElse(0)))
                            .all()
                            .get(CALL_MILLIS, TimeUnit.MILLISECONDS);
                    LOG.warn("{}: aborted the transaction of producer {}", partition, producer.producerId());
                }
            }
        } catch (ExecutionException | TimeoutException e) {
            LOG.warn("{}: hanging transactions could not be looked for, or ended", partition, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Whether its coordinator will end it, by itself or with its producer. */
    private static boolean underWay(TransactionState state) {
        return switch (state) {
            case ONGOING, PREPARE_ABORT, PREPARE_COMMIT, PREPARE_EPOCH_FENCE -> true;
            case EMPTY, COMPLETE_ABORT, COMPLETE_COMMIT, UNKNOWN -> false;
        };
    }
}
