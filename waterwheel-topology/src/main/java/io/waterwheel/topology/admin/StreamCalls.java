package io.waterwheel.topology.admin;

import io.waterwheel.catalog.MadeTopic;
import io.waterwheel.catalog.Namespace;
import io.waterwheel.catalog.SqlNames;
import io.waterwheel.catalog.StreamCatalog;
import io.waterwheel.catalog.StreamEntries;
import io.waterwheel.catalog.maintenance.Expiry;
import io.waterwheel.catalog.state.CheckpointMarks;
import io.waterwheel.catalog.state.LogIdentity;
import io.waterwheel.catalog.state.RoutingTable;
import io.waterwheel.catalog.state.StartOfTopic;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.catalog.state.StreamSnapshot;
import io.waterwheel.decode.RecordDecoder;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.key.KeyScheme;
import io.waterwheel.schema.BadRecords;
import io.waterwheel.schema.Balancing;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.LogLoss;
import io.waterwheel.schema.Retention;
import io.waterwheel.schema.SchemaJson;
import io.waterwheel.schema.StreamDefinition;
import io.waterwheel.schema.StreamPolicy;
import io.waterwheel.schema.StreamPolicy.IndexedRecords;
import io.waterwheel.topology.config.Keys;
import io.waterwheel.topology.kafka.KafkaDeadLetters;
import io.waterwheel.topology.kafka.KafkaTopics;
import io.waterwheel.topology.rpc.AdminCalls;
import io.waterwheel.topology.worker.CoordinatorServices;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.Region;
import io.waterwheel.tuple.TimeInterval;
import io.waterwheel.wire.proto.AlterStreamRequest;
import io.waterwheel.wire.proto.CreateStreamRequest;
import io.waterwheel.wire.proto.DescribeStreamRequest;
import io.waterwheel.wire.proto.DropStreamReply;
import io.waterwheel.wire.proto.DropStreamRequest;
import io.waterwheel.wire.proto.ListStreamsReply;
import io.waterwheel.wire.proto.ListStreamsRequest;
import io.waterwheel.wire.proto.RetentionReply;
import io.waterwheel.wire.proto.ShowRetentionRequest;
import io.waterwheel.wire.proto.StreamDescription;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The calls that make, change, drop and describe streams. Thread-safe; calls block. */
public final class StreamCalls {
    private static final Logger LOG = LoggerFactory.getLogger(StreamCalls.class);
    /** Of one stream; each takes a node of every change of the routing, in one transaction. */
    private static final int MAX_INDEXERS = 1000;

    private final CoordinatorServices services;
    private final KafkaTopics topics;
    private final CoordinatorServices.QueryHandler coordinator;

    public StreamCalls(CoordinatorServices services, KafkaTopics topics, CoordinatorServices.QueryHandler coordinator) {
        this.services = services;
        this.topics = topics;
        this.coordinator = coordinator;
    }

    /** Answers create-, list-, describe-, alter- and drop-stream, and show-retention. */
    public void register(AdminCalls calls) {
        StreamDescription description = StreamDescription.getDefaultInstance();
        calls.on(CreateStreamRequest.getDefaultInstance(), description, (request, caller) -> create(request))
                .on(
                        ListStreamsRequest.getDefaultInstance(),
                        ListStreamsReply.getDefaultInstance(),
                        (request, caller) -> list())
                .on(
                        DescribeStreamRequest.getDefaultInstance(),
                        description,
                        (request, caller) -> describe(StreamNames.require(services, request.getName())))
                .on(AlterStreamRequest.getDefaultInstance(), description, (request, caller) -> alter(request))
                .on(
                        DropStreamRequest.getDefaultInstance(),
                        DropStreamReply.getDefaultInstance(),
                        (request, caller) -> drop(request))
                .on(
                        ShowRetentionRequest.getDefaultInstance(),
                        RetentionReply.getDefaultInstance(),
                        (request, caller) -> retention(request));
    }

    private StreamDescription create(CreateStreamRequest request) {
        StreamDefinition definition = SchemaJson.readStream(request.getDefinitionJson());
        requireDecodable(definition);
        // Before its topics are made; who creates the same stream at this moment is found out later.
        services.catalogStore().sync();
        services.requireCatalog();
        if (services.namespace().find(definition.name()).isPresent()) {
            throw Namespace.exists(definition.name());
        }
        SqlNames.requireFree(services.catalogStore(), definition.name());
        boolean deletes = services.config().indexedRecordsStay().isPresent();
        KafkaTopics.Topic topic = topics.ensure(definition.topic(), definition.partitions(), deletes);
        topics.ensureDeadLetters(definition.topic());
        // Until it is in the catalog, nothing keeps the records that it begins with.
        StreamInfo stream = topics.keepingAll(() -> services.namespace()
                .create(
                        definition.name(),
                        definition.schema(),
                        definition.format(),
                        new StartOfTopic(
                                definition.topic(),
                                topics.startOffsets(topic),
                                LogIdentity.first(topic.id()),
                                topic.made() && deletes),
                        services.config().get(Keys.INDEXER_TASKS),
                        definition.policy()));
        LOG.info(
                "[{}] created: id {}, topic {}{}",
                stream.name(),
                stream.id(),
                stream.topic(),
                stream.sharesTopic() ? ", which another stream reads too" : "");
        return describe(stream);
    }

