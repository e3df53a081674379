package io.waterwheel.topology.spout;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.catalog.state.IndexerCheckpoint;
import io.waterwheel.catalog.state.LogIdentity;
import io.waterwheel.catalog.state.PartitionRoute;
import io.waterwheel.catalog.state.RoutingTable;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.index.FreshView;
import io.waterwheel.index.PagePool;
import io.waterwheel.index.TemplateTree;
import io.waterwheel.ingest.QuietDispatcherEffects;
import io.waterwheel.ingest.block.BodyPool;
import io.waterwheel.ingest.block.ChannelBlock;
import io.waterwheel.ingest.block.ChannelHeartbeats;
import io.waterwheel.ingest.dispatch.CatchUpBudget;
import io.waterwheel.ingest.dispatch.DispatcherSettings;
import io.waterwheel.ingest.dispatch.HeartbeatRound;
import io.waterwheel.ingest.dispatch.PartitionDispatcher;
import io.waterwheel.ingest.dispatch.Segmenter;
import io.waterwheel.ingest.indexer.CreditWindow;
import io.waterwheel.ingest.indexer.IndexerCore;
import io.waterwheel.ingest.indexer.IndexerEffects;
import io.waterwheel.ingest.indexer.IndexerSettings;
import io.waterwheel.ingest.indexer.IndexerTask;
import io.waterwheel.ingest.indexer.SealedTree;
import io.waterwheel.ingest.source.LiveBatch;
import io.waterwheel.ingest.source.LogSource;
import io.waterwheel.ingest.source.SpoutHeartbeats;
import io.waterwheel.protocol.Control;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.text.KafkaFields;
import io.waterwheel.topology.worker.ControlBatch;
import io.waterwheel.topology.worker.ControlBus;
import io.waterwheel.topology.worker.Placement;
import io.waterwheel.topology.worker.Role;
import io.waterwheel.tuple.KeyInterval;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/**
 * What a hundred workers say to each other while nothing happens: the shipped state machines of all their tasks in one
 * thread, in virtual time, with messages counted that would leave a worker. Each worker has a spout, a dispatcher and
 * an indexer task; two have a coordinator. For long: {@code -Dstreams=1000}.
 */
final class IdleTrafficTest {
    private static final int WORKERS = Integer.getInteger("workers", 100);
    private static final int STREAMS = Integer.getInteger("streams", 100);
    private static final int PARTITIONS = Integer.getInteger("partitions", 1);
    private static final int INDEXERS = Integer.getInteger("indexers", WORKERS);
    private static final int COORDINATORS = 2;
    private static final int SECONDS = 4;
    private static final long TICK = 25_000_000;
    private static final long SECOND = 1_000_000_000;
    private static final long POOL = 64 << 20;

    private static final Schema SCHEMA = new Schema(
            List.of(new Field("k", FieldType.LONG, false), new Field("t", FieldType.TIMESTAMP, false)),
            new KeySpec.Ordered("k"),
            "t");

    /** A log without news. */
    private static final class Silent implements LogSource {
        @Override
        public List<PollEvent> poll(Duration atMost) {
            return List.of();
        }

        @Override
        public void assign(int streamId, String topic, int partition, long from, long base, KafkaFields wanted) {}

        @Override
        public void remove(int streamId, int partition) {}

        @Override
        public void seek(int streamId, int partition, long offset) {}

        @Override
        public void pause(int streamId, int partition) {}

        @Override
        public void resume(int streamId, int partition) {}

        @Override
        public long position(int streamId, int partition) {
            return 0;
        }

        @Override
        public void close() {}
    }

    private record PartitionId(int streamId, int partition) {}

    private final ArrayDeque<Runnable> underWay = new ArrayDeque<>();
    private final long[] sent = new long[WORKERS];
    private final long[] received = new long[WORKERS];
    private final Map<String, Long> kinds = new HashMap<>();
    private final Segmenter segmenter =
            new Segmenter(SCHEMA, RecordFormat.BLOCK, new BodyPool(RowLayout.of(SCHEMA), 16), 128 << 10);
    private final Worker[] workers = new Worker[WORKERS];
    private long now;

    private void carry(int from, int to, Object message, Runnable delivery) {
        if (from != to) {
            sent[from]++;
            received[to]++;
            kinds.merge(message.getClass().getSimpleName(), 1L, Long::sum);
        }
        underWay.add(delivery);
    }

    private void deliverAll() {
        Runnable delivery;
        while ((delivery = underWay.poll()) != null) {
            delivery.run();
        }
    }

