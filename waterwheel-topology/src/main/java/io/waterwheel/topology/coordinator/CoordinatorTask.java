package io.waterwheel.topology.coordinator;

import io.waterwheel.catalog.SqlNames;
import io.waterwheel.catalog.state.ChunkDescriptor;
import io.waterwheel.catalog.state.RoutingTable;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.catalog.state.StreamSnapshot;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.key.sample.CellUse;
import io.waterwheel.protocol.Control;
import io.waterwheel.query.Query;
import io.waterwheel.query.run.AnswerSink;
import io.waterwheel.query.run.ForwardingSink;
import io.waterwheel.query.run.QueryRunner;
import io.waterwheel.query.run.QuestionLog;
import io.waterwheel.status.ServerReport;
import io.waterwheel.status.StreamReport;
import io.waterwheel.topology.config.Keys;
import io.waterwheel.topology.task.Task;
import io.waterwheel.topology.task.TaskContext;
import io.waterwheel.topology.worker.Closing;
import io.waterwheel.topology.worker.CoordinatorServices;
import io.waterwheel.topology.worker.HostTroubles;
import io.waterwheel.topology.worker.Role;
import io.waterwheel.topology.worker.WorkerServices;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A coordinator: answers queries over its own server. No message of a task comes to it. */
public final class CoordinatorTask implements Task, CoordinatorServices.QueryHandler {
    private static final Logger LOG = LoggerFactory.getLogger(CoordinatorTask.class);

    private final WorkerServices services;
    private final int index;
    private final SnapshotCache snapshots;
    private final KeyBalancer balancer;
    private final DamagedChunks damaged = new DamagedChunks(InstantSource.system());
    private final AutoCloseable registration;
    private final QueryRunner runner;
    private final CoordinatorServices.CoordinatorServer server;
    /** Of the first coordinator only. */
    private final @Nullable MaintenanceTask collector;
    /** The same, when chunks are to be read. */
    private final @Nullable ChunkScrub scrub;

    private final ScrubFindings findings;
    private final QueryMeter meter;
    /** Of the first coordinator only. */
    private final @Nullable StreamMeter streams;

    /**
     * Opens one.
     *
     * @param services closed with it
     */
    public CoordinatorTask(WorkerServices services, TaskContext context) {
        this.services = services;
        this.index = context.index();
        this.snapshots = new SnapshotCache(services);
        this.balancer = new KeyBalancer(
                services,
                stream -> snapshots
                        .snapshot(stream.name())
                        .filter(snapshot -> snapshot.stream().id() == stream.id())
                        .map(snapshot -> snapshot.table(snapshot.version())),
                index == 0);
        this.registration = services.controlBus().register(Role.COORDINATOR, index, this::onControl);
        this.runner = new QueryRunner(
                snapshots,
                services::endpoints,
                services::queryThreads,
                services.admission(),
                services.queryMemory(),
                services.preparedShapes());
        this.collector = index == 0 ? new MaintenanceTask(services, snapshots) : null;
        this.findings = new ScrubFindings(services.catalogStore(), services::requireCatalog);
        this.scrub = index == 0
                ? ChunkScrub.start(
                        services.chunkStore(),
                        () -> services.streams().streams().values(),
                        snapshots::latest,
                        services.config().get(Keys.SCRUB_RATE).bytes(),
                        findings,
                        services.jobs())
                : null;
        this.meter = new QueryMeter(services.metrics());
        this.streams = collector == null ? null : new StreamMeter(services, snapshots, collector);
        try {
            this.server = services.serve(index, this);
        } catch (RuntimeException | Error e) {
            // The port of the one before it may not be free yet: the next attempt begins with nothing of this one's
            // open. What the server had opened is closed by the server.
            closeAll(null, null);
            throw e;
        }
        LOG.info("[coordinator-{}] answers at {}", index, server.url());
    }

    private boolean onControl(Control message) {
        if (message instanceof Control.Report report) {
            return snapshots.onReport(report);
        } else if (message instanceof Control.PartitionReport report) {
            return snapshots.onPartitionReport(report);
        }
        return message instanceof Control.KeySample sample && balancer.onSample(sample);
    }

    @Override
    public QuestionLog questions() {
        return runner.questions();
    }

    @Override
    public double[] keyRates(int streamId, RoutingTable table) {
        return balancer.rates(streamId, table);
    }

    @Override
    public void query(Query query, AnswerSink client) throws InterruptedException {
        AnswerSink sink = meter.measured(query, client);
        if (ends(query, sink)) {
            runner.run(query, watched(query, sink));
        }
    }

    @Override
    public void queryChunks(Query query, StreamSnapshot snapshot, List<ChunkDescriptor> chunks, AnswerSink sink)
            throws InterruptedException {
        if (ends(query, sink)) {
            runner.runOnChunks(query, snapshot, chunks, watched(query, sink));
        }
    }

    /** Refuses what might outlive the grace time, for which the files that it reads are kept. */
    private boolean ends(Query query, AnswerSink sink) {
        Duration grace = services.config().get(Keys.MAINTENANCE_GRACE);
        if (query.timeout().compareTo(grace) >= 0) {
            sink.fail(new WaterwheelException(
                    ErrorCode.TIMEOUT_TOO_LONG,
                    "query: timeout " + Keys.MAINTENANCE_GRACE.format(query.timeout()) + ": expected less than "
                            + Keys.MAINTENANCE_GRACE.name() + ", " + Keys.MAINTENANCE_GRACE.format(grace)
                            + "; ask with a shorter one"));
            return false;
        }
        return true;
    }