    /** Refuses one whose fields cannot be what the schema of its records has in their places. */
    private static void requireDecodable(StreamDefinition definition) {
        try {
            RecordDecoder.of(definition.format(), definition.schema());
        } catch (IllegalArgumentException e) {
            throw new WaterwheelException(ErrorCode.SCHEMA_INVALID, "records: " + e.getMessage(), e);
        }
    }

    private StreamDescription alter(AlterStreamRequest request) {
        // Parsed here, so that what is wrong is said before anything is changed.
        RoutingTable even = request.hasIndexers() ? even(request) : null;
        BadRecords badRecords = request.hasDeadLetters() ? BadRecords.parse(request.getDeadLetters()) : null;
        LogLoss logLoss = request.hasLogLoss() ? LogLoss.parse(request.getLogLoss()) : null;
        Balancing balancing = request.hasBalancing() ? Balancing.parse(request.getBalancing()) : null;
        Retention retention = request.hasRetention() ? Retention.parse(request.getRetention()) : null;
        IndexedRecords indexedRecords =
                request.hasIndexedRecords() ? IndexedRecords.parse(request.getIndexedRecords()) : null;
        // Once it is acknowledged that records stay, none goes that was about to.
        StreamInfo stream = topics.keepingAll(() -> services.namespace()
                .changePolicy(
                        request.getName(),
                        old -> new StreamPolicy(
                                badRecords == null ? old.badRecords() : badRecords,
                                logLoss == null ? old.logLoss() : logLoss,
                                balancing == null ? old.balancing() : balancing,
                                retention == null ? old.retention() : retention,
                                indexedRecords == null ? old.indexedRecords() : indexedRecords)));
        LOG.info("[{}] {}", stream.name(), stream.policy());
        if (even != null) {
            route(stream, even);
        }
        return withRouting(stream, basics(stream)).build();
    }

    /** The keys of the stream, divided evenly. */
    private RoutingTable even(AlterStreamRequest request) {
        int count = request.getIndexers();
        if (count < 1 || count > MAX_INDEXERS) {
            throw new IllegalArgumentException(
                    "stream " + request.getName() + ": indexers: expected 1 to " + MAX_INDEXERS + ", got " + count);
        }
        StreamInfo stream = StreamNames.require(services, request.getName());
        int scales =
                new StreamCatalog(services.catalogStore(), stream).newestTable().scales();
        return RoutingTable.even(1, KeyScheme.of(stream.schema()).domain(scales), count);
    }

    /** Makes a table the newest, unless one with the same content is. */
    private void route(StreamInfo stream, RoutingTable wanted) {
        StreamCatalog catalog = new StreamCatalog(services.catalogStore(), stream);
        RoutingTable newest = catalog.newestTable();
        if (Arrays.equals(newest.boundaries(), wanted.boundaries())
                && Arrays.equals(newest.indexers(), wanted.indexers())) {
            return;
        }
        RoutingTable table = catalog.changeRouting(wanted.boundaries(), wanted.indexers());
        LOG.info("[{}] routing version {}: {} indexers", stream.name(), table.version(), table.indexers().length);
    }

    private StreamDescription.Builder withRouting(StreamInfo stream, StreamDescription.Builder description) {
        RoutingTable newest = new StreamCatalog(services.catalogStore(), stream).newestTable();
        return description.setIndexers(newest.indexers().length).setRoutingVersion(newest.version());
    }

    private ListStreamsReply list() {
        ListStreamsReply.Builder reply = ListStreamsReply.newBuilder();
        services.requireCatalog();
        StreamEntries entries = services.namespace().entries();
        entries.readable().forEach(stream -> reply.addStreams(basics(stream)));
        return reply.addAllUnreadable(entries.unreadable())
                .setBootstrapServers(services.config().kafkaForClients())
                .build();
    }

