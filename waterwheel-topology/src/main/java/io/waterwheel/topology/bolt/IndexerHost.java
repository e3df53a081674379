package io.waterwheel.topology.bolt;

import io.waterwheel.catalog.PartitionRoute;
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
import io.waterwheel.topology.worker.EventLoop;
import io.waterwheel.topology.worker.Placement;
import io.waterwheel.topology.worker.Role;
import io.waterwheel.topology.worker.WorkerServices;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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
        final List<AutoCloseable> readers = new ArrayList<>();

        Hosted(StreamInfo stream) {
            this.stream = stream;
            this.layout = RowLayout.of(stream.schema());
        }
    }

    private final WorkerServices services;
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
    private @Nullable Map<Integer, StreamInfo> known;

    IndexerHost(WorkerServices services, TopologyContext context) {
        this.services = services;
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
        this.registration = services.controlBus().register(Role.INDEXER, index, loop::offer);
    }

    EventLoop<Object> start() {
        loop.start();
        return loop;
    }

    void close() {
        try {
            registration.close();
            for (Hosted stream : hosted.values()) {
                for (AutoCloseable reader : stream.readers) {
                    reader.close();
                }
            }
        } catch (Exception e) {
            LOG.warn("[indexer-{}] its addresses could not be removed", index, e);
        }
        loop.close();
        flusher.close();
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
            follow(streams);
        }
        task.onTick(now);
    }

    private void follow(Map<Integer, StreamInfo> streams) {
        hosted.entrySet().removeIf(entry -> {
            if (streams.containsKey(entry.getKey())) {
                return false;
            }
            end(entry.getValue());
            return true;
        });
        boolean all = true;
        for (StreamInfo stream : streams.values()) {
            if (!hosted.containsKey(stream.id())) {
                all &= begin(stream);
            }
        }
        known = all ? streams : null;
    }

    private void end(Hosted stream) {
        task.remove(stream.stream.id());
        for (AutoCloseable reader : stream.readers) {
            try {
                reader.close();
            } catch (Exception e) {
                LOG.warn("[{}/indexer-{}] a reader could not be removed", stream.stream.name(), index, e);
            }
        }
        LOG.info("[{}/indexer-{}] stream dropped", stream.stream.name(), index);
    }

    /** Starts this task's indexers of a stream; false when it has to be tried again. */
    private boolean begin(StreamInfo stream) {
        Hosted added = new Hosted(stream);
        try {
            for (int indexer = index; indexer < stream.indexers(); indexer += tasks) {
                begin(added, indexer);
            }
            hosted.put(stream.id(), added);
            return true;
        } catch (StreamGoneException e) {
            LOG.info("[{}/indexer-{}] dropped before it was indexed", stream.name(), index);
            return true;
        } catch (RuntimeException e) {
            LOG.warn("[{}/indexer-{}] could not start; trying again", stream.name(), index, e);
            end(added);
            return false;
        }
    }

    private void begin(Hosted stream, int indexer) {
        StreamInfo info = stream.stream;
        StreamCatalog catalog = new StreamCatalog(services.catalogStore(), info);
        services.catalogStore().sync();
        StreamCatalog.IndexerStart start = catalog.startIndexer(indexer);
        long[] targets = services.logEnds(info.topic());
        for (int p = 0; p < targets.length; p++) {
            PartitionRoute route = catalog.route(p).route();
            targets[p] = Math.min(route.limit(), targets[p]);
        }
        ViewSlot slot = new ViewSlot();
        Effects effects = new Effects(info, indexer, catalog, start.nodeVersion(), slot);
        IndexerCore core = new IndexerCore(
                info, indexer, start.checkpoint(), targets, pool, window, settings, effects, System.nanoTime());
        task.add(core);
        stream.readers.add(services.hostIndexer(info.id(), indexer, new FreshReader(slot, settings.staleNanos())));
        LOG.info(
                "[{}/indexer-{}] started: epoch={} flushed={} watermarks={} targets={}",
                info.name(),
                indexer,
                core.epoch(),
                start.checkpoint().flushed(),
                start.checkpoint().watermarks(),
                targets);
    }

    /** What one indexer wants done. */
    private final class Effects implements IndexerEffects {
        private final StreamInfo stream;
        private final int indexer;
        private final Flusher.Target target;
        private final ViewSlot slot;
        private final long begunNanos = System.nanoTime();
        private boolean recovering = true;

        Effects(StreamInfo stream, int indexer, StreamCatalog catalog, int nodeVersion, ViewSlot slot) {
            this.stream = stream;
            this.indexer = indexer;
            this.target = new Flusher.Target(catalog, indexer, nodeVersion);
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
            services.controlBus()
                    .send(Role.DISPATCHER, Placement.dispatcherOf(message.streamId(), partition, dispatchers), message);
        }

        @Override
        public void report(Control.Report report) {
            services.controlBus().broadcast(Role.COORDINATOR, report);
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
            flusher.flush(target, sealed, outcome -> post(() -> flushed(sealed, outcome)));
        }

        private void flushed(SealedTree sealed, Flusher.Outcome outcome) {
            IndexerCore core = task.core(stream.id(), indexer);
            if (core == null || core.epoch() != sealed.next().epoch()) {
                return;
            }
            if (outcome.fenced()) {
                LOG.warn("[{}/indexer-{}] a successor has started: stops", stream.name(), indexer);
                core.stop();
            } else {
                core.onFlushed(sealed.flush(), outcome.nextTemplate(), System.nanoTime());
            }
        }

        private void post(Runnable event) {
            // The outcome must not be lost: it waits as data when control is full.
            if (!loop.offer(event)) {
                try {
                    loop.put(event);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
        }
    }
}
