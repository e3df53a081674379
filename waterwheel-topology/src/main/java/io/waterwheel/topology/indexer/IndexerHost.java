package io.waterwheel.topology.indexer;

import io.waterwheel.catalog.StreamCatalog;
import io.waterwheel.catalog.state.StreamGoneException;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.index.FreshView;
import io.waterwheel.index.PagePool;
import io.waterwheel.index.TemplateTree;
import io.waterwheel.ingest.block.ChannelBlock;
import io.waterwheel.ingest.block.ChannelHeartbeats;
import io.waterwheel.ingest.indexer.CreditWindow;
import io.waterwheel.ingest.indexer.FlushSequence;
import io.waterwheel.ingest.indexer.IndexerCore;
import io.waterwheel.ingest.indexer.IndexerEffects;
import io.waterwheel.ingest.indexer.IndexerLaunch;
import io.waterwheel.ingest.indexer.IndexerSettings;
import io.waterwheel.ingest.indexer.IndexerTask;
import io.waterwheel.ingest.indexer.SealedTree;
import io.waterwheel.protocol.Control;
import io.waterwheel.query.scan.FreshReader;
import io.waterwheel.query.scan.ViewHolder;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.topology.config.Keys;
import io.waterwheel.topology.message.BlockMessage;
import io.waterwheel.topology.task.Task;
import io.waterwheel.topology.task.TaskContext;
import io.waterwheel.topology.worker.Closing;
import io.waterwheel.topology.worker.ControlBatch;
import io.waterwheel.topology.worker.EventLoop;
import io.waterwheel.topology.worker.IndexerServices;
import io.waterwheel.topology.worker.Placement;
import io.waterwheel.topology.worker.Role;
import io.waterwheel.topology.worker.WorkerServices;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The indexers that one task hosts, on one event loop: those logical ids, of every stream, that fall to its number. A
 * shell around {@link IndexerTask}: blocks come from dispatchers, sealed trees go to the flusher.
 */
public final class IndexerHost implements EventLoop.Handler<IndexerEvent>, Task {
    private static final Logger LOG = LoggerFactory.getLogger(IndexerHost.class);
    private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(25);

    private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
    /** Time for a predecessor that was just started late, and fenced us, to be ended. */
    private static final long FENCED_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(5);

    private record IndexerId(int streamId, int indexer) {}

    private static final class Hosted {
        final StreamInfo stream;
        final RowLayout layout;
        final IndexerMeter.OfStream meter;
        /** How many logical indexers the stream had when its ids were last looked through. */
        int indexers;
        /** By logical indexer. */
        final Map<Integer, AutoCloseable> readers = new HashMap<>();
        /** By logical indexer: its readers say there what they were asked for. */
        final Map<Integer, ViewHolder> slots = new HashMap<>();

        Hosted(StreamInfo stream, IndexerMeter.OfStream meter) {
            this.stream = stream;
            this.meter = meter;
            this.layout = RowLayout.of(stream.schema());
            this.indexers = stream.indexers();
        }
    }

    /** Tries to start a stream's indexers, further apart each time. Owner: the loop, but for what a call posts. */
    static final class Attempt {
        boolean underWay;
        long notBeforeNanos;
        private long pauseNanos;

        Attempt(long now, long pauseNanos) {
            this.notBeforeNanos = now;
            this.pauseNanos = pauseNanos;
        }

        void failed() {
            underWay = false;
            notBeforeNanos = System.nanoTime() + pauseNanos;
            pauseNanos = Math.min(pauseNanos * 2, TimeUnit.SECONDS.toNanos(30));
        }
    }

    private final IndexerServices services;
    /** Gives the services back. */
    private final AutoCloseable lease;

    private final TaskContext context;
    private final ControlBatch control;

    private final int index;
    private final int tasks;
    private final int dispatchers;
    private final EventLoop<IndexerEvent> loop;
    private final AutoCloseable registration;
    private final AutoCloseable following;
    private final PagePool pool;
    private final CreditWindow window;
    private final IndexerTask task;
    private final IndexerSettings settings;
    private final Flusher flusher;
    private final IndexerMeter meter;
    private final AutoCloseable queues;
    private final Map<Integer, Hosted> hosted = new HashMap<>();
    private final Map<Integer, Attempt> attempts = new HashMap<>();
    /**
     * Indexers that are to start, or start again: new ones, and those that found a successor. This task is still the
     * one that should host these: the successor may be dead.
     */
    private final Map<IndexerId, Attempt> absent = new HashMap<>();

