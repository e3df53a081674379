package io.waterwheel.sim;

import io.waterwheel.catalog.CatalogStore;
import io.waterwheel.catalog.ChunkDescriptor;
import io.waterwheel.catalog.InMemoryCatalogStore;
import io.waterwheel.catalog.LogIdentity;
import io.waterwheel.catalog.Namespace;
import io.waterwheel.catalog.PartitionRoute;
import io.waterwheel.catalog.RoutingTable;
import io.waterwheel.catalog.StreamCatalog;
import io.waterwheel.catalog.StreamInfo;
import io.waterwheel.catalog.StreamSnapshot;
import io.waterwheel.decode.BlockCodec;
import io.waterwheel.index.FreshView;
import io.waterwheel.index.PagePool;
import io.waterwheel.ingest.BlockBody;
import io.waterwheel.ingest.BodyPool;
import io.waterwheel.ingest.ChannelBlock;
import io.waterwheel.ingest.CreditWindow;
import io.waterwheel.ingest.DispatcherEffects;
import io.waterwheel.ingest.DispatcherSettings;
import io.waterwheel.ingest.IndexerCore;
import io.waterwheel.ingest.IndexerEffects;
import io.waterwheel.ingest.IndexerSettings;
import io.waterwheel.ingest.IndexerTask;
import io.waterwheel.ingest.OffsetRanges;
import io.waterwheel.ingest.PartitionDispatcher;
import io.waterwheel.ingest.RecordBatch;
import io.waterwheel.ingest.RefusedRow;
import io.waterwheel.ingest.SealedTree;
import io.waterwheel.ingest.Segmenter;
import io.waterwheel.model.Control;
import io.waterwheel.model.Field;
import io.waterwheel.model.FieldType;
import io.waterwheel.model.KeyInterval;
import io.waterwheel.model.KeySpec;
import io.waterwheel.model.LittleEndian;
import io.waterwheel.model.LostRange;
import io.waterwheel.model.RecordFormat;
import io.waterwheel.model.RowLayout;
import io.waterwheel.model.Schema;
import io.waterwheel.model.TimeInterval;
import io.waterwheel.model.TupleBlock;
import io.waterwheel.query.IndexerHeader;
import io.waterwheel.query.Query;
import io.waterwheel.query.Subquery;
import io.waterwheel.query.exec.FreshReader;
import io.waterwheel.query.exec.IndexerReply;
import io.waterwheel.query.exec.QueryPlan;
import io.waterwheel.query.exec.ViewSlot;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;

/**
 * One run of the way in and the way out, on the shipped state machines, under one seed: it decides what is delivered
 * when, what is lost and repeated, who crashes, which flushes fail or end unknown, when routing changes. Every answer
 * that is complete is compared with what was produced; at the end, with the faults off, everything must be there.
 */
final class Simulation {
    private static final Schema SCHEMA = new Schema(
            List.of(
                    new Field("id", FieldType.LONG, false),
                    new Field("k", FieldType.LONG, false),
                    new Field("t", FieldType.TIMESTAMP, false)),
            new KeySpec.Ordered("k"),
            "t");
    private static final RowLayout LAYOUT = RowLayout.of(SCHEMA);

    /** A tuple as produced. */
    private record Produced(long id, long key, long time, int partition, long offset) {}

    private record ChunkRow(long id, long key, long time) {}

    /** One instance of a logical indexer; a crashed one may live on as a zombie. */
    private final class Instance implements IndexerEffects {
        final int indexer;
        final StreamCatalog catalog = new StreamCatalog(store, stream);
        final PagePool pool = new PagePool(POOL_BYTES);
        final CreditWindow window = new CreditWindow(pool, 400, POOL_BYTES);
        final IndexerTask task = new IndexerTask(window);
        final ViewSlot slot = new ViewSlot();
        final FreshReader reader = new FreshReader(slot, Long.MAX_VALUE / 4);
        final ArrayDeque<SealedTree> flushes = new ArrayDeque<>();
        final IndexerCore core;
        int nodeVersion;
        boolean fenced;