    /** The tasks of one worker. */
    private final class Worker implements ControlBus {
        final int number;
        final Handover spout;
        final Map<PartitionId, Handover.Lane> lanes = new HashMap<>();
        final Map<PartitionId, PartitionDispatcher> partitions = new HashMap<>();
        final HeartbeatRound heartbeats;
        final ControlBatch control = new ControlBatch(this);
        final PagePool pool = new PagePool(POOL);
        final CreditWindow window = new CreditWindow(pool, 1 << 20, POOL);
        final IndexerTask indexers = new IndexerTask(window);

        Worker(int number) {
            this.number = number;
            this.spout = new Handover(
                    new Silent(),
                    32 << 20,
                    WORKERS,
                    DispatcherSettings.DEFAULT.heartbeatNanos(),
                    (dispatcher, message) ->
                            carry(number, dispatcher, message, () -> workers[dispatcher].onStorm(message)));
            this.heartbeats = new HeartbeatRound(
                    DispatcherSettings.DEFAULT.heartbeatNanos(),
                    WORKERS,
                    indexer -> Placement.indexerTaskOf(indexer, WORKERS),
                    now,
                    (task, message) -> carry(number, task, message, () -> workers[task].onStorm(message)));
        }

        void onStorm(Object message) {
            if (message instanceof SpoutHeartbeats from) {
                from.partitions().forEach(this::onLive);
            } else if (message instanceof LiveBatch batch) {
                onLive(batch);
            } else if (message instanceof ChannelHeartbeats of) {
                indexers.onHeartbeats(of, now);
            } else if (message instanceof ChannelBlock block) {
                indexers.onBlock(block, now, 0);
            }
            control.flush();
        }

        private void onLive(LiveBatch batch) {
            partitions
                    .get(new PartitionId(
                            batch.records().streamId(), batch.records().partition()))
                    .onLive(batch, now);
        }

        void onControl(Control message) {
            if (message instanceof Control.Bundle bundle) {
                bundle.messages().forEach(this::take);
            } else {
                take(message);
            }
            control.flush();
        }

        private void take(Control message) {
            if (message instanceof Control.Subscribe subscribe) {
                partitions
                        .get(new PartitionId(subscribe.streamId(), subscribe.partition()))
                        .onSubscribe(subscribe, now);
            } else if (message instanceof Control.Credit credit) {
                partitions
                        .get(new PartitionId(credit.streamId(), credit.partition()))
                        .onCredit(credit, now);
            } else if (message instanceof Control.LogState state) {
                partitions
                        .get(new PartitionId(state.streamId(), state.partition()))
                        .onLogState(state, now);
            } else if (message instanceof Control.ReadFrom live) {
                lanes.get(new PartitionId(live.streamId(), live.partition())).steer(live);
            }
        }

        void onTick(boolean look) {
            spout.onTime(now);
            if (look) {
                lanes.keySet()
                        .forEach(id -> control.send(
                                Role.DISPATCHER,
                                Placement.dispatcherOf(id.streamId(), id.partition(), WORKERS),
                                new Control.LogState(
                                        id.streamId(), id.partition(), 0, 0, 0, Control.LogProblem.NONE, 1000)));
            }
            partitions.values().forEach(partition -> partition.onTick(now));
            heartbeats.onTick(partitions.values(), now);
            indexers.onTick(now);
            control.flush();
        }

        @Override
        public AutoCloseable register(Role role, int index, Predicate<Control> receiver) {
            throw new UnsupportedOperationException("who is where is known here");
        }

        @Override
        public void send(Role role, int index, Control message) {
            carry(number, index, message, () -> workers[index].onControl(message));
        }

        @Override
        public void broadcast(Role role, Control message) {
            for (int c = 0; c < COORDINATORS; c++) {
                carry(number, c, message, () -> {});
            }
        }
    }

    /** What a partition wants done. */
    private final class Dispatching extends QuietDispatcherEffects {
        private final Worker worker;
        private final PartitionId id;

        Dispatching(Worker worker, PartitionId id) {
            this.worker = worker;
            this.id = id;
        }

        @Override
        public void send(ChannelBlock block) {
            int task = Placement.indexerTaskOf(block.indexer(), WORKERS);
            carry(worker.number, task, block, () -> workers[task].onStorm(block));
        }

        @Override
        public void raiseLimit(long limit, LogIdentity log) {
            PartitionDispatcher asking = worker.partitions.get(id);
            underWay.add(() -> asking.onRoute(route(limit), now));
        }

        @Override
        public void steer(Control.ReadFrom live) {
            worker.control.send(Role.SPOUT, Placement.spoutOf(id.streamId(), id.partition(), WORKERS), live);
        }