    private @Nullable Map<Integer, StreamInfo> known;

    private IndexerHost(IndexerServices services, AutoCloseable lease, TaskContext context) {
        this.services = services;
        this.lease = lease;
        this.context = context;
        this.control = new ControlBatch(services.controlBus());
        this.index = context.index();
        this.tasks = context.tasks(Role.INDEXER);
        this.dispatchers = context.tasks(Role.DISPATCHER);
        long poolBytes = services.config().get(Keys.INDEXER_MEMORY_POOL).bytes();
        this.pool = new PagePool(poolBytes);
        this.window = new CreditWindow(
                pool, services.config().get(Keys.INDEXER_CREDIT_WINDOW).bytes(), poolBytes);
        this.task = new IndexerTask(window);
        this.settings = new IndexerSettings(
                services.config().get(Keys.INDEXER_SEAL_SIZE).bytes(),
                services.config().get(Keys.INDEXER_SEAL_AGE).toNanos(),
                IndexerSettings.DEFAULT.keepNanos(),
                3 * services.config().get(Keys.HEARTBEAT_INTERVAL).toNanos(),
                IndexerSettings.DEFAULT.staleNanos(),
                services.config().get(Keys.REPORT_INTERVAL).toNanos(),
                services.config().get(Keys.LATE_THRESHOLD).toMillis(),
                services.config().get(Keys.LATE_FUTURE_TOLERANCE).toMillis());
        this.loop = new EventLoop<>(Role.INDEXER.address(index), TICK_NANOS, this);
        this.flusher =
                new Flusher(Role.INDEXER.address(index), services.chunkStore(), new FlushMeter(services.metrics()));
        this.meter = new IndexerMeter(
                services.metrics(), Role.INDEXER.address(index), pool, poolBytes, settings.sealBytes());
        this.queues = loop.measure(services.metrics());
        this.registration = services.controlBus().register(Role.INDEXER, index, this::offer);
        // While it has no stream, it hardly ticks.
        this.following = services.streams().onChange(loop::wake);
    }

    private boolean offer(Control message) {
        IndexerEvent event = IndexerEvent.ofControl(message);
        return event != null && loop.offer(event);
    }

    /**
     * Opens one.
     *
     * @param services closed with it
     */
    public static IndexerHost open(WorkerServices services, TaskContext context) {
        IndexerHost opened = new IndexerHost(services, services, context);
        opened.loop.start();
        return opened;
    }

    @Override
    public void take(Object message) throws InterruptedException {
        loop.put(IndexerEvent.ofData(message));
    }

    @Override
    public void close() {
        Closing.all(
                LOG,
                "indexer-" + index,
                following,
                loop,
                flusher,
                this::closeReaders,
                registration,
                queues,
                meter,
                lease);
    }

    @Override
    public void onFailure(Throwable cause) {
        context.failed(cause);
    }

    /** Once the loop has ended, whose they are. */
    private void closeReaders() {
        hosted.values().forEach(stream -> stream.readers.values().forEach(reader -> close(stream.stream, reader)));
    }

    @Override
    public void on(IndexerEvent event, long now) {
        event.applyTo(this, now);
        control.flush();
    }

    void onBlock(BlockMessage message, long now) {
        Hosted stream = hosted.get(message.streamId());
        if (stream != null) {
            ChannelBlock block = message.block(stream.layout);
            IndexerCore core = task.core(block.streamId(), block.indexer());
            IndexerMeter.Before before = IndexerMeter.Before.of(core);
            long produced = block.producedMillis();
            boolean empty = block.bytes() == 0;
            long clock = System.currentTimeMillis();
            task.onBlock(block, now, clock);
            if (!empty) {
                meter.step(now);
            }
            if (core != null) {
                stream.meter.block(core, before, produced, clock + (System.nanoTime() - now) / 1_000_000);
            }
        }
    }