    private StreamDescription.Builder basics(StreamInfo stream) {
        StreamDefinition definition = new StreamDefinition(
                stream.name(), stream.topic(), stream.format(), stream.partitions(), stream.schema(), stream.policy());
        StreamDescription.Builder description = StreamDescription.newBuilder();
        KeySpec.Dimensions key = stream.schema().key().dimensional();
        if (key != null && key.scales() > 1) {
            description.setScales(key.scales());
            key.dimensions(key.scales()).forEach(dimension -> description.addDimensions(ScaleCalls.message(dimension)));
        }
        return description
                .setId(stream.id())
                .setDefinitionJson(SchemaJson.writeStream(definition))
                .setBootstrapServers(services.config().kafkaForClients())
                .setLetterNamespace(KafkaDeadLetters.namespace(services.config()))
                .setSharesTopic(stream.sharesTopic());
    }

    private StreamDescription describe(StreamInfo stream) {
        long[] sums = new long[3];
        StreamSnapshot snapshot = coordinator.snapshot(stream);
        snapshot.chunks(new Region(KeyInterval.ALL, TimeInterval.ALL), chunk -> {
            sums[0]++;
            sums[1] += chunk.tuples();
            sums[2] += chunk.bytes();
        });
        StreamCatalog catalog = new StreamCatalog(services.catalogStore(), stream);
        Map<Integer, Long> bases = new HashMap<>();
        for (int p = 0; p < stream.partitions(); p++) {
            long base = catalog.route(p).route().log().base();
            if (base != 0) {
                bases.put(p, base);
            }
        }
        Map<Integer, Long> begins = begins(snapshot);
        begins.keySet().removeAll(bases.keySet());
        return withRouting(stream, basics(stream))
                .putAllBases(bases)
                .putAllBegins(begins)
                .setChunks(sums[0])
                .setChunkTuples(sums[1])
                .setChunkBytes(sums[2])
                .setRecordsStay(
                        recordsStay(stream, catalog.route(0).route().log().topicId()))
                .build();
    }

    /**
     * How long records stay at least, where the topic is the one that was made for one of its streams, and none says
     * keep; else {@link Keys#OFF}.
     */
    private String recordsStay(StreamInfo stream, String topicId) {
        if (services.config().indexedRecordsStay().isEmpty()) {
            return Keys.OFF;
        }
        List<StreamInfo> readers = new ArrayList<>(List.of(stream));
        services.streams().streams().values().stream()
                .filter(other -> other.id() != stream.id() && other.topic().equals(stream.topic()))
                .forEach(readers::add);
        boolean go = readers.stream().noneMatch(reader -> reader.policy().indexedRecords() == IndexedRecords.KEEP)
                && readers.stream().anyMatch(reader -> MadeTopic.read(services.catalogStore(), reader)
                        .filter(made -> made.topicId().equals(topicId))
                        .isPresent());
        return go ? services.config().indexedRecordsStayText() : Keys.OFF;
    }

    /**
     * By partition, the position that the stream was created with, or the partition added; without those that are 0.
     */
    private static Map<Integer, Long> begins(StreamSnapshot snapshot) {
        Map<Integer, Long> begins = new HashMap<>();
        for (int p = 0; p < snapshot.partitions(); p++) {
            long least = Long.MAX_VALUE;
            for (CheckpointMarks marks : snapshot.marks().values()) {
                // The first of an indexer that joined later is where its routes stood then.
                least = Math.min(least, marks.checkpoints().get(0).watermarks()[p]);
            }
            if (least > 0 && least < Long.MAX_VALUE) {
                begins.put(p, least);
            }
        }
        return begins;
    }

    /** What has expired, and what would by a retention; nothing is changed. */
    private RetentionReply retention(ShowRetentionRequest request) {
        Retention asked = request.hasRetention() ? Retention.parse(request.getRetention()) : null;
        services.catalogStore().sync();
        StreamInfo stream = StreamNames.require(services, request.getName());
        StreamSnapshot snapshot = coordinator.snapshot(stream);
        Retention own = stream.policy().retention();
        RetentionReply.Builder reply = RetentionReply.newBuilder().setRetention(own.toString());
        if (snapshot.horizon() != Retention.NO_HORIZON) {
            reply.setHorizon(snapshot.horizon());
        }
        Expiry.Due due = Expiry.next(snapshot, asked == null ? own : asked, System.currentTimeMillis());
        if (due.horizon() != Retention.NO_HORIZON) {
            reply.setNext(due.horizon())
                    .setChunks(due.chunks())
                    .setTuples(due.tuples())
                    .setBytes(due.bytes())
                    .setCut(due.cut());
        }
        return reply.build();
    }

    private DropStreamReply drop(DropStreamRequest request) {
        // Another coordinator may have made it just now.
        services.catalogStore().sync();
        StreamInfo stream = StreamNames.require(services, request.getName());
        services.namespace().drop(stream.name());
        LOG.info("[{}] dropped", stream.name());
        return DropStreamReply.getDefaultInstance();
    }
}
