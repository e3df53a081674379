package io.waterwheel.topology.bolt;

import io.waterwheel.catalog.StreamCatalog;
import io.waterwheel.catalog.StreamGoneException;
import io.waterwheel.catalog.StreamInfo;
import io.waterwheel.index.FreshView;
import io.waterwheel.index.PagePool;
import io.waterwheel.ingest.ChannelBlock;
import io.waterwheel.ingest.CreditWindow;
import io.waterwheel.ingest.IndexerCore;
import io.waterwheel.ingest.IndexerEffects;
import io.waterwheel.ingest.IndexerSettings;
import io.waterwheel.ingest.IndexerTask;
import io.waterwheel.ingest.SealedTree;
import io.waterwheel.model.Control;
import io.waterwheel.model.RowLayout;
import io.waterwheel.query.exec.FreshReader;
import io.waterwheel.query.exec.ViewSlot;
import io.waterwheel.topology.config.Keys;
import io.waterwheel.topology.worker.ControlBus;
import io.waterwheel.topology.worker.EventLoop;
import io.waterwheel.topology.worker.Placement;
import io.waterwheel.topology.worker.Role;
import io.waterwheel.topology.worker.WorkerServices;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.storm.task.TopologyContext;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The indexers that one task hosts, on one event loop: those logical ids, of every stream, that fall to its number.
 * Events: block messages, control messages, and the flusher's outcomes as {@link Runnable}s.
 */
final class IndexerHost implements EventLoop.Handler<Object> {
    private static final Logger LOG = LoggerFactory.getLogger(IndexerHost.class);
    private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(25);

    private static final class Hosted {
        final StreamInfo stream;
        final RowLayout layout;
        /** By logical indexer. */
        final Map<Integer, AutoCloseable> readers = new HashMap<>();

        Hosted(StreamInfo stream) {
            this.stream = stream;
            this.layout = RowLayout.of(stream.schema());
        }
    }

    /** Tries to start a stream's indexers, further apart each time. Owner: the loop, but for what a call posts. */
    private static final class Attempt {
        boolean underWay;
        long notBeforeNanos;
        private long pauseNanos = TimeUnit.MILLISECONDS.toNanos(200);

        Attempt(long now) {
            notBeforeNanos = now;
        }

        void failed() {
            underWay = false;
            notBeforeNanos = System.nanoTime() + pauseNanos;
            pauseNanos = Math.min(pauseNanos * 2, TimeUnit.SECONDS.toNanos(30));
        }
    }

    private final WorkerServices services;
    /** Kept: it is used for every block. */
    private final ControlBus bus;

    private final int index;
    private final int tasks;
    private final int dispatchers;
    private final EventLoop<Object> loop;
    private final AutoCloseable registration;
    private final PagePool pool;
    private final CreditWindow window;
    private final IndexerTask task;
    private final IndexerSettings settings;
    private final Flusher flusher;
    private final Map<Integer, Hosted> hosted = new HashMap<>();
    private final Map<Integer, Attempt> attempts = new HashMap<>();
    private @Nullable Map<Integer, StreamInfo> known;