    void onHeartbeats(ChannelHeartbeats heartbeats, long now) {
        task.onHeartbeats(heartbeats, now);
    }

    void onSeal(int streamId, long now) {
        for (IndexerCore core : task.cores()) {
            if (core.stream().id() == streamId) {
                core.onSealRequest(SealedTree.Reason.REQUEST, now);
            }
        }
    }

    @Override
    public void onTick(long now) {
        Map<Integer, StreamInfo> streams = services.streams().streams();
        if (streams != known) {
            follow(streams, now);
        }
        task.onTick(now);
        meter.onTick(task.cores(), now);
        flusher.onTick(now);
        lookForSuccessors(now);
        control.flush();
    }

    @Override
    public boolean rests() {
        return hosted.isEmpty() && attempts.isEmpty();
    }

    private void lookForSuccessors(long now) {
        for (Hosted stream : hosted.values()) {
            stream.slots.forEach((indexer, slot) -> {
                IndexerCore core = task.core(stream.stream.id(), indexer);
                if (core != null && slot.askedEpoch() > core.epoch()) {
                    core.onSuccessor(now);
                }
            });
        }
        absent.forEach((id, attempt) -> {
            Hosted stream = hosted.get(id.streamId());
            if (stream != null
                    && !attempt.underWay
                    && now - attempt.notBeforeNanos >= 0
                    && task.core(id.streamId(), id.indexer()) == null) {
                beginAgain(stream.stream, id.indexer(), attempt);
            }
        });
    }

    private void follow(Map<Integer, StreamInfo> streams, long now) {
        hosted.entrySet().removeIf(entry -> {
            StreamInfo present = streams.get(entry.getKey());
            if (present != null
                    && present.partitions() == entry.getValue().stream.partitions()) {
                return false;
            }
            end(entry.getValue());
            LOG.info(
                    "[{}/indexer-{}] {}",
                    entry.getValue().stream.name(),
                    index,
                    present == null ? "stream dropped" : "starts again with " + present.partitions() + " partitions");
            return true;
        });
        attempts.keySet().retainAll(streams.keySet());
        absent.keySet().removeIf(id -> !streams.containsKey(id.streamId()));
        boolean all = true;
        for (StreamInfo stream : streams.values()) {
            if (!hosted.containsKey(stream.id())) {
                all = false;
                Attempt attempt = attempts.computeIfAbsent(stream.id(), id -> new Attempt(now, FIRST_PAUSE_NANOS));
                if (!attempt.underWay && now - attempt.notBeforeNanos >= 0) {
                    begin(stream, attempt);
                }
            } else {
                hostMore(stream, now);
            }
        }
        known = all ? streams : null;
    }

    /** A routing table has named ids that there were not before. */
    private void hostMore(StreamInfo stream, long now) {
        Hosted here = hosted.get(stream.id());
        if (here == null) {
            return;
        }
        for (; here.indexers < stream.indexers(); here.indexers++) {
            if (Placement.indexerTaskOf(here.indexers, tasks) == index) {
                absent.put(new IndexerId(stream.id(), here.indexers), new Attempt(now, FIRST_PAUSE_NANOS));
            }
        }
    }

    private void end(Hosted stream) {
        task.remove(stream.stream.id());
        meter.forget(stream.stream.id());
        stream.readers.values().forEach(reader -> close(stream.stream, reader));
    }

    private void close(StreamInfo stream, AutoCloseable reader) {
        try {
            reader.close();
        } catch (Exception e) {
            LOG.warn("[{}/indexer-{}] a reader could not be removed", stream.name(), index, e);
        }
    }

    /** What an indexer starts with. */
    record Start(int indexer, StreamCatalog catalog, IndexerLaunch launch) {}

    /** Starts this task's indexers of a stream: asks catalog and log elsewhere, then hosts them here. */
    private void begin(StreamInfo stream, Attempt attempt) {
        attempt.underWay = true;
        try {
            services.blockingCalls().execute(() -> {
                try {
                    List<Start> starts = starts(stream);
                    post(new IndexerEvent.Started(stream, starts));
                } catch (StreamGoneException e) {
                    LOG.info("[{}/indexer-{}] dropped before it was indexed", stream.name(), index);
                    post(new IndexerEvent.NotStarted(attempt));
                } catch (RuntimeException e) {
                    FailedStarts.tell(services, stream, ids(stream), e);
                    post(new IndexerEvent.NotStarted(attempt));
                }
            });
        } catch (RejectedExecutionException e) {
            attempt.failed();
        }
    }

