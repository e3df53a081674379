package io.waterwheel.topology.wiring;

import com.google.protobuf.InvalidProtocolBufferException;
import io.waterwheel.catalog.Namespace;
import io.waterwheel.catalog.StreamCatalog;
import io.waterwheel.catalog.StreamEntries;
import io.waterwheel.catalog.maintenance.Expiry;
import io.waterwheel.catalog.state.IndexerCheckpoint;
import io.waterwheel.catalog.state.LogIdentity;
import io.waterwheel.catalog.state.RoutingTable;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.catalog.state.StreamSnapshot;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.key.KeyMaker;
import io.waterwheel.protocol.Control;
import io.waterwheel.schema.BadRecords;
import io.waterwheel.schema.Balancing;
import io.waterwheel.schema.LogLoss;
import io.waterwheel.schema.Retention;
import io.waterwheel.schema.SchemaJson;
import io.waterwheel.schema.StreamDefinition;
import io.waterwheel.schema.StreamPolicy;
import io.waterwheel.topology.admin.ChunkChecks;
import io.waterwheel.topology.admin.KeyPartitions;
import io.waterwheel.topology.admin.OpenQueries;
import io.waterwheel.topology.admin.SourceOffsets;
import io.waterwheel.topology.admin.StatusText;
import io.waterwheel.topology.admin.StreamVerifier;
import io.waterwheel.topology.config.Keys;
import io.waterwheel.topology.kafka.KafkaTopics;
import io.waterwheel.topology.kafka.TopicScan;
import io.waterwheel.topology.rpc.AdminHandler;
import io.waterwheel.topology.rpc.RpcServer;
import io.waterwheel.topology.rpc.RpcSettings;
import io.waterwheel.topology.worker.Closing;
import io.waterwheel.topology.worker.Role;
import io.waterwheel.topology.worker.WorkerServices;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.Region;
import io.waterwheel.tuple.TimeInterval;
import io.waterwheel.wire.AdminActions;
import io.waterwheel.wire.proto.AlterStreamRequest;
import io.waterwheel.wire.proto.CheckChunksRequest;
import io.waterwheel.wire.proto.CreateStreamRequest;
import io.waterwheel.wire.proto.DescribeStreamRequest;
import io.waterwheel.wire.proto.DropStreamReply;
import io.waterwheel.wire.proto.DropStreamRequest;
import io.waterwheel.wire.proto.FlushStreamReply;
import io.waterwheel.wire.proto.FlushStreamRequest;
import io.waterwheel.wire.proto.KillQueryRequest;
import io.waterwheel.wire.proto.ListStreamsReply;
import io.waterwheel.wire.proto.RetentionReply;
import io.waterwheel.wire.proto.SetOffsetsRequest;
import io.waterwheel.wire.proto.SetPartitionsRequest;
import io.waterwheel.wire.proto.ShowOffsetsRequest;
import io.waterwheel.wire.proto.ShowPartitionsRequest;
import io.waterwheel.wire.proto.ShowRetentionRequest;
import io.waterwheel.wire.proto.StatusReply;
import io.waterwheel.wire.proto.StreamDescription;
import io.waterwheel.wire.proto.VerifyStreamReply;
import io.waterwheel.wire.proto.VerifyStreamRequest;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A coordinator's public server: queries go to the coordinator, calls that manage streams are answered here. */
final class CoordinatorService implements WorkerServices.CoordinatorServer {
    private static final Logger LOG = LoggerFactory.getLogger(CoordinatorService.class);
    private static final long DEFAULT_FLUSH_MILLIS = 30_000;
    private static final long DEFAULT_VERIFY_MILLIS = 600_000;
    private static final long FLUSH_POLL_MILLIS = 20;
    private static final long SEAL_REPEAT_MILLIS = 500;
    /** Of one stream; each takes a node of every change of the routing, in one transaction. */
    private static final int MAX_INDEXERS = 1000;