        Instance(int indexer) {
            this.indexer = indexer;
            StreamCatalog.IndexerStart start = catalog.startIndexer(indexer);
            nodeVersion = start.nodeVersion();
            long[] targets = new long[partitions];
            for (int p = 0; p < partitions; p++) {
                targets[p] =
                        Math.min(catalog.route(p).route().limit(), log.get(p).size());
            }
            core = new IndexerCore(
                    stream,
                    indexer,
                    start.checkpoint(),
                    targets,
                    pool,
                    window,
                    new IndexerSettings(
                            2_000, 3_000_000_000L, 500_000_000L, 300_000_000L, 1_000_000_000L, 200_000_000L),
                    this,
                    now);
            task.add(core);
        }

        @Override
        public void subscribe(Control.Subscribe subscribe) {
            network.send("subscribe", () -> dispatcher(subscribe.partition()).onSubscribe(subscribe, now));
        }

        @Override
        public void credit(Control.Credit credit) {
            network.send("credit", () -> dispatcher(credit.partition()).onCredit(credit, now));
        }

        @Override
        public void report(Control.Report report) {
            network.send("report", () -> reports.put(report.indexer(), report));
        }

        @Override
        public void flush(SealedTree sealed) {
            if (!sealed.tree().tryRetain()) {
                throw new IllegalStateException("a sealed tree is discarded");
            }
            flushes.add(sealed);
        }

        @Override
        public void publish(FreshView view) {
            slot.publish(view);
        }

        /** One step of the oldest flush: it fails, or is written and committed. */
        void flushStep() {
            SealedTree sealed = flushes.peek();
            if (sealed == null || fenced || core.stopped()) {
                return;
            }
            if (faults && random.nextInt(4) == 0) {
                note("flush %d of indexer %d fails", sealed.flush(), indexer);
                return;
            }
            List<ChunkRow> rows = TreeRowsOf.rows(sealed.tree()).stream()
                    .map(row -> new ChunkRow(row[0], row[1], row[2]))
                    .toList();
            List<ChunkDescriptor> chunks = new ArrayList<>();
            if (!rows.isEmpty()) {
                String file = ChunkDescriptor.fileName(
                        stream.name(), stream.id(), indexer, sealed.next().epoch(), sealed.flush(), 0);
                List<ChunkRow> old = files.putIfAbsent(file, rows);
                check(old == null || Set.copyOf(old).equals(Set.copyOf(rows)), "file %s was overwritten", file);
                chunks.add(new ChunkDescriptor(
                        file,
                        indexer,
                        sealed.next().epoch(),
                        sealed.flush(),
                        0,
                        rows.size(),
                        1,
                        java.util.Objects.requireNonNull(sealed.tree().region())));
            }
            StreamCatalog.CommitOutcome outcome = catalog.commitFlush(indexer, nodeVersion, sealed.next(), chunks);
            flushes.remove();
            sealed.tree().release();
            if (outcome instanceof StreamCatalog.CommitOutcome.Done done) {
                note("indexer %d epoch %d flushed %d: %d rows", indexer, core.epoch(), sealed.flush(), rows.size());
                nodeVersion = done.nodeVersion();
                core.onFlushed(sealed.flush(), null, now);
            } else {
                note("indexer %d epoch %d is fenced", indexer, core.epoch());
                fenced = true;
                core.stop();
            }
        }
    }

    private static final long POOL_BYTES = 8 << 20;
    private static final int MAX_TRACE = 60;

    private final long seed;
    private final Random random;
    private final CatalogStore store;
    private final StreamInfo stream;
    private final int partitions;
    private final Network network;
    private final ArrayDeque<String> trace = new ArrayDeque<>();
    private boolean faults = true;
    private long now = 1_000_000_000;

    private final List<List<ByteBuffer>> log = new ArrayList<>();
    private final Map<Long, Produced> produced = new HashMap<>();
    private long bad;
    /** Offsets of records that cannot be decoded, and those whose dead letter is stored, by partition. */
    private final List<Set<Long>> badOffsets = new ArrayList<>();