    /** Starts one indexer. Two tasks that both live would fence each other, ever more seldom. */
    private void beginAgain(StreamInfo stream, int indexer, Attempt attempt) {
        attempt.underWay = true;
        try {
            services.blockingCalls().execute(() -> {
                try {
                    services.logEnds(stream);
                    StreamCatalog catalog = new StreamCatalog(services.catalogStore(), stream);
                    Start start = new Start(
                            indexer, catalog, IndexerLaunch.of(catalog, indexer, () -> services.logEnds(stream)));
                    post(new IndexerEvent.StartedAgain(stream, start, attempt));
                } catch (RuntimeException e) {
                    FailedStarts.tell(services, stream, IntStream.of(indexer), e);
                    post(new IndexerEvent.NotStarted(attempt));
                }
            });
        } catch (RejectedExecutionException e) {
            attempt.failed();
        }
    }

    private List<Start> starts(StreamInfo stream) {
        // Before the epoch is raised: a topic that is away must not cost an epoch at every try.
        services.logEnds(stream);
        StreamCatalog catalog = new StreamCatalog(services.catalogStore(), stream);
        return ids(stream)
                .mapToObj(indexer ->
                        new Start(indexer, catalog, IndexerLaunch.of(catalog, indexer, () -> services.logEnds(stream))))
                .toList();
    }

    private IntStream ids(StreamInfo stream) {
        return IntStream.iterate(index, indexer -> indexer < stream.indexers(), indexer -> indexer + tasks);
    }

    void onStartedAgain(StreamInfo stream, Start start, Attempt attempt) {
        attempt.failed();
        Hosted here = hosted.get(stream.id());
        // Meanwhile it may have got more partitions, which began all its indexers anew.
        if (here != null
                && here.stream.partitions() == stream.partitions()
                && task.core(stream.id(), start.indexer()) == null) {
            host(here, start);
        }
    }

    void onStarted(StreamInfo stream, List<Start> starts) {
        StreamInfo present = services.streams().streams().get(stream.id());
        if (present == null || present.partitions() != stream.partitions()) {
            // Dropped, or changed meanwhile: whatever is wanted now is started anew.
            attempts.remove(stream.id());
            return;
        }
        Hosted added = new Hosted(stream, meter.stream(stream.id(), stream.name()));
        starts.forEach(start -> host(added, start));
        hosted.put(stream.id(), added);
        attempts.remove(stream.id());
    }

    private void host(Hosted added, Start start) {
        StreamInfo stream = added.stream;

        ViewHolder slot = new ViewHolder();
        IndexerCore core = new IndexerCore(
                stream,
                start.indexer(),
                start.launch().start().checkpoint(),
                start.launch().targets(),
                pool,
                window,
                settings,
                new Effects(stream, start, slot, added.meter),
                System.nanoTime());
        task.add(core);
        added.slots.put(start.indexer(), slot);
        added.readers.put(
                start.indexer(),
                services.hostIndexer(stream.id(), start.indexer(), new FreshReader(slot, settings.staleNanos())));
        LOG.info(
                "[{}/indexer-{}] started: epoch={} flushed={} watermarks={} targets={}",
                stream.name(),
                start.indexer(),
                core.epoch(),
                start.launch().start().checkpoint().flushed(),
                Arrays.toString(start.launch().start().checkpoint().watermarks()),
                Arrays.toString(start.launch().targets()));
    }