    private final WorkerRuntime services;
    private final KafkaTopics topics;
    private final WorkerServices.QueryHandler coordinator;
    private final SourceOffsets sources;
    private final KeyPartitions partitions;
    private final Semaphore verifying = new Semaphore(1);
    private final ChunkChecks chunkChecks;
    private final RpcServer server;
    private final String url;
    private final AutoCloseable announcement;

    private CoordinatorService(
            WorkerRuntime services, KafkaTopics topics, int index, WorkerServices.QueryHandler coordinator) {
        this.services = services;
        this.topics = topics;
        this.coordinator = coordinator;
        this.sources = new SourceOffsets(services, coordinator);
        this.partitions = new KeyPartitions(services, coordinator);
        this.chunkChecks = new ChunkChecks(services.chunkStore(), coordinator);
        this.server = startServer();
        this.url = "grpc://" + host(services) + ":" + server.port();
        services.catalogStore().ensure("/coordinators");
        this.announcement = services.directory().announceAt("/coordinators/" + index, url);
    }

    static CoordinatorService start(
            WorkerRuntime services, KafkaTopics topics, int index, WorkerServices.QueryHandler coordinator) {
        return new CoordinatorService(services, topics, index, coordinator);
    }

    private static String host(WorkerRuntime services) {
        return WorkerHost.of(services.config().get(Keys.COORDINATOR_HOST));
    }

    /** The first of the configured ports that is free. */
    private RpcServer startServer() {
        WaterwheelException last = null;
        for (int port : services.coordinatorPorts()) {
            // More threads than may be open: who is refused is told so by one.
            int queries = services.config().get(Keys.QUERY_OPEN) * 5 / 4 + 16;
            RpcSettings settings = new RpcSettings(
                    host(services),
                    port,
                    RpcSettings.DEFAULT.memoryBytes(),
                    queries,
                    1,
                    services.config().get(Keys.QUERY_CLIENT_PATIENCE),
                    services.config().get(Keys.QUERY_TIMEOUT),
                    services.config().get(Keys.QUERY_MAX_TIMEOUT));
            try {
                return RpcServer.forClients(settings, coordinator::query, this::call);
            } catch (WaterwheelException e) {
                last = e;
            }
        }
        throw last != null
                ? last
                : new WaterwheelException(
                        ErrorCode.NO_PORT, Keys.COORDINATOR_PORTS.name() + " names no port; 0 means any free one");
    }

    @Override
    public String url() {
        return url;
    }

    @Override
    public void close() {
        Closing.all(LOG, "coordinator", announcement, server);
    }