    private final List<Set<Long>> storedLetters = new ArrayList<>();
    private final List<LetterTopic> letterTopics = new ArrayList<>();
    private long nextId;

    private final long[] spoutPosition;
    private final long[] spoutPausedUntil;
    private PartitionDispatcher[] dispatchers;
    private final Map<Integer, Instance> indexers = new TreeMap<>();
    private final List<Instance> zombies = new ArrayList<>();
    private final Map<String, List<ChunkRow>> files = new HashMap<>();

    private StreamSnapshot snapshot;
    private final Map<Integer, Control.Report> reports = new HashMap<>();
    private final long[] session;
    private int completeAnswers;

    Simulation(long seed) {
        this.seed = seed;
        this.random = new Random(seed);
        this.network = new Network(
                random, 0.02 * random.nextInt(4), 0.02 * random.nextInt(4), 0.1 * random.nextInt(4), this::note);
        this.store = new FaultyCatalogStore(
                new InMemoryCatalogStore(new InMemoryCatalogStore.Tree()), random, 0.03 * random.nextInt(3));
        this.partitions = 1 + random.nextInt(3);
        for (int p = 0; p < partitions; p++) {
            log.add(new ArrayList<>());
            badOffsets.add(new HashSet<>());
            storedLetters.add(new HashSet<>());
            letterTopics.add(new LetterTopic(p));
        }
        this.stream = new Namespace(store)
                .create("s", SCHEMA, RecordFormat.BLOCK, "t", new long[partitions], 1 + random.nextInt(3));
        this.spoutPosition = new long[partitions];
        this.spoutPausedUntil = new long[partitions];
        this.dispatchers = new PartitionDispatcher[partitions];
        this.session = new long[partitions];
        this.snapshot = new StreamCatalog(store, stream).advance(StreamSnapshot.before(stream));
        for (int indexer = 0; indexer < stream.indexers(); indexer++) {
            startIndexer(indexer);
        }
    }

    /** Runs the seed; returns the number of complete answers that were checked. */
    int run(int steps) throws Exception {
        try {
            for (int step = 0; step < steps; step++) {
                step();
            }
            settle();
            return completeAnswers;
        } catch (Exception | AssertionError e) {
            throw new AssertionError(
                    "seed " + seed + ": " + e + "\n  last events:\n  " + String.join("\n  ", trace), e);
        }
    }

    private void step() throws Exception {
        now += random.nextInt(2_000_000);
        int action = random.nextInt(1000);
        if (action < 550) {
            network.deliverOne();
        } else if (action < 650) {
            produce(random.nextInt(partitions));
        } else if (action < 780) {
            spoutReads(random.nextInt(partitions));
        } else if (action < 850) {
            tick();
        } else if (action < 890) {
            pick().flushStep();
        } else if (action < 900) {
            pick().task.cores().forEach(core -> core.onSealRequest(SealedTree.Reason.REQUEST, now));
        } else if (action < 940) {
            query();
        } else if (action < 960) {
            if (random.nextInt(3) == 0) {
                snapshot = new StreamCatalog(store, stream).advance(snapshot);
            }
        } else if (action < 966) {
            crashIndexer();
        } else if (action < 972) {
            int p = random.nextInt(partitions);
            note("dispatcher of partition %d crashes", p);
            dispatchers[p] = null;
        } else if (action < 976) {
            int p = random.nextInt(partitions);
            spoutPosition[p] = random.nextInt(log.get(p).size() + 1);
            note("spout of partition %d restarts at %d", p, spoutPosition[p]);
        } else if (action < 980) {
            changeRouting();
        } else if (action < 1000 && !zombies.isEmpty()) {
            Instance zombie = zombies.get(random.nextInt(zombies.size()));
            zombie.task.onTick(now);
            zombie.core.onSealRequest(SealedTree.Reason.REQUEST, now);
            zombie.flushStep();
        }
    }

    private Instance pick() {
        List<Instance> all = new ArrayList<>(indexers.values());
        return all.get(random.nextInt(all.size()));
    }

    private void tick() {
        now += random.nextInt(60_000_000);
        for (int p = 0; p < partitions; p++) {
            dispatcher(p).onTick(now);
        }
        indexers.values().forEach(instance -> instance.task.onTick(now));
    }

