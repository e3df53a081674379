package io.waterwheel.topology.dispatcher;

import io.waterwheel.catalog.StreamCatalog;
import io.waterwheel.catalog.state.LogIdentity;
import io.waterwheel.catalog.state.PartitionRoute;
import io.waterwheel.catalog.state.RoutingTable;
import io.waterwheel.catalog.state.StreamGoneException;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.ingest.block.BodyPool;
import io.waterwheel.ingest.block.ChannelBlock;
import io.waterwheel.ingest.dispatch.CatchUpBudget;
import io.waterwheel.ingest.dispatch.DispatcherEffects;
import io.waterwheel.ingest.dispatch.DispatcherSettings;
import io.waterwheel.ingest.dispatch.HeartbeatRound;
import io.waterwheel.ingest.dispatch.PartitionDispatcher;
import io.waterwheel.ingest.dispatch.RefusedRow;
import io.waterwheel.ingest.dispatch.Segmenter;
import io.waterwheel.ingest.source.LiveBatch;
import io.waterwheel.protocol.Control;
import io.waterwheel.protocol.PartitionTrouble;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.text.KafkaFields;
import io.waterwheel.topology.config.Keys;
import io.waterwheel.topology.message.BlockMessage;
import io.waterwheel.topology.task.Task;
import io.waterwheel.topology.task.TaskContext;
import io.waterwheel.topology.worker.Closing;
import io.waterwheel.topology.worker.ControlBatch;
import io.waterwheel.topology.worker.DispatcherServices;
import io.waterwheel.topology.worker.EventLoop;
import io.waterwheel.topology.worker.Placement;
import io.waterwheel.topology.worker.Role;
import io.waterwheel.topology.worker.WorkerServices;
import io.waterwheel.tuple.LostRange;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All partitions that one dispatcher task routes, on one event loop: a shell around {@link PartitionDispatcher}.
 * Records come from spouts, blocks go to indexer tasks; subscriptions and credit come by the control bus.
 */
public final class DispatcherTask implements EventLoop.Handler<DispatcherEvent>, Task {
    private static final Logger LOG = LoggerFactory.getLogger(DispatcherTask.class);
    /** Bodies that are unused for this time are given back. */
    private static final long SHRINK_NANOS = 10_000_000_000L;

    /** Between two tries to route a partition. */
    private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private static final long MOST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(25);

    private final DispatcherServices services;
    /** Gives the services back. */
    private final AutoCloseable lease;

    private final TaskContext context;
    private final int index;
    private final int indexerTasks;
    private final int spouts;
    private final EventLoop<DispatcherEvent> loop;
    private final AutoCloseable registration;
    private final DispatcherSettings settings;
    private final HeartbeatRound heartbeats;
    private final ControlBatch control;
    private final DispatcherMeter meter;
    private final AutoCloseable queues;
    private final long blockBytes;
    /** What the rings of all partitions may hold together, and as much what waits before them. */
    private final long ringBytes;

    private final CatchUpBudget catchUpBudget;
    /** All bodies that full rings let go of at once: blocks are divided between indexers, and not all are full. */
    private final int pooledBodies;

    private long shrunkNanos = System.nanoTime();
    private final Map<PartitionId, PartitionDispatcher> partitions = new HashMap<>();
    private final Map<Integer, Segmenter> segmenters = new HashMap<>();
    /** Those whose routes are being read. */
    private final Set<PartitionId> beginning = new HashSet<>();

    /** Of those whose routes could not be read. */
    private final RetryPauses<PartitionId> pauses = new RetryPauses<>(FIRST_PAUSE_NANOS, MOST_PAUSE_NANOS);

    DispatcherTask(DispatcherServices services, AutoCloseable lease, TaskContext context) {
        this.services = services;
        this.lease = lease;
        this.context = context;
        this.index = context.index();
        this.indexerTasks = context.tasks(Role.INDEXER);
        this.spouts = context.tasks(Role.SPOUT);
        this.blockBytes = services.config().get(Keys.DISPATCHER_BLOCK_SIZE).bytes();
        this.ringBytes = services.config().get(Keys.DISPATCHER_RING_SIZE).bytes();
        this.catchUpBudget = CatchUpBudget.ofRing(ringBytes);
        this.pooledBodies = (int) Math.min(1 << 16, Math.max(64, 4 * ringBytes / blockBytes));
        this.settings = new DispatcherSettings(
                ringBytes,
                DispatcherSettings.DEFAULT.pendingBytes(),
                services.config().get(Keys.HEARTBEAT_INTERVAL).toNanos());
        this.control = new ControlBatch(services.controlBus());
        this.heartbeats = new HeartbeatRound(
                settings.heartbeatNanos(),
                indexerTasks,
                indexer -> Placement.indexerTaskOf(indexer, indexerTasks),
                System.nanoTime(),
                context::send);
        this.loop = new EventLoop<>(Role.DISPATCHER.address(index), TICK_NANOS, this);
        this.meter = new DispatcherMeter(services.metrics(), Role.DISPATCHER.address(index), settings);
        this.queues = loop.measure(services.metrics());
        this.registration = services.controlBus().register(Role.DISPATCHER, index, this::offer);
    }