    private byte[] call(String action, byte[] body, AdminHandler.Caller caller) throws InterruptedException {
        try {
            return switch (action) {
                case AdminActions.CREATE_STREAM ->
                    create(CreateStreamRequest.parseFrom(body)).toByteArray();
                case AdminActions.LIST_STREAMS -> list().toByteArray();
                case AdminActions.DESCRIBE_STREAM ->
                    describe(require(DescribeStreamRequest.parseFrom(body).getName()))
                            .toByteArray();
                case AdminActions.DROP_STREAM ->
                    drop(DropStreamRequest.parseFrom(body)).toByteArray();
                case AdminActions.FLUSH_STREAM ->
                    flush(FlushStreamRequest.parseFrom(body), caller).toByteArray();
                case AdminActions.ALTER_STREAM ->
                    alter(AlterStreamRequest.parseFrom(body)).toByteArray();
                case AdminActions.SHOW_PARTITIONS ->
                    partitions
                            .show(require(ShowPartitionsRequest.parseFrom(body).getName()))
                            .toByteArray();
                case AdminActions.SET_PARTITIONS -> {
                    SetPartitionsRequest request = SetPartitionsRequest.parseFrom(body);
                    yield partitions
                            .set(require(request.getName()), request.getBoundariesList())
                            .toByteArray();
                }
                case AdminActions.SHOW_RETENTION ->
                    retention(ShowRetentionRequest.parseFrom(body)).toByteArray();
                case AdminActions.SHOW_OFFSETS ->
                    sources.show(require(ShowOffsetsRequest.parseFrom(body).getName()))
                            .toByteArray();
                case AdminActions.SET_OFFSETS -> {
                    SetOffsetsRequest request = SetOffsetsRequest.parseFrom(body);
                    StreamInfo stream = require(request.getName());
                    sources.set(stream, request.getOffsetsMap());
                    yield sources.show(stream).toByteArray();
                }
                case AdminActions.VERIFY_STREAM ->
                    verify(VerifyStreamRequest.parseFrom(body), caller).toByteArray();
                case AdminActions.CHECK_CHUNKS -> {
                    CheckChunksRequest request = CheckChunksRequest.parseFrom(body);
                    yield chunkChecks
                            .check(require(request.getName()), request, caller)
                            .toByteArray();
                }
                case AdminActions.STATUS -> status().toByteArray();
                case AdminActions.LIST_QUERIES ->
                    OpenQueries.list(services.admission()).toByteArray();
                case AdminActions.KILL_QUERY ->
                    OpenQueries.kill(services.admission(), KillQueryRequest.parseFrom(body))
                            .toByteArray();
                default ->
                    throw new WaterwheelException(ErrorCode.NO_SUCH_ACTION, "there is no action '" + action + "'");
            };
        } catch (InvalidProtocolBufferException e) {
            throw new WaterwheelException(
                    ErrorCode.BAD_REQUEST,
                    "action " + action + ": the body is not its request message: " + e.getMessage(),
                    e);
        } catch (IllegalArgumentException e) {
            throw new WaterwheelException(ErrorCode.BAD_REQUEST, String.valueOf(e.getMessage()), e);
        }
    }

    private StreamDescription create(CreateStreamRequest request) {
        StreamDefinition definition = SchemaJson.readStream(request.getDefinitionJson());
        // Before its topics are made; who creates the same stream at this moment is found out later.
        services.catalogStore().sync();
        services.requireCatalog();
        if (services.namespace().find(definition.name()).isPresent()) {
            throw Namespace.exists(definition.name());
        }
        KafkaTopics.Topic topic = topics.ensure(definition.topic(), definition.partitions());
        topics.ensureDeadLetters(definition.topic());
        StreamInfo stream = services.namespace()
                .create(
                        definition.name(),
                        definition.schema(),
                        definition.format(),
                        definition.topic(),
                        topics.startOffsets(topic),
                        services.config().get(Keys.INDEXER_TASKS),
                        definition.policy(),
                        LogIdentity.first(topic.id()));
        LOG.info("[{}] created: id {}, topic {}", stream.name(), stream.id(), stream.topic());
        return describe(stream);
    }

    private StreamDescription alter(AlterStreamRequest request) {
        // Parsed here, so that what is wrong is said before anything is changed.
        RoutingTable even = request.hasIndexers() ? even(request) : null;
        BadRecords badRecords = request.hasDeadLetters() ? BadRecords.parse(request.getDeadLetters()) : null;
        LogLoss logLoss = request.hasLogLoss() ? LogLoss.parse(request.getLogLoss()) : null;
        Balancing balancing = request.hasBalancing() ? Balancing.parse(request.getBalancing()) : null;
        Retention retention = request.hasRetention() ? Retention.parse(request.getRetention()) : null;
        StreamInfo stream = services.namespace()
                .changePolicy(
                        request.getName(),
                        old -> new StreamPolicy(
                                badRecords == null ? old.badRecords() : badRecords,
                                logLoss == null ? old.logLoss() : logLoss,
                                balancing == null ? old.balancing() : balancing,
                                retention == null ? old.retention() : retention));
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
        return RoutingTable.even(1, KeyMaker.domain(require(request.getName()).schema()), count);
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
        return reply.addAllUnreadable(entries.unreadable()).build();
    }

