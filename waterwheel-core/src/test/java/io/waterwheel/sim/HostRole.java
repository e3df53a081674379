package io.waterwheel.sim;

import io.waterwheel.catalog.StreamCatalog;
import io.waterwheel.chunk.ChunkWriter;
import io.waterwheel.error.WaterwheelException;
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
import io.waterwheel.ingest.indexer.IndexerTask;
import io.waterwheel.ingest.indexer.SealedTree;
import io.waterwheel.protocol.Control;
import io.waterwheel.query.scan.FreshReader;
import io.waterwheel.query.scan.ViewHolder;
import java.io.IOException;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * One life of an indexer task: the indexers that fall to its number, the memory they share, their flusher. A task that
 * crashed may live on as a zombie: all that it does then goes on, and its successor is at work.
 */
final class HostRole {
    /** One instance of an indexer. */
    final class Instance implements IndexerEffects {
        final int indexer;
        final ViewHolder slot = new ViewHolder();
        final FreshReader reader = new FreshReader(slot, Settings.STALE_NANOS, world.clock);
        final FlushSequence flushes;
        final IndexerCore core;
        /** What any answer may have shown before this instance began. */
        final long[] trueTargets;
        /** Per partition, when the network last brought something for it. */
        final long[] broughtAt;

        int merges;

        Instance(int indexer, StreamCatalog catalog, IndexerLaunch launch, long[] trueTargets) {
            this.indexer = indexer;
            this.trueTargets = trueTargets;
            this.broughtAt = new long[trueTargets.length];
            Arrays.fill(broughtAt, world.now);
            this.flushes = new FlushSequence(catalog, indexer, launch.start());
            this.core = new IndexerCore(
                    world.stream,
                    indexer,
                    launch.start().checkpoint(),
                    launch.targets(),
                    pool,
                    window,
                    world.settings.indexer(),
                    this,
                    world.now);
            task.add(core);
        }

        String name() {
            return "indexer " + indexer + "." + core.epoch();
        }

        @Override
        public void subscribe(Control.Subscribe subscribe) {
            String link = "indexer " + indexer + ">p" + subscribe.partition();
            world.network.send(
                    link, () -> world.toDispatcher(subscribe.partition(), target -> target.onSubscribe(subscribe)));
        }

        @Override
        public void credit(Control.Credit credit) {
            String link = "indexer " + indexer + ">p" + credit.partition();
            world.network.send(link, () -> world.toDispatcher(credit.partition(), target -> target.onCredit(credit)));
        }

        @Override
        public void report(Control.Report report) {
            for (int c = 0; c < world.coordinators.length; c++) {
                int coordinator = c;
                world.network.send("indexer " + indexer + ">c" + c, () -> {
                    world.coordinators[coordinator].onReport(report);
                    return true;
                });
            }
        }

        @Override
        public void flush(SealedTree sealed) {
            world.note(name(), "seals %d: %d tuples, %s", sealed.flush(), sealed.tuples(), sealed.reason());
            flushes.add(sealed);
        }

        @Override
        public void rebuilt(TemplateTree.Rebuilt rebuilt) {
            // Not how long it took: the same seed prints the same.
            world.note(name(), "has rebuilt a template of %d tuples", rebuilt.tuples());
        }

        @Override
        public void publish(FreshView view) {
            view.trees().forEach(tree -> inMemory.add(tree.tree()));
            slot.publish(view);
        }

        private void trouble(String what) {
            task.onFlushTrouble(world.stream.id(), indexer, core.epoch(), what, world.now);
        }

        /** One step of the oldest flush, as the flusher's thread takes it. */
        void flushStep() {
            SealedTree sealed = flushes.next();
            if (sealed == null || flushing || stuck) {
                return;
            }
            flushing = true;
            try {
                FlushSequence.Step step = flushes.step(world.files, writer);
                trouble("");
                switch (step) {
                    case WRITTEN -> world.note(name(), "has written flush %d", sealed.flush());
                    case COMMITTED -> {
                        world.note(name(), "has committed flush %d", sealed.flush());
                        core.onFlushed(sealed.flush(), flushes.learnt(), world.now);
                    }
                    case FENCED -> {
                        world.note(name(), "is fenced at flush %d", sealed.flush());
                        hosted.remove(indexer);
                        task.remove(world.stream.id(), indexer);
                    }
                    case ABANDONED -> world.note(name(), "has stopped before flush %d", sealed.flush());
                }
            } catch (IOException e) {
                world.note(name(), "flush %d fails: %s", sealed.flush(), e.getMessage());
                trouble("failed");
            } catch (WaterwheelException e) {
                world.requireTemporary(e);
                world.note(name(), "flush %d fails: %s", sealed.flush(), e.getMessage());
                trouble("failed");
            } finally {
                flushing = false;
            }
        }
    }

    private final World world;
    final int number;
    final SimCatalog.Client client;
    final PagePool pool;
    final CreditWindow window;
    final IndexerTask task;
    private final ChunkWriter writer;
    /** Trees that were in a view and whose memory is not back in the pool. */
    private final Set<TemplateTree> inMemory = Collections.newSetFromMap(new IdentityHashMap<>());