    private void produce(int partition) {
        List<ByteBuffer> records = log.get(partition);
        for (int n = random.nextInt(4); n >= 0; n--) {
            if (random.nextInt(20) == 0) {
                bad++;
                badOffsets.get(partition).add((long) records.size());
                records.add(ByteBuffer.wrap(new byte[] {1, 2, 3}));
                continue;
            }
            TupleBlock block = new TupleBlock(LAYOUT, 4);
            int rows = random.nextInt(5);
            for (int row = 0; row < rows; row++) {
                long id = nextId++;
                block.keys()[row] = random.nextLong();
                block.times()[row] = now / 1_000_000 + random.nextInt(1000);
                LittleEndian.putLong(block.column(0), row * 8, id);
                produced.put(id, new Produced(id, block.keys()[row], block.times()[row], partition, records.size()));
            }
            block.setSize(rows);
            records.add(ByteBuffer.wrap(BlockCodec.encode(block, true)));
        }
    }

    private RecordBatch read(int partition, long from, int most) {
        List<ByteBuffer> records = log.get(partition);
        int count = (int) Math.max(0, Math.min(most, records.size() - from));
        long[] offsets = new long[count];
        ByteBuffer[] values = new ByteBuffer[count];
        for (int i = 0; i < count; i++) {
            offsets[i] = from + i;
            values[i] = records.get((int) from + i);
        }
        return new RecordBatch(stream.id(), partition, from, from + count, count, offsets, values);
    }

    private void spoutReads(int partition) {
        if (now < spoutPausedUntil[partition]) {
            return;
        }
        RecordBatch batch = read(partition, spoutPosition[partition], 1 + random.nextInt(8));
        spoutPosition[partition] = batch.to();
        network.send("records", () -> dispatcher(partition).onLive(batch, now));
    }

    private PartitionDispatcher dispatcher(int partition) {
        PartitionDispatcher existing = dispatchers[partition];
        if (existing != null) {
            return existing;
        }
        StreamCatalog catalog = new StreamCatalog(store, stream);
        PartitionRoute route = catalog.route(partition).route();
        RoutingTable table = catalog.table(route.versions().get(0).version());
        PartitionDispatcher created = new PartitionDispatcher(
                stream.id(),
                partition,
                route,
                table,
                new Segmenter(SCHEMA, RecordFormat.BLOCK, new BodyPool(LAYOUT, 16), 300),
                new DispatcherSettings(1_000, 2_000, 600, 100_000_000),
                new DispatcherEnd(partition, catalog),
                now);
        dispatchers[partition] = created;
        return created;
    }

    private final class DispatcherEnd implements DispatcherEffects {
        private final int partition;
        private final StreamCatalog catalog;
        private LetterSession session;

        DispatcherEnd(int partition, StreamCatalog catalog) {
            this.partition = partition;
            this.catalog = catalog;
        }

        /** Hands the answer over later, if the dispatcher that asked still lives. */
        private void later(String what, java.util.function.Consumer<PartitionDispatcher> answer) {
            PartitionDispatcher asking = dispatchers[partition];
            network.sendReliably(what, () -> {
                if (asking != null && dispatchers[partition] == asking) {
                    answer.accept(asking);
                }
            });
        }

        @Override
        public void send(ChannelBlock block) {
            BlockBody body = block.body();
            byte[] tuples = body == null ? null : BlockCodec.encode(body.tuples(), true);
            int rows = body == null ? 0 : body.tuples().size();
            int[] offsets = body == null ? new int[0] : Arrays.copyOf(body.relativeOffsets(), rows);
            int[] rejected = body == null ? new int[0] : Arrays.copyOf(body.relativeRejected(), body.rejectedCount());
            long base = body == null ? 0 : body.base();
            if (body != null) {
                body.release();
            }
            network.send("block", () -> {
                BlockBody copy = null;
                if (tuples != null) {
                    TupleBlock decoded = new TupleBlock(LAYOUT, rows);
                    BlockCodec.decode(tuples, 0, tuples.length, decoded);
                    copy = BlockBody.of(decoded, base, offsets, rejected);
                }
                ChannelBlock received = new ChannelBlock(
                        block.streamId(),
                        block.partition(),
                        block.indexer(),
                        block.epoch(),
                        block.from(),
                        block.to(),
                        block.version(),
                        copy);
                Instance target = indexers.get(block.indexer());
                for (Instance zombie : zombies) {
                    if (zombie.indexer == block.indexer() && random.nextInt(4) == 0) {
                        target = zombie;
                    }
                }
                if (target != null) {
                    target.task.onBlock(received, now);
                }
            });
        }