        @Override
        public void report(Control.PartitionReport report) {
            worker.control.broadcast(Role.COORDINATOR, report);
        }
    }

    /** What an indexer wants done. */
    private record Indexing(Worker worker) implements IndexerEffects {
        @Override
        public void subscribe(Control.Subscribe subscribe) {
            toDispatcher(subscribe.partition(), subscribe);
        }

        @Override
        public void credit(Control.Credit credit) {
            toDispatcher(credit.partition(), credit);
        }

        private void toDispatcher(int partition, Control message) {
            worker.control.send(
                    Role.DISPATCHER, Placement.dispatcherOf(message.streamId(), partition, WORKERS), message);
        }

        @Override
        public void report(Control.Report report) {
            worker.control.broadcast(Role.COORDINATOR, report);
        }

        @Override
        public void flush(SealedTree sealed) {}

        @Override
        public void rebuilt(TemplateTree.Rebuilt rebuilt) {}

        @Override
        public void publish(FreshView view) {}
    }

    private static PartitionRoute route(long limit) {
        return new PartitionRoute(
                limit, List.of(new PartitionRoute.VersionSince(1, 0)), LogIdentity.first("a"), List.of());
    }

    private void begin() {
        now = System.nanoTime();
        for (int w = 0; w < WORKERS; w++) {
            workers[w] = new Worker(w);
        }
        RoutingTable table = RoutingTable.even(1, KeyInterval.ALL, INDEXERS);
        for (int id = 1; id <= STREAMS; id++) {
            StreamInfo stream =
                    new StreamInfo("s" + id, id, SCHEMA, RecordFormat.BLOCK, "s" + id, PARTITIONS, INDEXERS);
            for (int p = 0; p < PARTITIONS; p++) {
                PartitionId partition = new PartitionId(id, p);
                int dispatcher = Placement.dispatcherOf(id, p, WORKERS);
                int reader = Placement.spoutOf(id, p, WORKERS);
                Worker worker = workers[dispatcher];
                worker.partitions.put(
                        partition,
                        new PartitionDispatcher(
                                id,
                                p,
                                route(0),
                                table,
                                segmenter,
                                DispatcherSettings.DEFAULT,
                                CatchUpBudget.ofRing(4 << 20),
                                new Dispatching(worker, partition),
                                now));
                Handover.Lane lane = workers[reader].spout.lane(id, p, dispatcher, 0);
                workers[reader].lanes.put(partition, lane);
                lane.begin(0);
            }
            for (int indexer = 0; indexer < INDEXERS; indexer++) {
                Worker worker = workers[Placement.indexerTaskOf(indexer, WORKERS)];
                worker.indexers.add(new IndexerCore(
                        stream,
                        indexer,
                        new IndexerCheckpoint(1, 0, new long[PARTITIONS], 0),
                        new long[PARTITIONS],
                        worker.pool,
                        worker.window,
                        IndexerSettings.DEFAULT,
                        new Indexing(worker),
                        now));
                worker.control.flush();
            }
        }
        deliverAll();
        now = Math.max(now, System.nanoTime());
    }

    private void live(int seconds) {
        for (int tick = 0; tick < seconds * (SECOND / TICK); tick++) {
            now += TICK;
            for (Worker worker : workers) {
                worker.onTick(tick % (SECOND / TICK) == 0);
                deliverAll();
            }
        }
    }

    @Test
    void aHundredIdleWorkersSayLittle() {
        begin();
        live(2);
        Arrays.fill(sent, 0);
        Arrays.fill(received, 0);
        kinds.clear();
        live(SECONDS);
        List<String> each = new ArrayList<>();
        kinds.forEach((kind, count) -> each.add(String.format("%s %.1f", kind, rate(count) / WORKERS)));
        long most = Arrays.stream(sent).max().orElseThrow();
        long mostReceived = Arrays.stream(received).max().orElseThrow();
        System.out.printf(
                "%d workers, %d streams of %d partitions and %d indexers, idle: a worker sends %.0f messages/s, at most %.0f,"
                        + " and receives %.0f at most; by kind: %s%n",
                WORKERS,
                STREAMS,
                PARTITIONS,
                INDEXERS,
                rate(Arrays.stream(sent).sum()) / WORKERS,
                rate(most),
                rate(mostReceived),
                each);
        assertThat(rate(most)).as("messages a second that a worker sends").isLessThan(1_000);
        assertThat(rate(mostReceived))
                .as("messages a second that a worker receives")
                .isLessThan(1_000);
    }

    private static double rate(long count) {
        return (double) count / SECONDS;
    }
}