    private boolean offer(Control message) {
        DispatcherEvent event = DispatcherEvent.ofControl(message);
        return event != null && loop.offer(event);
    }

    /**
     * Opens one.
     *
     * @param services closed with it
     */
    public static DispatcherTask open(WorkerServices services, TaskContext context) {
        DispatcherTask opened = new DispatcherTask(services, services, context);
        opened.loop.start();
        return opened;
    }

    EventLoop<DispatcherEvent> start() {
        loop.start();
        return loop;
    }

    @Override
    public void take(Object message) throws InterruptedException {
        loop.put(DispatcherEvent.ofData(message));
    }

    @Override
    public void close() {
        Closing.all(LOG, "dispatcher-" + index, registration, loop, queues, meter, lease);
    }

    @Override
    public void onFailure(Throwable cause) {
        context.failed(cause);
    }

    @Override
    public void on(DispatcherEvent event, long now) {
        event.applyTo(this, now);
        control.flush();
    }

    void onLive(LiveBatch batch, long now) {
        PartitionDispatcher partition =
                partition(batch.records().streamId(), batch.records().partition(), now);
        if (partition != null) {
            partition.onLive(batch, now);
            if (batch.records().count() > 0) {
                meter.step(now);
            }
        }
    }

    void onSubscribe(Control.Subscribe subscribe, long now) {
        PartitionDispatcher partition = partition(subscribe.streamId(), subscribe.partition(), now);
        if (partition != null) {
            partition.onSubscribe(subscribe, now);
        }
    }

    void onCredit(Control.Credit credit, long now) {
        withPartition(
                new PartitionId(credit.streamId(), credit.partition()), partition -> partition.onCredit(credit, now));
    }

    void onLogState(Control.LogState state, long now) {
        PartitionDispatcher partition = partition(state.streamId(), state.partition(), now);
        if (partition != null) {
            partition.onLogState(state, now);
        }
    }

    /** Does something with a partition, if it is still routed here. */
    void withPartition(PartitionId id, Consumer<PartitionDispatcher> what) {
        PartitionDispatcher partition = partitions.get(id);
        if (partition != null) {
            what.accept(partition);
        }
    }

    @Override
    public void onTick(long now) {
        Map<Integer, StreamInfo> streams = services.streams().streams();
        int before = partitions.size();
        for (Iterator<Map.Entry<PartitionId, PartitionDispatcher>> all =
                        partitions.entrySet().iterator();
                all.hasNext(); ) {
            Map.Entry<PartitionId, PartitionDispatcher> entry = all.next();
            StreamInfo stream = streams.get(entry.getKey().streamId());
            if (stream != null) {
                entry.getValue().onPolicy(stream.policy(), now);
                entry.getValue().onTick(now);
            } else {
                entry.getValue().close();
                segmenters.remove(entry.getKey().streamId());
                meter.forget(entry.getKey().streamId());
                all.remove();
            }
        }
        pauses.forgetIf(id -> !streams.containsKey(id.streamId()));
        if (partitions.size() < before) {
            shareMemory();
        }
        meter.onTick(partitions, now);
        heartbeats.onTick(partitions.values(), now);
        control.flush();
        if (now - shrunkNanos >= SHRINK_NANOS) {
            shrunkNanos = now;
            segmenters.values().forEach(Segmenter::shrink);
        }
    }

    @Override
    public boolean rests() {
        return partitions.isEmpty();
    }

    /**
     * The partition's dispatcher; null when its stream is not known here (yet), the catalog is being asked, or could
     * not answer a moment ago. What came for it then, the spout's heartbeat or an indexer's subscription, comes again.
     */
    private @Nullable PartitionDispatcher partition(int streamId, int number, long now) {
        PartitionId id = new PartitionId(streamId, number);
        PartitionDispatcher existing = partitions.get(id);
        if (existing != null) {
            return existing;
        }
        StreamInfo stream = services.streams().streams().get(streamId);
        if (stream != null
                && number >= 0
                && number < stream.partitions()
                && pauses.mayTry(id, now)
                && beginning.add(id)) {
            readRoute(id, stream);
        }
        return null;
    }