    @Override
    public ServerReport status(List<ServerReport.Gateway> gateways) {
        List<String> troubles = new ArrayList<>();
        Map<Integer, List<String>> scrubbed = Map.of();
        try {
            if (services.catalogStore().isConnected()) {
                // The first coordinator has written there what it found.
                scrubbed = findings.read();
                services.requireCatalog();
            } else {
                troubles.add(ErrorCode.CATALOG_UNAVAILABLE + ": ZooKeeper at "
                        + services.config().get(Keys.ZOOKEEPER_CONNECT)
                        + " does not answer; queries are answered by what is known of the catalog, and no chunk is"
                        + " committed until it is back");
            }
        } catch (WaterwheelException e) {
            if (!e.is(ErrorCode.CATALOG_LOST)) {
                throw e;
            }
            troubles.add(e.code() + ": " + e.getMessage());
        }
        troubles.addAll(troubles());
        if (collector != null && !collector.recordsTrouble().isEmpty()) {
            troubles.add(collector.recordsTrouble());
        }
        Map<Integer, List<String>> found = scrubbed;
        List<StreamReport> reports = services.streams().streams().values().stream()
                .sorted(Comparator.comparing(StreamInfo::name))
                .map(stream -> StatusReports.stream(stream, known(stream, found.getOrDefault(stream.id(), List.of()))))
                .toList();
        return StatusReports.server(
                troubles,
                reports,
                collector == null ? null : collector.totals(),
                collector == null ? null : collector.rollUps(),
                gateways);
    }

    /** What is wrong with all streams, as far as it can be told without the catalog. */
    private List<String> troubles() {
        List<String> troubles = new ArrayList<>();
        if (!services.chunkStoreTrouble().isEmpty()) {
            troubles.add(services.chunkStoreTrouble());
        }
        troubles.addAll(HostTroubles.of(services.config()));
        return troubles;
    }

    /**
     * The sink, by which damage is noted. A query for a stream of a catalog that is lost hears that, and one for a view
     * that it is none.
     */
    private AnswerSink watched(Query query, AnswerSink sink) {
        return new ForwardingSink(damaged.watching(query.stream(), sink)) {
            @Override
            public void fail(WaterwheelException failure) {
                WaterwheelException told = failure;
                if (failure.is(ErrorCode.NO_SUCH_STREAM)) {
                    try {
                        services.requireCatalog();
                        told = SqlNames.noSuchStream(services.catalogStore(), query.stream());
                    } catch (WaterwheelException e) {
                        told = e;
                    }
                }
                super.fail(told);
            }
        };
    }

    private StatusReports.Known known(StreamInfo stream, List<String> scrubbed) {
        StreamSnapshot snapshot = StreamSnapshot.before(stream);
        List<String> troubles = new ArrayList<>();
        try {
            snapshot = (services.catalogStore().isConnected()
                            ? snapshots.refreshed(stream.name())
                            : snapshots.snapshot(stream.name()))
                    .orElse(snapshot);
        } catch (WaterwheelException e) {
            if (e.kind() != WaterwheelException.Kind.CORRUPT
                    && !e.is(ErrorCode.MANIFEST_UNAVAILABLE)
                    && !e.is(ErrorCode.NO_SUCH_STREAM)) {
                throw e;
            }
            // Of this stream: the status of the others is as good as ever.
            troubles.add("cannot be answered from: " + e.getMessage());
        }
        troubles.addAll(damaged.of(stream.name()));
        troubles.addAll(scrubbed);
        troubles.addAll(StatusReports.absences(stream.indexers(), services.endpoints(stream.id())));
        return new StatusReports.Known(
                snapshot,
                snapshots.lastReports(stream.id()),
                partitionReports(stream.id()),
                troubles,
                services.config().get(Keys.SOURCE_CHECK_INTERVAL).toMillis(),
                CellUse.of(stream.schema(), balancer.recentKeys(stream.id())));
    }

    @Override
    public StreamSnapshot snapshot(StreamInfo stream) {
        return snapshots.latest(stream);
    }

    @Override
    public StreamSnapshot known(StreamInfo stream) {
        return snapshots
                .snapshot(stream.name())
                .filter(snapshot -> snapshot.stream().id() == stream.id())
                .orElseGet(() -> StreamSnapshot.before(stream));
    }

    @Override
    public Map<Integer, Control.PartitionReport> partitionReports(int streamId) {
        return new TreeMap<>(snapshots.partitionReports(streamId));
    }

    @Override
    public Map<Integer, Control.Report> indexerReports(int streamId) {
        return snapshots.lastReports(streamId);
    }

    @Override
    public void close() {
        closeAll(server, services);
    }

    private void closeAll(@Nullable AutoCloseable serving, @Nullable AutoCloseable lease) {
        Closing.all(
                LOG,
                "coordinator-" + index,
                registration,
                serving,
                streams,
                scrub,
                collector,
                balancer,
                snapshots,
                lease);
    }
}