    private StreamInfo require(String name) {
        return services.namespace().find(name).orElseThrow(() -> {
            services.requireCatalog();
            return new WaterwheelException(
                    ErrorCode.NO_SUCH_STREAM,
                    "there is no stream '" + name + "'; 'waterwheel stream list' shows those there are");
        });
    }

    private StreamDescription.Builder basics(StreamInfo stream) {
        StreamDefinition definition = new StreamDefinition(
                stream.name(), stream.topic(), stream.format(), stream.partitions(), stream.schema(), stream.policy());
        return StreamDescription.newBuilder()
                .setId(stream.id())
                .setDefinitionJson(SchemaJson.writeStream(definition))
                .setBootstrapServers(services.config().kafkaForClients());
    }

    private StreamDescription describe(StreamInfo stream) {
        long[] sums = new long[3];
        coordinator.snapshot(stream).chunks(new Region(KeyInterval.ALL, TimeInterval.ALL), chunk -> {
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
        return withRouting(stream, basics(stream))
                .putAllBases(bases)
                .setChunks(sums[0])
                .setChunkTuples(sums[1])
                .setChunkBytes(sums[2])
                .build();
    }

    /** What has expired, and what would by a retention; nothing is changed. */
    private RetentionReply retention(ShowRetentionRequest request) {
        Retention asked = request.hasRetention() ? Retention.parse(request.getRetention()) : null;
        services.catalogStore().sync();
        StreamInfo stream = require(request.getName());
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
        StreamInfo stream = require(request.getName());
        services.namespace().drop(stream.name());
        LOG.info("[{}] dropped", stream.name());
        return DropStreamReply.getDefaultInstance();
    }

    /** Seals everywhere and waits until every checkpoint has passed what the log held at the call, or what is asked. */
    private FlushStreamReply flush(FlushStreamRequest request, AdminHandler.Caller caller) throws InterruptedException {
        StreamInfo stream = require(request.getName());
        long millis = request.getTimeoutMillis() == 0 ? DEFAULT_FLUSH_MILLIS : request.getTimeoutMillis();
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        long[] ends = services.logEnds(stream);
        refuseAnotherLog(stream, ends);
        if (request.getUpToCount() > 0) {
            for (int p = 0; p < ends.length; p++) {
                ends[p] = request.getUpToOrDefault(p, 0);
            }
        }
        long sealAgain = System.nanoTime();
        while (true) {
            caller.requireThere();
            StreamSnapshot snapshot = coordinator.snapshot(stream);
            long[] least = least(snapshot, Math.min(snapshot.partitions(), ends.length));
            if (reached(least, ends)) {
                Map<Integer, Long> positions = new HashMap<>();
                for (int p = 0; p < least.length; p++) {
                    positions.put(p, least[p]);
                }
                return FlushStreamReply.newBuilder().putAllPositions(positions).build();
            }
            long now = System.nanoTime();
            if (now - deadline >= 0) {
                throw new WaterwheelException(
                        ErrorCode.FLUSH_SLOW,
                        "stream " + stream.name() + ": after " + millis + " ms the checkpoints are at "
                                + Arrays.toString(least) + ", they are to reach " + Arrays.toString(ends)
                                + "; flushing goes on, ask again");
            }
            if (now - sealAgain >= 0) {
                for (int task = 0; task < services.config().get(Keys.INDEXER_TASKS); task++) {
                    services.controlBus().send(Role.INDEXER, task, new Control.Seal(stream.id()));
                }
                sealAgain = now + TimeUnit.MILLISECONDS.toNanos(SEAL_REPEAT_MILLIS);
            }
            TimeUnit.MILLISECONDS.sleep(FLUSH_POLL_MILLIS);
        }
    }

    private static void refuseAnotherLog(StreamInfo stream, long[] ends) {
        for (int p = 0; p < ends.length; p++) {
            if (ends[p] == Long.MAX_VALUE) {
                throw new WaterwheelException(
                        ErrorCode.LOG_CHANGED,
                        "stream " + stream.name() + ": topic " + stream.topic() + ", partition " + p
                                + " was made anew; see `waterwheel offsets show " + stream.name() + "`");
            }
        }
    }

    /** One at a time: it reads the whole topic and all chunks. */
    private VerifyStreamReply verify(VerifyStreamRequest request, AdminHandler.Caller caller)
            throws InterruptedException {
        if (!verifying.tryAcquire()) {
            throw new WaterwheelException(ErrorCode.BUSY, "another verification is under way; ask again later");
        }
        try {
            StreamInfo stream = require(request.getName());
            long millis = verifyMillis(request);
            long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
            var flushed = flush(
                    FlushStreamRequest.newBuilder()
                            .setName(stream.name())
                            .setTimeoutMillis(millis)
                            .build(),
                    caller);
            LOG.info("[{}] verifying; flushed up to {}", stream.name(), flushed.getPositionsMap());
            try (TopicScan scan = new TopicScan(
                    services.config().get(Keys.KAFKA_BOOTSTRAP), "verify-" + stream.name(), stream.topic())) {
                StreamVerifier.Outcome outcome = new StreamVerifier(
                                stream,
                                new StreamCatalog(services.catalogStore(), stream),
                                coordinator,
                                scan,
                                caller,
                                deadline)
                        .verify();
                LOG.info("[{}] verified at edit {}: {}", stream.name(), outcome.edit(), outcome.differences());
                return reply(outcome);
            }
        } finally {
            verifying.release();
        }
    }

    /** Less than the grace time, for which the files of what is compared are kept. */
    private long verifyMillis(VerifyStreamRequest request) {
        Duration grace = services.config().get(Keys.MAINTENANCE_GRACE);
        if (request.getTimeoutMillis() == 0) {
            return Math.min(DEFAULT_VERIFY_MILLIS, grace.toMillis() / 4 * 3);
        }
        if (request.getTimeoutMillis() >= grace.toMillis()) {
            throw new WaterwheelException(
                    ErrorCode.TIMEOUT_TOO_LONG,
                    "verify: timeout " + Duration.ofMillis(request.getTimeoutMillis()) + ": expected less than "
                            + Keys.MAINTENANCE_GRACE.name() + ", " + grace + "; ask with a shorter one");
        }
        return request.getTimeoutMillis();
    }

    private static VerifyStreamReply reply(StreamVerifier.Outcome outcome) {
        VerifyStreamReply.Builder reply = VerifyStreamReply.newBuilder()
                .setEdit(outcome.edit())
                .setTopicTuples(outcome.topic().rows())
                .setTopicFingerprint(outcome.topic().fingerprint())
                .setAnswerTuples(outcome.answers().rows())
                .setAnswerFingerprint(outcome.answers().fingerprint())
                .addAllNotes(outcome.notes())
                .addAllDifferences(outcome.differences());
        outcome.parts()
                .forEach((partition, part) -> reply.putPartitions(
                        partition,
                        VerifyStreamReply.Partition.newBuilder()
                                .setFrom(part.from())
                                .setTo(part.to())
                                .setTuples(part.tuples())
                                .setRefused(part.refused())
                                .build()));
        return reply.build();
    }

    private static long[] least(StreamSnapshot snapshot, int partitions) {
        long[] least = new long[partitions];
        Arrays.fill(least, Long.MAX_VALUE);
        for (IndexerCheckpoint checkpoint : snapshot.checkpoints().values()) {
            for (int p = 0; p < partitions; p++) {
                least[p] = Math.min(least[p], checkpoint.watermarks()[p]);
            }
        }
        return least;
    }

    private static boolean reached(long[] least, long[] ends) {
        for (int p = 0; p < least.length; p++) {
            if (least[p] < ends[p]) {
                return false;
            }
        }
        return true;
    }

    private StatusReply status() {
        String json = coordinator.status();
        return StatusReply.newBuilder()
                .setJson(json)
                .setText(StatusText.of(json))
                .build();
    }
}