    private void readRoute(PartitionId id, StreamInfo stream) {
        StreamCatalog catalog = new StreamCatalog(services.catalogStore(), stream);
        // Made before anything can fail for want of memory: without it the partition would be left out for ever.
        DispatcherEvent notReady = new DispatcherEvent.NotReady(id);
        boolean again = pauses.hasFailed(id);
        try {
            services.blockingCalls().execute(() -> {
                try {
                    PartitionRoute route = catalog.route(id.partition()).route();
                    RoutingTable table = catalog.table(route.firstVersion());
                    post(new DispatcherEvent.Ready(id, stream, catalog, route, table));
                } catch (StreamGoneException e) {
                    post(notReady);
                    LOG.info("[{}/dispatcher-{}] dropped before it was routed", stream.name(), index);
                } catch (Throwable e) {
                    post(notReady);
                    // Once with a stack trace.
                    LOG.warn(
                            "[{}/dispatcher-{}] partition {} cannot be routed yet; trying again{}",
                            stream.name(),
                            index,
                            id.partition(),
                            again ? ": " + e : "",
                            again ? null : e);
                }
            });
        } catch (RejectedExecutionException | Error e) {
            // Too many calls wait, or there is no memory for a thread: the next event for it tries again.
            beginning.remove(id);
        }
    }

    void onNotReady(PartitionId id, long now) {
        beginning.remove(id);
        pauses.failed(id, now);
    }

    void begin(DispatcherEvent.Ready ready, long now) {
        PartitionId id = ready.id();
        StreamInfo stream = ready.stream();
        beginning.remove(id);
        pauses.succeeded(id);
        if (!services.streams().streams().containsKey(id.streamId())) {
            return;
        }
        PartitionDispatcher created = new PartitionDispatcher(
                id.streamId(),
                id.partition(),
                ready.route(),
                ready.table(),
                segmenters.computeIfAbsent(
                        id.streamId(),
                        key -> new Segmenter(
                                stream.schema(),
                                stream.format(),
                                services.writerSchemas(stream),
                                new BodyPool(RowLayout.of(stream.schema()), pooledBodies),
                                blockBytes)),
                settings,
                catchUpBudget,
                new Effects(id, stream, ready.catalog()),
                now);
        created.onPolicy(stream.policy(), now);
        partitions.put(id, created);
        shareMemory();
    }

