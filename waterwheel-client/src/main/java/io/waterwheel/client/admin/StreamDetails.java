package io.waterwheel.client.admin;

import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.SchemaJson;
import io.waterwheel.schema.StreamDefinition;
import io.waterwheel.wire.proto.StreamDescription;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * What a server says of a stream.
 *
 * @param id unique for ever: a stream dropped and created again has another
 * @param definition as created; its partitions are the topic's number of them
 * @param bootstrapServers Kafka's, as the server was given them: where appenders send
 * @param chunks number of chunks; absent in lists
 * @param chunkTuples number of tuples in them; absent in lists
 * @param chunkBytes bytes of their files; absent in lists
 * @param bases by partition, what is added to an offset of the topic to make a position; 0 where absent; empty in lists
 * @param indexers between which new tuples are divided by their keys; absent in lists
 * @param routingVersion the version of the table that divides them, which every change raises; absent in lists
 * @param sharesTopic whether another stream read the topic already when it was created
 * @param letterNamespace what its dead letters have in their header {@code namespace}; empty from older servers
 * @param scales the newest version of the scales of its key's dimensions; 1 where they were never changed
 * @param begins by partition, the offset of the topic that the stream begins with, where what came before was gone when
 *     it was created; empty in lists
 * @param newest the definition with the newest scales: what another stream like it would be created with today
 * @param recordsStay how long records stay in the topic once their rows are in chunks, such as {@code 2 h}; {@code off}
 *     where that is as long as Kafka keeps them; empty in lists, and from older servers
 */
public record StreamDetails(
        int id,
        StreamDefinition definition,
        String bootstrapServers,
        OptionalLong chunks,
        OptionalLong chunkTuples,
        OptionalLong chunkBytes,
        Map<Integer, Long> bases,
        OptionalInt indexers,
        OptionalInt routingVersion,
        boolean sharesTopic,
        String letterNamespace,
        int scales,
        Map<Integer, Long> begins,
        StreamDefinition newest,
        String recordsStay) {
    /** Of which the scales were never changed. */
    public StreamDetails(
            int id,
            StreamDefinition definition,
            String bootstrapServers,
            OptionalLong chunks,
            OptionalLong chunkTuples,
            OptionalLong chunkBytes,
            Map<Integer, Long> bases,
            OptionalInt indexers,
            OptionalInt routingVersion,
            boolean sharesTopic) {
        this(
                id,
                definition,
                bootstrapServers,
                chunks,
                chunkTuples,
                chunkBytes,
                bases,
                indexers,
                routingVersion,
                sharesTopic,
                "",
                1,
                Map.of(),
                definition,
                "");
    }

    public static StreamDetails of(StreamDescription message) {
        StreamDefinition definition = SchemaJson.readStream(message.getDefinitionJson());
        return new StreamDetails(
                message.getId(),
                definition,
                message.getBootstrapServers(),
                message.hasChunks() ? OptionalLong.of(message.getChunks()) : OptionalLong.empty(),
                message.hasChunkTuples() ? OptionalLong.of(message.getChunkTuples()) : OptionalLong.empty(),
                message.hasChunkBytes() ? OptionalLong.of(message.getChunkBytes()) : OptionalLong.empty(),
                message.getBasesMap(),
                message.hasIndexers() ? OptionalInt.of(message.getIndexers()) : OptionalInt.empty(),
                message.hasRoutingVersion() ? OptionalInt.of(message.getRoutingVersion()) : OptionalInt.empty(),
                message.getSharesTopic(),
                message.getLetterNamespace(),
                message.hasScales() ? message.getScales() : 1,
                message.getBeginsMap(),
                newest(definition, message),
                message.getRecordsStay());
    }

    private static StreamDefinition newest(StreamDefinition definition, StreamDescription message) {
        Schema schema = definition.schema();
        KeySpec.Dimensions key = schema.key().dimensional();
        return key == null || !message.hasScales()
                ? definition
                : definition.withSchema(schema.withKey(new KeySpec.Dimensions(
                        message.getDimensionsList().stream()
                                .map(Rescaling::dimension)
                                .toList(),
                        key.schedule(),
                        key.position())));
    }
}