    final Map<Integer, Instance> hosted = new TreeMap<>();
    /** Being started: the catalog has been asked, the loop has not been told yet. */
    private final Set<Integer> starting = new HashSet<>();

    /** The flusher has one thread. */
    private boolean flushing;

    /** Its clock is wrong by so many milliseconds; nothing may rest on it. */
    private final long clockError;

    boolean dead;
    /** Its flusher hangs. */
    boolean stuck;

    long pausedUntil;

    HostRole(World world, int number) {
        this.world = world;
        this.number = number;
        this.client = world.catalog.client();
        this.writer = world.writer;
        this.pool = new PagePool(world.settings.poolBytes());
        this.window = new CreditWindow(pool, world.settings.windowBytes(), world.settings.poolBytes());
        this.task = new IndexerTask(window);
        this.clockError = world.random.nextInt(3) == 0 ? world.random.nextInt(20_000) - 10_000 : 0;
    }

    boolean paused() {
        return world.now < pausedUntil;
    }

    /** Starts what it should host and does not; what fails is tried again later. */
    void launch() {
        for (int indexer : world.indexerIds()) {
            if (indexer % world.settings.hosts() == number && !hosted.containsKey(indexer) && starting.add(indexer)) {
                launch(indexer);
            }
        }
    }

    private void launch(int indexer) {
        StreamCatalog catalog = new StreamCatalog(client, world.stream);
        IndexerLaunch launch;
        long[] trueTargets = new long[world.topic.partitions()];
        try {
            launch = IndexerLaunch.of(catalog, indexer, () -> {
                // The epoch has just been raised: what answers have shown until now is below these.
                for (int p = 0; p < trueTargets.length; p++) {
                    trueTargets[p] = Math.min(
                            world.topic.end(p), world.truth.route(p).route().limit());
                }
                return world.topic.ends();
            });
        } catch (WaterwheelException e) {
            world.requireTemporary(e);
            world.note("host " + number, "cannot start indexer %d: %s", indexer, e.getMessage());
            starting.remove(indexer);
            return;
        }

        world.network.answer("host " + number, () -> {
            starting.remove(indexer);
            if (!dead) {
                Instance instance = new Instance(indexer, catalog, launch, trueTargets);
                hosted.put(indexer, instance);
                world.note(
                        instance.name(),
                        "starts after flush %d at %s, targets %s",
                        launch.start().checkpoint().flushed(),
                        Arrays.toString(launch.start().checkpoint().watermarks()),
                        Arrays.toString(launch.targets()));
            }
            return true;
        });
    }

    void onBlock(ChannelBlock block) {
        Instance instance = hosted.get(block.indexer());
        if (instance != null) {
            instance.broughtAt[block.partition()] = world.now;
        }
        task.onBlock(block, world.now, clockMillis());
        checkMemory();
    }

    void onHeartbeats(ChannelHeartbeats heartbeats) {
        for (int i = 0; i < heartbeats.size(); i++) {
            Instance instance = hosted.get(heartbeats.indexer(i));
            if (instance != null) {
                instance.broughtAt[heartbeats.partition(i)] = world.now;
            }
        }
        task.onHeartbeats(heartbeats, world.now);
        checkMemory();
    }

    /** This machine's time of day. */
    private long clockMillis() {
        return world.now / 1_000_000 + clockError;
    }

    void onTick() {
        task.onTick(world.now);
        for (Instance instance : List.copyOf(hosted.values())) {
            if (instance.slot.askedEpoch() > instance.core.epoch()) {
                instance.core.onSuccessor(world.now);
            }
        }
        checkMemory();
    }

    /**
     * Rule 6: the tuples in memory and what is under way stay within what may be granted, but for one block a channel;
     * memory exceeds its tuples by the heads of pages, and by a page not full in each leaf. Trees that only readers
     * hold count too.
     */
    private void checkMemory() {
        inMemory.removeIf(TemplateTree::isReclaimed);
        long tupleBytes = 0;
        long leaves = 0;
        for (TemplateTree tree : inMemory) {
            tupleBytes += tree.bytes();
            leaves += tree.tuples() == 0 ? 0 : tree.template().leaves();
        }
        long grantable = world.settings.poolBytes() - world.settings.poolBytes() / 8;
        long blocks = (long) hosted.size() * world.topic.partitions() * world.maxBlockBytes();
        Oracle.check(window.underWay() >= 0, "host %d: %d bytes under way", number, window.underWay());
        Oracle.check(
                tupleBytes + window.underWay() <= grantable + blocks,
                "host %d: memory: %d bytes of tuples and %d under way exceed the %d that may be granted and %d of blocks",
                number,
                tupleBytes,
                window.underWay(),
                grantable,
                blocks);
        Oracle.check(
                pool.usedBytes() <= tupleBytes + tupleBytes / Settings.PAGE_HEAD_SHARE + leaves * Settings.PAGE_BYTES,
                "host %d: memory: %d bytes used exceed %d of tuples and a page for each of %d leaves",
                number,
                pool.usedBytes(),
                tupleBytes,
                leaves);
    }
}