    /**
     * Lets the loop do something: an answer must not be lost, it waits as data when control is full. Where it cannot
     * wait, for there is no memory, the loop ends.
     */
    private void post(DispatcherEvent event) {
        try {
            if (!loop.offer(event)) {
                loop.put(event);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Error e) {
            loop.fail(e);
        }
    }

    /** Even shares: a partition whose ring is too small for a lagging channel reads the log again. */
    private void shareMemory() {
        long share = ringBytes / Math.max(1, partitions.size());
        partitions.values().forEach(partition -> partition.limitMemory(share, share));
    }

    /** What one partition wants done: blocks go out at once, everything else elsewhere, answered by an event. */
    private final class Effects implements DispatcherEffects {
        private final PartitionId id;
        private final StreamInfo stream;
        private final StreamCatalog catalog;
        private final DispatcherMeter.OfStream measured;
        private PartitionTrouble trouble = PartitionTrouble.NONE;

        Effects(PartitionId id, StreamInfo stream, StreamCatalog catalog) {
            this.id = id;
            this.stream = stream;
            this.catalog = catalog;
            this.measured = meter.stream(stream.id(), stream.name());
        }

        @Override
        public void send(ChannelBlock block) {
            measured.sent(block);
            context.send(Placement.indexerTaskOf(block.indexer(), indexerTasks), BlockMessage.of(block));
        }

        @Override
        public void readLog(long from, int maxBytes) {
            PartitionDispatcher asking = partitions.get(id);
            long base = asking == null ? 0 : asking.log().base();
            KafkaFields wanted = stream.schema().text().kafka();
            services.logReader().read(id.streamId(), id.partition(), from, base, wanted, maxBytes, (batch, failure) -> {
                // First: where memory is out, the line may fail.
                post(new DispatcherEvent.LogRead(id, batch));
                if (failure != null) {
                    LOG.warn(
                            "[{}/dispatcher-{}] partition {} could not be read again from {}; trying again",
                            stream.name(),
                            index,
                            id.partition(),
                            from,
                            failure.getMessage() == null ? failure : failure.getMessage());
                }
            });
        }

        @Override
        public void takeBackRead() {
            services.logReader().cancel(id.streamId(), id.partition());
        }

        @Override
        public void raiseLimit(long limit, LogIdentity log) {
            call(services.limitCalls(), "raise its limit", () -> {
                PartitionRoute route =
                        catalog.raiseLimit(id.partition(), limit, log).route();
                return new DispatcherEvent.RouteRead(id, route);
            });
        }

        @Override
        public void giveUp(LostRange range) {
            LOG.error(
                    "[{}/dispatcher-{}] gives up {}: what was there and is not indexed yet is lost",
                    stream.name(),
                    index,
                    range);
            call("give up what is lost", () -> {
                PartitionRoute route = catalog.giveUp(range).route();
                return new DispatcherEvent.RouteRead(id, route);
            });
        }

        @Override
        public void report(Control.PartitionReport report) {
            if (!report.trouble().equals(trouble)) {
                trouble = report.trouble();
                if (trouble.isNone()) {
                    LOG.info("[{}/dispatcher-{}] partition {} goes on", stream.name(), index, id.partition());
                } else {
                    LOG.error(
                            "[{}/dispatcher-{}] partition {} stands still: {}",
                            stream.name(),
                            index,
                            id.partition(),
                            trouble.sentence(stream.name()));
                }
            }
            String letters = services.deadLetters().warning(id.streamId());
            String log = services.logWarning(id.streamId(), id.partition());
            String warning = letters.isEmpty() || log.isEmpty() ? letters + log : log + "; " + letters;
            control.broadcast(Role.COORDINATOR, report.withWarning(warning));
        }

        @Override
        public void sample(Control.KeySample sample) {
            control.broadcast(Role.COORDINATOR, sample);
        }

        @Override
        public void fetchTable(int version) {
            call("read a routing table", () -> {
                Optional<RoutingTable> table = catalog.findTable(version);
                if (table.isPresent()) {
                    return new DispatcherEvent.TableRead(
                            id,
                            table.get(),
                            services.streams()
                                    .scaled(stream, table.get().scales())
                                    .schema());
                }
                catalog.sync();
                PartitionRoute route = catalog.route(id.partition()).route();
                return new DispatcherEvent.RouteRead(id, route);
            });
        }

        @Override
        public void storeDeadLetters(Object token, List<RefusedRow> letters) {
            measured.refused(letters);
            services.deadLetters().store(id.streamId(), id.partition(), letters, failure -> {
                measured.letters(letters.size(), failure == null);
                post(new DispatcherEvent.LettersStored(id, token, failure == null));
                if (failure != null) {
                    LOG.warn(
                            "[{}/dispatcher-{}] {} dead letters of partition {} from offset {} could not be stored;"
                                    + " trying again",
                            stream.name(),
                            index,
                            letters.size(),
                            id.partition(),
                            letters.get(0).offset(),
                            failure);
                }
            });
        }

        @Override
        public void steer(Control.ReadFrom live) {
            control.send(Role.SPOUT, Placement.spoutOf(live.streamId(), live.partition(), spouts), live);
        }

        private void call(String what, Callable<DispatcherEvent> call) {
            call(services.blockingCalls(), what, call);
        }

        private void call(Executor threads, String what, Callable<DispatcherEvent> call) {
            // Made before: without it the partition would wait for ever.
            DispatcherEvent failed = new DispatcherEvent.CallFailed(id);
            try {
                threads.execute(() -> {
                    try {
                        post(call.call());
                    } catch (StreamGoneException e) {
                        LOG.info("[{}/dispatcher-{}] was dropped", stream.name(), index);
                    } catch (Throwable e) {
                        post(failed);
                        LOG.warn(
                                "[{}/dispatcher-{}] partition {} could not {}; trying again",
                                stream.name(),
                                index,
                                id.partition(),
                                what,
                                e);
                    }
                });
            } catch (RejectedExecutionException | Error e) {
                post(failed);
                LOG.warn(
                        "[{}/dispatcher-{}] {}; partition {} tries again to {}",
                        stream.name(),
                        index,
                        e instanceof Error ? "no thread could be had" : "too many catalog calls wait",
                        id.partition(),
                        what);
            }
        }
    }
}