        @Override
        public void readLog(long from, int maxBytes) {
            RecordBatch batch = faults && random.nextInt(10) == 0 ? null : read(partition, from, 1 + random.nextInt(8));
            later("sweep", dispatcher -> dispatcher.onSweep(batch, now));
        }

        @Override
        public void raiseLimit(long limit, LogIdentity log) {
            later(
                    "limit",
                    dispatcher -> dispatcher.onRoute(
                            catalog.raiseLimit(partition, limit, log).route(), now));
        }

        @Override
        public void giveUp(LostRange range) {
            throw new AssertionError("nothing is lost here, and yet is given up: " + range);
        }

        @Override
        public void report(Control.PartitionReport report) {
            check(report.trouble().isEmpty(), "partition %d stands still: %s", partition, report.trouble());
        }

        @Override
        public void fetchTable(int version) {
            later("table", dispatcher -> dispatcher.onTable(catalog.table(version), now));
        }

        @Override
        public void openDeadLetters() {
            boolean fails = faults && random.nextInt(5) == 0;
            LetterSession next = fails ? null : letterTopics.get(partition).open();
            if (next != null) {
                session = next;
            }
            later("session", dispatcher -> dispatcher.onDeadLettersOpened(next == null ? null : next.stored(), now));
        }

        @Override
        public void storeDeadLetters(Object token, long since, long until, List<RefusedRow> letters) {
            // Stored and its answer lost, or not stored: the dispatcher hears the same.
            boolean reaches = !faults || random.nextInt(5) != 0;
            boolean confirmed = reaches && (!faults || random.nextInt(5) != 0);
            LetterSession sender = session;
            boolean stored = sender != null && reaches && sender.store(since, until, letters);
            if (!stored || !confirmed) {
                session = null;
            }
            later("dead letters", dispatcher -> dispatcher.onDeadLetters(token, stored && confirmed, now));
        }

        @Override
        public void steer(Control.Live live) {
            network.send("steer", () -> {
                spoutPausedUntil[partition] = live.paused() ? now + 1_000_000_000 : 0;
                if (live.position() >= 0) {
                    spoutPosition[partition] = live.position();
                }
            });
        }
    }

    /**
     * A partition's part of the dead-letter topic, as transactions make it: whole commits, of the last session only.
     */
    private final class LetterTopic {
        private final int partition;
        private final OffsetRanges ranges = new OffsetRanges();
        private final Set<String> rows = new HashSet<>();
        private int sessions;

        LetterTopic(int partition) {
            this.partition = partition;
        }

        Simulation outer() {
            return Simulation.this;
        }

        LetterSession open() {
            OffsetRanges known = new OffsetRanges();
            known.addAll(ranges);
            return new LetterSession(this, ++sessions, known);
        }
    }

    private record LetterSession(LetterTopic topic, int number, OffsetRanges stored) {
        boolean store(long since, long until, List<RefusedRow> letters) {
            if (number != topic.sessions) {
                return false;
            }
            for (RefusedRow letter : letters) {
                check(
                        topic.rows.add(letter.offset() + "/" + letter.index()),
                        "partition %d: the dead letter of offset %d, row %d is stored twice",
                        topic.partition,
                        letter.offset(),
                        letter.index());
                topic.outer().storedLetters.get(topic.partition).add(letter.offset());
            }
            topic.ranges.add(since, until);
            return true;
        }
    }

