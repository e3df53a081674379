package io.waterwheel.embedded;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.requests.RequestHeader;
import org.apache.kafka.common.requests.RequestUtils;
import org.apache.kafka.common.requests.ResponseHeader;

/**
 * Answers a producer as a broker does that has every topic, and keeps nothing: with it an append is rehearsed where no
 * broker is ({@link ClassArchiveTraining}).
 */
final class RehearsedBroker implements AutoCloseable {
    private static final Uuid TOPIC = new Uuid(1, 1);
    private static final List<ApiKeys> KNOWN =
            List.of(ApiKeys.API_VERSIONS, ApiKeys.METADATA, ApiKeys.INIT_PRODUCER_ID, ApiKeys.PRODUCE);

    private final RehearsedPort port;

    RehearsedBroker() throws IOException {
        port = new RehearsedPort("broker", () -> this::answer);
    }

    String bootstrap() {
        return port.place();
    }

    private ByteBuffer answer(ByteBuffer request) {
        RequestHeader header = RequestHeader.parse(request);
        short version = header.apiVersion();
        ByteBufferAccessor body = new ByteBufferAccessor(request);
        ApiMessage answer =
                switch (header.apiKey()) {
                    case API_VERSIONS -> versions();
                    case METADATA -> metadata(new MetadataRequestData(body, version));
                    case INIT_PRODUCER_ID ->
                        new InitProducerIdResponseData().setProducerId(1).setProducerEpoch((short) 0);
                    case PRODUCE -> produced(new ProduceRequestData(body, version));
                    default -> throw new IllegalStateException("a request of " + header.apiKey());
                };
        ResponseHeader answered = header.toResponseHeader();
        return RequestUtils.serialize(answered.data(), answered.headerVersion(), answer, version);
    }

    private static ApiVersionsResponseData versions() {
        ApiVersionsResponseData versions = new ApiVersionsResponseData();
        for (ApiKeys key : KNOWN) {
            versions.apiKeys()
                    .add(new ApiVersionsResponseData.ApiVersion()
                            .setApiKey(key.id)
                            .setMinVersion(key.oldestVersion())
                            .setMaxVersion(key.latestVersion()));
        }
        return versions;
    }

    private MetadataResponseData metadata(MetadataRequestData asked) {
        MetadataResponseData answer =
                new MetadataResponseData().setClusterId("rehearsed").setControllerId(1);
        answer.brokers()
                .add(new MetadataResponseData.MetadataResponseBroker()
                        .setNodeId(1)
                        .setHost("127.0.0.1")
                        .setPort(port.port()));
        List<MetadataRequestData.MetadataRequestTopic> topics = asked.topics();
        if (topics != null) {
            for (MetadataRequestData.MetadataRequestTopic topic : topics) {
                answer.topics()
                        .add(new MetadataResponseData.MetadataResponseTopic()
                                .setName(topic.name())
                                .setTopicId(TOPIC)
                                .setPartitions(List.of(new MetadataResponseData.MetadataResponsePartition()
                                        .setPartitionIndex(0)
                                        .setLeaderId(1)
                                        .setLeaderEpoch(0)
                                        .setReplicaNodes(List.of(1))
                                        .setIsrNodes(List.of(1)))));
            }
        }
        return answer;
    }

    private static ProduceResponseData produced(ProduceRequestData sent) {
        ProduceResponseData answer = new ProduceResponseData();
        for (ProduceRequestData.TopicProduceData topic : sent.topicData()) {
            answer.responses()
                    .add(new ProduceResponseData.TopicProduceResponse()
                            .setName(topic.name())
                            .setTopicId(topic.topicId())
                            .setPartitionResponses(topic.partitionData().stream()
                                    .map(partition -> new ProduceResponseData.PartitionProduceResponse()
                                            .setIndex(partition.index()))
                                    .toList()));
        }
        return answer;
    }

    @Override
    public void close() throws IOException {
        port.close();
    }
}
