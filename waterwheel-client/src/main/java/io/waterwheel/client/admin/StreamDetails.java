package io.waterwheel.client.admin;

import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.SchemaJson;
import io.waterwheel.schema.StreamDefinition;
import io.waterwheel.wire.proto.StreamDescription;
import java.util.Map;
import java.util.Optional;

/**
 * What a server says of a stream.
 *
 * @param id unique for ever: a stream dropped and created again has another
 * @param definition as created; its partitions are the topic's number of them
 * @param newest the definition with the newest scales: what another stream like it would be created with today
 * @param scales the newest version of the scales of its key's dimensions; 1 where they were never changed
 * @param topic that feeds it
 * @param chunks it has; absent in lists
 * @param division of its new tuples between indexers; absent in lists
 */
public record StreamDetails(
        int id,
        StreamDefinition definition,
        StreamDefinition newest,
        int scales,
        Topic topic,
        Optional<Chunks> chunks,
        Optional<Division> division) {
    /**
     * The topic that feeds a stream.
     *
     * @param bootstrapServers Kafka's, as the server was given them: where appenders send
     * @param shared whether another stream read the topic already when this one was created
     * @param bases by partition, what is added to an offset of the topic to make a position; 0 where absent; empty in
     *     lists
     * @param begins by partition, the offset that the stream begins with, where what came before was gone when it was
     *     created; empty in lists
     * @param letterNamespace what the stream's dead letters have in their header {@code namespace}; empty from older
     *     servers
     * @param recordsStay how long records stay at least once their rows are in chunks, such as {@code 2 h};
     *     {@link #AS_LONG_AS_KAFKA} where Kafka alone says it; empty in lists, and from older servers
     */
    public record Topic(
            String bootstrapServers,
            boolean shared,
            Map<Integer, Long> bases,
            Map<Integer, Long> begins,
            String letterNamespace,
            String recordsStay) {
        /** Of {@link #recordsStay}. */
        public static final String AS_LONG_AS_KAFKA = "off";

        /** Of which no more is known. */
        public Topic(String bootstrapServers, boolean shared) {
            this(bootstrapServers, shared, Map.of(), Map.of(), "", "");
        }
    }

    /**
     * The chunks of a stream.
     *
     * @param count of them
     * @param tuples in them
     * @param bytes of their files
     */
    public record Chunks(long count, long tuples, long bytes) {
        static final Chunks NONE = new Chunks(0, 0, 0);
    }

    /**
     * How new tuples are divided by their keys.
     *
     * @param indexers between which
     * @param routingVersion the version of the table that divides them, which every change raises
     */
    public record Division(int indexers, int routingVersion) {}

    /** As a list has it, of which the scales were never changed. */
    public StreamDetails(int id, StreamDefinition definition, Topic topic) {
        this(id, definition, definition, 1, topic, Optional.empty(), Optional.empty());
    }

    /** Its chunks; none where that is not said. */
    public Chunks knownChunks() {
        return chunks.orElse(Chunks.NONE);
    }

    public static StreamDetails of(StreamDescription message) {
        StreamDefinition definition = SchemaJson.readStream(message.getDefinitionJson());
        return new StreamDetails(
                message.getId(),
                definition,
                newest(definition, message),
                message.hasScales() ? message.getScales() : 1,
                new Topic(
                        message.getBootstrapServers(),
                        message.getSharesTopic(),
                        message.getBasesMap(),
                        message.getBeginsMap(),
                        message.getLetterNamespace(),
                        message.getRecordsStay()),
                message.hasChunks()
                        ? Optional.of(
                                new Chunks(message.getChunks(), message.getChunkTuples(), message.getChunkBytes()))
                        : Optional.empty(),
                message.hasIndexers()
                        ? Optional.of(new Division(message.getIndexers(), message.getRoutingVersion()))
                        : Optional.empty());
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