    private void startIndexer(int indexer) {
        Instance instance = new Instance(indexer);
        indexers.put(indexer, instance);
        note("indexer %d starts: epoch %d", indexer, instance.core.epoch());
    }

    private void crashIndexer() {
        Instance old = pick();
        if (random.nextBoolean()) {
            zombies.add(old);
            if (zombies.size() > 3) {
                zombies.remove(0);
            }
            note("indexer %d epoch %d becomes a zombie", old.indexer, old.core.epoch());
        } else {
            note("indexer %d epoch %d dies", old.indexer, old.core.epoch());
        }
        startIndexer(old.indexer);
    }

    private void changeRouting() {
        int count = 1 + random.nextInt(3);
        RoutingTable even = RoutingTable.even(1, KeyInterval.ALL, count);
        long[] boundaries = even.boundaries();
        for (int i = 0; i < boundaries.length; i++) {
            boundaries[i] += random.nextInt();
        }
        RoutingTable table = new StreamCatalog(store, stream).changeRouting(boundaries, even.indexers());
        note("routing version %d: %d indexers", table.version(), count);
        for (int indexer : table.indexers()) {
            if (!indexers.containsKey(indexer)) {
                startIndexer(indexer);
            }
        }
    }

    private void query() throws Exception {
        KeyInterval keys = KeyInterval.ALL;
        if (random.nextBoolean()) {
            long a = random.nextLong();
            long b = random.nextLong();
            keys = new KeyInterval(Math.min(a, b), Math.max(a, b));
        }
        TimeInterval times = TimeInterval.ALL;
        if (random.nextInt(3) == 0) {
            long from = random.nextInt((int) (now / 1_000_000) + 1000);
            times = new TimeInterval(from, from + random.nextInt(500));
        }
        Map<Integer, Long> demand = new HashMap<>();
        if (random.nextBoolean()) {
            for (int p = 0; p < partitions; p++) {
                demand.put(p, session[p]);
            }
        }
        ask(keys, times, demand);
    }

    /** Asks; true when the answer was complete, and then it was right. */
    private boolean ask(KeyInterval keys, TimeInterval times, Map<Integer, Long> demand) throws Exception {
        Query query = Query.of("s")
                .withKeys(List.of(keys))
                .withTimes(times)
                .withAtLeast(demand)
                .withSelect(List.of("id"));
        QueryPlan plan = QueryPlan.of(query, snapshot, reports);
        long[] seen = new long[partitions];
        Arrays.fill(seen, Long.MAX_VALUE);
        plan.excused().forEach(watermarks -> lower(seen, watermarks));
        List<Long> ids = new ArrayList<>();
        List<IndexerReply> replies = new ArrayList<>();
        try {
            for (Subquery.OfIndexer subquery : plan.indexers()) {
                Instance target = indexers.get(subquery.indexer());
                for (Instance zombie : zombies) {
                    if (zombie.indexer == subquery.indexer() && random.nextInt(4) == 0) {
                        target = zombie;
                    }
                }
                if (target == null || target.core.stopped()) {
                    return refresh();
                }
                IndexerReply reply = target.reader.ask(subquery, plan.resolved().spec(), System.nanoTime() - 1);
                replies.add(reply);
                IndexerHeader header = reply.header();
                if (header.outcome() != IndexerHeader.Outcome.ANSWER
                        || header.version() > plan.snapshot().version()) {
                    return refresh();
                }
                lower(seen, header.watermarks());
            }
            for (IndexerReply reply : replies) {
                collect(reply, ids);
            }
        } finally {
            replies.forEach(IndexerReply::close);
        }
        for (ChunkDescriptor chunk : plan.chunks()) {
            for (ChunkRow row : files.get(chunk.file())) {
                if (keys.contains(row.key()) && times.contains(row.time())) {
                    ids.add(row.id());
                }
            }
        }
        verify(keys, times, ids, seen);
        for (int p = 0; p < partitions; p++) {
            if (demand.containsKey(p)) {
                check(seen[p] >= demand.get(p), "an answer went back in time in partition %d", p);
                session[p] = Math.max(session[p], seen[p]);
            }
        }
        completeAnswers++;
        return true;
    }