    /** Hands an event to the loop; it must not be lost, so it waits as data when control is full. */
    private void post(IndexerEvent event) {
        if (!loop.offer(event)) {
            try {
                loop.put(event);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** What one indexer wants done. */
    final class Effects implements IndexerEffects, Flusher.Listener {
        private final StreamInfo stream;
        private final IndexerMeter.OfStream meter;
        private final int indexer;
        /** Of the instance that these are of: what is told late must not reach its successor. */
        private final int epoch;

        private final FlushSequence flushes;
        private final ViewHolder slot;
        private final long begunNanos = System.nanoTime();
        private boolean recovering = true;

        Effects(StreamInfo stream, Start start, ViewHolder slot, IndexerMeter.OfStream meter) {
            this.meter = meter;
            this.stream = stream;
            this.indexer = start.indexer();
            this.epoch = start.launch().start().checkpoint().epoch();
            this.flushes = new FlushSequence(
                    start.catalog(), start.indexer(), start.launch().start());
            this.slot = slot;
        }

        @Override
        public void subscribe(Control.Subscribe subscribe) {
            toDispatcher(subscribe.partition(), subscribe);
        }

        @Override
        public void credit(Control.Credit credit) {
            toDispatcher(credit.partition(), credit);
        }

        private void toDispatcher(int partition, Control message) {
            control.send(Role.DISPATCHER, Placement.dispatcherOf(message.streamId(), partition, dispatchers), message);
        }

        @Override
        public void report(Control.Report report) {
            control.broadcast(Role.COORDINATOR, report);
        }

        @Override
        public void rebuilt(TemplateTree.Rebuilt rebuilt) {
            meter.rebuilt(rebuilt);
            LOG.info(
                    "[{}/indexer-{}] template rebuilt: tuples={} leaves={} skewness={} before, {} after, longest pause {} ms,"
                            + " of it at work {} ms",
                    stream.name(),
                    indexer,
                    rebuilt.tuples(),
                    rebuilt.leaves(),
                    rounded(rebuilt.before()),
                    rounded(rebuilt.after()),
                    rounded(rebuilt.longestNanos() / 1e6),
                    rounded(rebuilt.longestCpuNanos() / 1e6));
        }

        private static double rounded(double figure) {
            return Math.round(figure * 1_000) / 1_000.0;
        }

        @Override
        public void publish(FreshView view) {
            slot.publish(view);
            if (recovering && !view.recovering()) {
                recovering = false;
                LOG.info(
                        "[{}/indexer-{}] recovered: watermarks={} in {} ms",
                        stream.name(),
                        indexer,
                        view.watermarks(),
                        TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begunNanos));
            }
        }

        @Override
        public void flush(SealedTree sealed) {
            flusher.flush(flushes, sealed, this);
        }

        @Override
        public void done(SealedTree sealed, Flusher.Outcome outcome) {
            if (!outcome.fenced()) {
                meter.flushed(sealed.tuples());
            }
            post(new IndexerEvent.Flushed(this, sealed, outcome));
        }

        @Override
        public void retried() {
            meter.flushFailed();
        }

        @Override
        public void failed(Throwable cause) {
            loop.fail(cause);
        }

        @Override
        public void trouble(Supplier<String> what) {
            post(new IndexerEvent.FlushTrouble(this, what));
        }

        void troubled(String what, long now) {
            String text = what.length() > Control.Memory.MAX_TROUBLE
                    ? what.substring(0, Control.Memory.MAX_TROUBLE - 3) + "..."
                    : what;
            task.onFlushTrouble(stream.id(), indexer, epoch, text, now);
        }

        void flushed(SealedTree sealed, Flusher.Outcome outcome) {
            IndexerCore core = task.core(stream.id(), indexer);
            if (core == null || core.epoch() != epoch) {
                return;
            }
            if (outcome.fenced()) {
                LOG.warn(
                        "[{}/indexer-{}] a successor has started: stops; starts again should it be gone",
                        stream.name(),
                        indexer);
                task.remove(stream.id(), indexer);
                Hosted here = hosted.get(stream.id());
                AutoCloseable reader = here == null ? null : here.readers.remove(indexer);
                if (reader != null) {
                    close(stream, reader);
                }
                absent.computeIfAbsent(
                                new IndexerId(stream.id(), indexer),
                                id -> new Attempt(System.nanoTime(), FENCED_PAUSE_NANOS))
                        .failed();
            } else {
                core.onFlushed(sealed.flush(), outcome.nextTemplate(), System.nanoTime());
            }
        }
    }
}
