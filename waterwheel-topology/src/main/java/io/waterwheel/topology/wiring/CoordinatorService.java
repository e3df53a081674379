package io.waterwheel.topology.wiring;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.metrics.QueryMetrics;
import io.waterwheel.query.Query;
import io.waterwheel.query.Statement;
import io.waterwheel.query.run.AnswerSink;
import io.waterwheel.status.ServerReport;
import io.waterwheel.status.StatusJson;
import io.waterwheel.topology.admin.ChunkChecks;
import io.waterwheel.topology.admin.ChunkRegions;
import io.waterwheel.topology.admin.FlushCalls;
import io.waterwheel.topology.admin.KeyPartitions;
import io.waterwheel.topology.admin.OpenQueries;
import io.waterwheel.topology.admin.ScaleCalls;
import io.waterwheel.topology.admin.ScheduleCalls;
import io.waterwheel.topology.admin.SourceOffsets;
import io.waterwheel.topology.admin.StatusText;
import io.waterwheel.topology.admin.StreamCalls;
import io.waterwheel.topology.admin.VerifyCalls;
import io.waterwheel.topology.config.Keys;
import io.waterwheel.topology.flightsql.FlightSqlExtension;
import io.waterwheel.topology.kafka.KafkaDeadLetters;
import io.waterwheel.topology.kafka.KafkaInserts;
import io.waterwheel.topology.kafka.KafkaLetters;
import io.waterwheel.topology.kafka.KafkaTopics;
import io.waterwheel.topology.rpc.AdminCalls;
import io.waterwheel.topology.rpc.ColumnSink;
import io.waterwheel.topology.rpc.RpcServer;
import io.waterwheel.topology.rpc.RpcSettings;
import io.waterwheel.topology.sql.Statements;
import io.waterwheel.topology.warmup.QueryWarmUp;
import io.waterwheel.topology.worker.Closing;
import io.waterwheel.topology.worker.CoordinatorServices;
import io.waterwheel.wire.proto.StatusReply;
import io.waterwheel.wire.proto.StatusRequest;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A coordinator's public server: queries go to the coordinator, the calls of {@code admin.proto} to the classes of
 * topology.admin.
 */
final class CoordinatorService implements CoordinatorServices.CoordinatorServer {
    private static final Logger LOG = LoggerFactory.getLogger(CoordinatorService.class);

    private final WorkerRuntime services;
    private final KafkaTopics topics;
    private final CoordinatorServices.QueryHandler coordinator;
    private final RpcServer server;
    private final String url;
    private final KafkaInserts inserts;
    private final Statements statements;
    private final AutoCloseable memory;
    private final AutoCloseable announcement;

    private CoordinatorService(
            WorkerRuntime services, KafkaTopics topics, int index, CoordinatorServices.QueryHandler coordinator) {
        this.services = services;
        this.topics = topics;
        this.coordinator = coordinator;
        boolean warms = !services.config().get(Keys.QUERY_WARM_UP).isZero();
        if (warms) {
            Statements.warmUp(services.warmUp()::mayGoOn);
        }
        AdminCalls calls = calls();
        this.inserts = new KafkaInserts(
                services.config().get(Keys.KAFKA_BOOTSTRAP),
                "waterwheel.insert/" + services.config().get(Keys.NAMESPACE) + "/" + index);
        Statements answering = null;
        RpcServer serving = null;
        AutoCloseable measured = null;
        AutoCloseable announced = null;
        try {
            KafkaLetters letters = new KafkaLetters(
                    services.config().get(Keys.KAFKA_BOOTSTRAP),
                    "waterwheel-letters-" + index,
                    KafkaDeadLetters.namespace(services.config()));
            answering = new Statements(services, coordinator, this::query, calls, inserts::append, letters::read);
            this.statements = answering;
            serving = startServer(calls);
            measured = services.metrics().gauge(QueryMetrics.ANSWER_MEMORY, serving.allocator()::getAllocatedMemory);
            this.url = "grpc://" + host(services) + ":" + serving.port();
            services.catalogStore().ensure("/coordinators");
            // Clients that are told of it now find it quick.
            long begun = System.nanoTime();
            services.warmUp().await();
            if (warms) {
                Statements.awaitLoaded(begun);
                services.warmUp()
                        .askAsClients(
                                host(services),
                                serving.port(),
                                services.streams().streams().values(),
                                coordinator::query);
            }
            announced = services.directory().announceAt("/coordinators/" + index, url);
            services.warmUp().goOn();
        } catch (RuntimeException | Error e) {
            // Who starts it again needs the port.
            Closing.all(LOG, "coordinator", announced, measured, serving, answering, inserts);
            throw e;
        }
        this.server = serving;
        this.memory = measured;
        this.announcement = announced;
    }

    static CoordinatorService start(
            WorkerRuntime services, KafkaTopics topics, int index, CoordinatorServices.QueryHandler coordinator) {
        return new CoordinatorService(services, topics, index, coordinator);
    }

    private static String host(WorkerRuntime services) {
        return WorkerHost.of(services.config().get(Keys.COORDINATOR_HOST));
    }

    /** The first of the configured ports that is free. */
    private RpcServer startServer(AdminCalls calls) {
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
                return RpcServer.forClients(
                        settings, this::query, this::answer, calls, new FlightSqlExtension(statements));
            } catch (WaterwheelException e) {
                last = e;
            }
        }
        throw last != null
                ? last
                : new WaterwheelException(
                        ErrorCode.NO_PORT, Keys.COORDINATOR_PORTS.name() + " names no port; 0 means any free one");
    }

    private void query(Query query, AnswerSink sink) throws InterruptedException {
        if (QueryWarmUp.asks(sink.trace())) {
            coordinator.query(query, new OwnAnswer(sink));
            return;
        }
        services.warmUp().asked();
        try {
            coordinator.query(query, sink);
        } finally {
            services.warmUp().answered();
        }
    }

    private void answer(Statement statement, ColumnSink sink) throws InterruptedException {
        if (QueryWarmUp.asks(sink.trace())) {
            statements.answer(statement, new OwnAnswer(sink));
            return;
        }
        services.warmUp().asked();
        try {
            statements.answer(statement, sink);
        } finally {
            services.warmUp().answered();
        }
    }

    @Override
    public String url() {
        return url;
    }

    @Override
    public void close() {
        Closing.all(LOG, "coordinator", announcement, memory, server, statements, inserts);
    }

    private AdminCalls calls() {
        AdminCalls calls = new AdminCalls();
        FlushCalls flushes = new FlushCalls(services, coordinator);
        new StreamCalls(services, topics, coordinator).register(calls);
        new KeyPartitions(services, coordinator).register(calls);
        new SourceOffsets(services, coordinator).register(calls);
        new ChunkChecks(services, coordinator).register(calls);
        new ChunkRegions(services, coordinator).register(calls);
        new ScheduleCalls(services, coordinator).register(calls);
        new ScaleCalls(services, coordinator).register(calls);
        new VerifyCalls(services, coordinator, flushes).register(calls);
        new OpenQueries(services.admission()).register(calls);
        flushes.register(calls);
        services.metricsPlaces().register(calls);
        calls.on(StatusRequest.getDefaultInstance(), StatusReply.getDefaultInstance(), (request, caller) -> status());
        return calls.requireAll();
    }

    private StatusReply status() {
        ServerReport report = coordinator.status(services.metricsPlaces().gateways());
        return StatusReply.newBuilder()
                .setJson(StatusJson.write(report))
                .setText(StatusText.of(report))
                .build();
    }
}
