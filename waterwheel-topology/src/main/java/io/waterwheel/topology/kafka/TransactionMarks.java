package io.waterwheel.topology.kafka;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.ApiVersions;
import org.apache.kafka.clients.ClientResponse;
import org.apache.kafka.clients.ClientUtils;
import org.apache.kafka.clients.DefaultHostResolver;
import org.apache.kafka.clients.ManualMetadataUpdater;
import org.apache.kafka.clients.NetworkClient;
import org.apache.kafka.clients.NetworkClientUtils;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.WriteTxnMarkersRequest;
import org.apache.kafka.common.requests.WriteTxnMarkersResponse;
import org.apache.kafka.common.utils.LogContext;
import org.apache.kafka.common.utils.Time;

/**
 * Writes the mark that ends a transaction in a partition. Kafka's administration can only abort; a commit takes the
 * request that brokers send each other, by the client's own network code (internal to it: the release is pinned). The
 * broker wants the right {@code CLUSTER_ACTION} for it.
 */
final class TransactionMarks {
    private static final String CLIENT = "waterwheel-transaction-marks";

    private TransactionMarks() {}

    static void write(Node leader, WriteTxnMarkersRequest.TxnMarkerEntry mark, int timeoutMillis) throws IOException {
        Map<String, Object> settings = new HashMap<>();
        settings.put(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, leader.host() + ":" + leader.port());
        settings.put(AdminClientConfig.CLIENT_ID_CONFIG, CLIENT);
        settings.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, timeoutMillis);
        try (Metrics metrics = new Metrics();
                NetworkClient client = ClientUtils.createNetworkClient(
                        new AdminClientConfig(settings),
                        CLIENT,
                        metrics,
                        CLIENT,
                        new LogContext(),
                        new ApiVersions(),
                        Time.SYSTEM,
                        1,
                        timeoutMillis,
                        null,
                        new ManualMetadataUpdater(List.of(leader)),
                        new DefaultHostResolver(),
                        null,
                        null)) {
            if (!NetworkClientUtils.awaitReady(client, leader, Time.SYSTEM, timeoutMillis)) {
                throw new IOException("no connection to " + leader + " within " + timeoutMillis + " ms");
            }
            ClientResponse response = NetworkClientUtils.sendAndReceive(
                    client,
                    client.newClientRequest(
                            leader.idString(),
                            new WriteTxnMarkersRequest.Builder(List.of(mark)),
                            Time.SYSTEM.milliseconds(),
                            true),
                    Time.SYSTEM);
            Map<TopicPartition, Errors> errors = ((WriteTxnMarkersResponse) response.responseBody())
                    .errorsByProducerId()
                    .getOrDefault(mark.producerId(), Map.of());
            for (Map.Entry<TopicPartition, Errors> error : errors.entrySet()) {
                if (error.getValue() != Errors.NONE) {
                    throw new IOException(error.getKey() + ": the mark was refused: " + error.getValue());
                }
            }
        }
    }
}