    IndexerHost(WorkerServices services, TopologyContext context) {
        this.services = services;
        this.bus = services.controlBus();
        this.index = context.getThisTaskIndex();
        this.tasks = context.getComponentTasks(context.getThisComponentId()).size();
        this.dispatchers =
                context.getComponentTasks(Role.DISPATCHER.component()).size();
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
                services.config().get(Keys.REPORT_INTERVAL).toNanos());
        this.loop = new EventLoop<>(Role.INDEXER.address(index), TICK_NANOS, this);
        this.flusher = new Flusher(Role.INDEXER.address(index), services.chunkStore());
        this.registration = bus.register(Role.INDEXER, index, loop::offer);
    }

    EventLoop<Object> start() {
        loop.start();
        return loop;
    }

    void close() {
        loop.close();
        flusher.close();
        hosted.values().forEach(stream -> stream.readers.values().forEach(reader -> close(stream.stream, reader)));
        try {
            registration.close();
        } catch (Exception e) {
            LOG.warn("[indexer-{}] its address could not be removed", index, e);
        }
    }

    @Override
    public void on(Object event, long now) {
        if (event instanceof BlockMessage message) {
            Hosted stream = hosted.get(message.streamId());
            if (stream != null) {
                ChannelBlock block = message.block(stream.layout);
                task.onBlock(block, now);
            }
        } else if (event instanceof Control.Seal seal) {
            for (IndexerCore core : task.cores()) {
                if (core.stream().id() == seal.streamId()) {
                    core.onSealRequest(SealedTree.Reason.REQUEST, now);
                }
            }
        } else if (event instanceof Runnable outcome) {
            outcome.run();
        }
    }

    @Override
    public void onTick(long now) {
        Map<Integer, StreamInfo> streams = services.streams().streams();
        if (streams != known) {
            follow(streams, now);
        }
        task.onTick(now);
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
        boolean all = true;
        for (StreamInfo stream : streams.values()) {
            if (!hosted.containsKey(stream.id())) {
                all = false;
                Attempt attempt = attempts.computeIfAbsent(stream.id(), id -> new Attempt(now));
                if (!attempt.underWay && now - attempt.notBeforeNanos >= 0) {
                    begin(stream, attempt);
                }
            }
        }
        known = all ? streams : null;
    }

    private void end(Hosted stream) {
        task.remove(stream.stream.id());
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
    @SuppressWarnings("ArrayRecordComponent") // one number per partition; never compared
    private record Start(int indexer, StreamCatalog catalog, StreamCatalog.IndexerStart start, long[] targets) {}

    /** Starts this task's indexers of a stream: asks catalog and log elsewhere, then hosts them here. */
    private void begin(StreamInfo stream, Attempt attempt) {
        attempt.underWay = true;
        try {
            services.blockingCalls().execute(() -> {
                try {
                    List<Start> starts = starts(stream);
                    post(() -> host(stream, starts));
                } catch (StreamGoneException e) {
                    LOG.info("[{}/indexer-{}] dropped before it was indexed", stream.name(), index);
                    post(attempt::failed);
                } catch (RuntimeException e) {
                    LOG.warn("[{}/indexer-{}] could not start; trying again", stream.name(), index, e);
                    post(attempt::failed);
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
        List<Start> starts = new ArrayList<>();
        for (int indexer = index; indexer < stream.indexers(); indexer += tasks) {
            services.catalogStore().sync();
            StreamCatalog.IndexerStart start = catalog.startIndexer(indexer);
            long[] targets = services.logEnds(stream);
            for (int p = 0; p < targets.length; p++) {
                targets[p] = Math.min(catalog.route(p).route().limit(), targets[p]);
            }
            starts.add(new Start(indexer, catalog, start, targets));
        }
        return starts;
    }

    private void host(StreamInfo stream, List<Start> starts) {
        StreamInfo present = services.streams().streams().get(stream.id());
        if (present == null || present.partitions() != stream.partitions()) {
            // Dropped, or changed meanwhile: whatever is wanted now is started anew.
            attempts.remove(stream.id());
            return;
        }
        Hosted added = new Hosted(stream);
        for (Start start : starts) {
            ViewSlot slot = new ViewSlot();
            IndexerCore core = new IndexerCore(
                    stream,
                    start.indexer(),
                    start.start().checkpoint(),
                    start.targets(),
                    pool,
                    window,
                    settings,
                    new Effects(stream, start, slot),
                    System.nanoTime());
            task.add(core);
            added.readers.put(
                    start.indexer(),
                    services.hostIndexer(stream.id(), start.indexer(), new FreshReader(slot, settings.staleNanos())));
            LOG.info(
                    "[{}/indexer-{}] started: epoch={} flushed={} watermarks={} targets={}",
                    stream.name(),
                    start.indexer(),
                    core.epoch(),
                    start.start().checkpoint().flushed(),
                    Arrays.toString(start.start().checkpoint().watermarks()),
                    Arrays.toString(start.targets()));
        }
        hosted.put(stream.id(), added);
        attempts.remove(stream.id());
    }

    /** Hands an event to the loop; it must not be lost, so it waits as data when control is full. */
    private void post(Runnable event) {
        if (!loop.offer(event)) {
            try {
                loop.put(event);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** What one indexer wants done. */
    private final class Effects implements IndexerEffects {
        private final StreamInfo stream;
        private final int indexer;
        private final Flusher.Target target;
        private final ViewSlot slot;
        private final long begunNanos = System.nanoTime();
        private boolean recovering = true;

        Effects(StreamInfo stream, Start start, ViewSlot slot) {
            this.stream = stream;
            this.indexer = start.indexer();
            this.target = new Flusher.Target(
                    start.catalog(),
                    start.indexer(),
                    start.start().nodeVersion(),
                    start.start().checkpoint().flushed());
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
            bus.send(Role.DISPATCHER, Placement.dispatcherOf(message.streamId(), partition, dispatchers), message);
        }

        @Override
        public void report(Control.Report report) {
            bus.broadcast(Role.COORDINATOR, report);
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
            flusher.flush(target, sealed, outcome -> post(() -> flushed(sealed, outcome)), loop::fail);
        }

        private void flushed(SealedTree sealed, Flusher.Outcome outcome) {
            IndexerCore core = task.core(stream.id(), indexer);
            if (core == null || core.epoch() != sealed.next().epoch()) {
                return;
            }
            if (outcome.fenced()) {
                LOG.warn("[{}/indexer-{}] a successor has started: stops", stream.name(), indexer);
                task.remove(stream.id(), indexer);
                Hosted here = hosted.get(stream.id());
                AutoCloseable reader = here == null ? null : here.readers.remove(indexer);
                if (reader != null) {
                    close(stream, reader);
                }
            } else {
                core.onFlushed(sealed.flush(), outcome.nextTemplate(), System.nanoTime());
            }
        }
    }
}