    private boolean refresh() {
        snapshot = new StreamCatalog(store, stream).advance(snapshot);
        return false;
    }

    private static void collect(IndexerReply reply, List<Long> ids) throws IOException {
        reply.rows(rows -> {
            for (int row = 0; row < rows.size(); row++) {
                ids.add(LittleEndian.getLong(rows.column(0), row * 8));
            }
            return true;
        });
    }

    private void verify(KeyInterval keys, TimeInterval times, List<Long> ids, long[] seen) {
        for (int p = 0; p < partitions; p++) {
            for (long offset : badOffsets.get(p)) {
                check(
                        offset >= seen[p] || storedLetters.get(p).contains(offset),
                        "partition %d: offset %d is passed and its dead letter is not stored",
                        p,
                        offset);
            }
        }
        Set<Long> distinct = new HashSet<>(ids);
        check(distinct.size() == ids.size(), "a tuple is twice in an answer: %d of %d", distinct.size(), ids.size());
        for (long id : ids) {
            Produced tuple = produced.get(id);
            check(
                    tuple != null && keys.contains(tuple.key()) && times.contains(tuple.time()),
                    "tuple %d does not belong into the answer: %s",
                    id,
                    tuple);
        }
        for (Produced tuple : produced.values()) {
            if (tuple.offset() < seen[tuple.partition()]
                    && keys.contains(tuple.key())
                    && times.contains(tuple.time())) {
                check(distinct.contains(tuple.id()), "%s is missing, watermarks %s", tuple, Arrays.toString(seen));
            }
        }
    }

    /** No more faults: within bounded time everything is in one complete answer, and every refused row is counted. */
    private void settle() throws Exception {
        faults = false;
        network.calm();
        zombies.clear();
        long[] ends = new long[partitions];
        for (int p = 0; p < partitions; p++) {
            ends[p] = log.get(p).size();
        }
        Map<Integer, Long> demand = new HashMap<>();
        for (int p = 0; p < partitions; p++) {
            demand.put(p, ends[p]);
        }
        for (int round = 0; round < 4_000; round++) {
            for (int p = 0; p < partitions; p++) {
                spoutReads(p);
            }
            while (network.size() > 0) {
                network.deliverOne();
            }
            indexers.values().forEach(Instance::flushStep);
            now += 10_000_000;
            if (round % 3 == 0) {
                tick();
            }
            snapshot = new StreamCatalog(store, stream).advance(snapshot);
            if (ask(KeyInterval.ALL, TimeInterval.ALL, demand)) {
                checkRejected();
                return;
            }
        }
        check(false, "it does not end: watermarks %s, log ends %s", watermarks(), Arrays.toString(ends));
    }

    private void checkRejected() {
        long counted = 0;
        for (Instance instance : indexers.values()) {
            instance.core.onSealRequest(SealedTree.Reason.REQUEST, now);
            while (!instance.flushes.isEmpty()) {
                instance.flushStep();
            }
            counted += new StreamCatalog(store, stream)
                    .checkpoint(instance.indexer)
                    .rejected();
        }
        check(counted == bad, "%d refused records were counted, %d produced", counted, bad);
    }

    private String watermarks() {
        StringBuilder all = new StringBuilder();
        indexers.forEach((indexer, instance) -> all.append(indexer)
                .append('=')
                .append(Arrays.toString(java.util.Objects.requireNonNull(instance.slot.current())
                        .watermarks()))
                .append(' '));
        return all.toString();
    }

    private static void lower(long[] seen, long[] watermarks) {
        for (int p = 0; p < seen.length; p++) {
            seen[p] = Math.min(seen[p], watermarks[p]);
        }
    }

    private void note(String event) {
        if (trace.size() >= MAX_TRACE) {
            trace.removeFirst();
        }
        trace.add(event);
    }

    private void note(String format, Object... args) {
        note(String.format(java.util.Locale.ROOT, format, args));
    }

    private static void check(boolean holds, String format, Object... args) {
        if (!holds) {
            throw new AssertionError(String.format(java.util.Locale.ROOT, format, args));
        }
    }
}
