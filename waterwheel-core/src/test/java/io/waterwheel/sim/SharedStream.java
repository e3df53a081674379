package io.waterwheel.sim;

import io.waterwheel.catalog.StreamCatalog;
import io.waterwheel.catalog.state.ChunkDescriptor;
import io.waterwheel.catalog.state.LogIdentity;
import io.waterwheel.catalog.state.PartitionRoute;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.catalog.state.StreamSnapshot;
import io.waterwheel.index.FreshView;
import io.waterwheel.index.TemplateTree;
import io.waterwheel.ingest.block.BlockBody;
import io.waterwheel.ingest.block.BodyPool;
import io.waterwheel.ingest.block.ChannelBlock;
import io.waterwheel.ingest.dispatch.DispatcherEffects;
import io.waterwheel.ingest.dispatch.PartitionDispatcher;
import io.waterwheel.ingest.dispatch.RefusedRow;
import io.waterwheel.ingest.dispatch.Segmenter;
import io.waterwheel.ingest.indexer.FlushSequence;
import io.waterwheel.ingest.indexer.IndexerCore;
import io.waterwheel.ingest.indexer.IndexerEffects;
import io.waterwheel.ingest.indexer.IndexerLaunch;
import io.waterwheel.ingest.indexer.SealedTree;
import io.waterwheel.ingest.source.LiveBatch;
import io.waterwheel.ingest.source.ReadLane;
import io.waterwheel.ingest.source.RecordBatch;
import io.waterwheel.protocol.Control;
import io.waterwheel.query.scan.ChunkCache;
import io.waterwheel.query.scan.ChunkScan;
import io.waterwheel.query.scan.ScanSpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.LostRange;
import io.waterwheel.tuple.Region;
import io.waterwheel.tuple.TimeInterval;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One of the streams of {@link StreamsSimulation}: a partition and an indexer, in tasks that serve the others too. */
final class SharedStream {
    /** What ails a stream. */
    enum Sickness {
        NONE,
        /** Its chunks cannot be written. */
        CHUNKS,
        /** Its dead letters are not stored. */
        LETTERS,
        /** Its limits cannot be raised. */
        LIMITS,
        /** What is read again of its log does not come. */
        READING_AGAIN,
        /** Its indexer hears nothing. */
        INDEXER
    }

    private final StreamsSimulation all;
    final StreamInfo info;
    final Topic topic;
    private final StreamCatalog catalog;
    private final SimFiles files;
    Sickness sickness = Sickness.NONE;
    /** When it last got on, or had nothing to do. */
    long movedNanos;

    private long seen;
    /** It produces less than so many times a round. */
    int busy;

    private @Nullable Dispatcher dispatcher;
    private @Nullable Indexer indexer;
    private ReadLane lane;
    private long readTo;

    SharedStream(StreamsSimulation all, StreamInfo info, StreamCatalog catalog) {
        this.all = all;
        this.info = info;
        this.catalog = catalog;
        this.busy = 2 + all.random.nextInt(6);
        this.topic = new Topic(all.random, info.id(), 1);
        this.files = new SimFiles(all.random, 0, name -> {});
        this.lane = startReading();
    }

    String name() {
        return info.name();
    }

    // The spout.

    private ReadLane startReading() {
        readTo = all.random.nextInt((int) topic.end(0) + 1);
        return new ReadLane(all.ahead, info.id(), 0, ++all.lives, readTo);
    }

    /** The spout task has died, and what it had read. */
    void restartReading() {
        lane = startReading();
    }

    void read() {
        if (lane.wantsMore()) {
            RecordBatch batch = topic.read(0, readTo, 1 + all.random.nextInt(Topic.BATCH_RECORDS));
            if (batch.to() > batch.from()) {
                readTo = batch.to();
                lane.read(batch);
            }
        }
        handOn();
    }

    private void handOn() {
        LiveBatch batch;
        while ((batch = lane.next()) != null) {
            emit(batch);
        }
    }

    void beat() {
        if (dispatcher != null) {
            dispatcher.answerRead();
        }
        emit(lane.heartbeat());
    }

    private void emit(LiveBatch batch) {
        all.send(() -> {
            if (dispatcher != null) {
                dispatcher.core.onLive(batch, all.now);
            }
        });
    }

    private void steer(Control.ReadFrom live) {
        lane.onLive(live);
        if (live.position() >= 0) {
            readTo = live.position();
            lane.moveTo(readTo);
        }
        handOn();
    }

    // The dispatcher.

    @Nullable
    PartitionDispatcher dispatcher() {
        return dispatcher == null ? null : dispatcher.core;
    }

    void startDispatcher() {
        dispatcher = new Dispatcher();
    }

    private final class Dispatcher implements DispatcherEffects {
        final PartitionDispatcher core;
        /** What is to be read again and has not come; -1 for nothing. */
        private long readingFrom = -1;

        Dispatcher() {
            PartitionRoute route = catalog.route(0).route();
            core = new PartitionDispatcher(
                    info.id(),
                    0,
                    route,
                    catalog.table(route.firstVersion()),
                    new Segmenter(
                            Topic.SCHEMA,
                            RecordFormat.BLOCK,
                            new BodyPool(Topic.LAYOUT, 16),
                            StreamsSimulation.BLOCK_BYTES),
                    all.dispatcherSettings,
                    all.catchUps,
                    this,
                    all.now);
        }

        /** Answers on the task's thread, if this still lives. */
        private void later(Runnable answer) {
            all.answer(() -> {
                if (dispatcher == this) {
                    answer.run();
                }
            });
        }

        @Override
        public void send(ChannelBlock block) {
            all.send(() -> {
                if (sickness != Sickness.INDEXER) {
                    BlockBody body = block.body();
                    if (body != null) {
                        // This holder never lets go of it.
                        body.retain();
                    }
                    all.onBlock(block);
                }
            });
        }

        @Override
        public void readLog(long from, int maxBytes) {
            readingFrom = from;
            answerRead();
        }

        /** Not while it is sick: then it takes as long. */
        void answerRead() {
            if (readingFrom >= 0 && sickness != Sickness.READING_AGAIN) {
                RecordBatch batch = topic.read(0, readingFrom, 1 + all.random.nextInt(Topic.BATCH_RECORDS));
                readingFrom = -1;
                later(() -> core.onCatchUp(batch, all.now));
            }
        }

        @Override
        public void takeBackRead() {
            if (readingFrom >= 0) {
                readingFrom = -1;
                later(() -> core.onCatchUp(null, all.now));
            }
        }

        @Override
        public void raiseLimit(long limit, LogIdentity log) {
            later(() -> {
                if (sickness == Sickness.LIMITS) {
                    core.onCallFailed(all.now);
                } else {
                    core.onRoute(catalog.raiseLimit(0, limit, log).route(), all.now);
                }
            });
        }

        @Override
        public void giveUp(LostRange range) {
            throw new AssertionError(name() + ": nothing is lost here, and yet is given up: " + range);
        }

        @Override
        public void fetchTable(int version) {
            later(() -> core.onTable(catalog.table(version), Topic.SCHEMA, all.now));
        }

        @Override
        public void storeDeadLetters(Object token, List<RefusedRow> letters) {
            List<RefusedRow> sent = List.copyOf(letters);
            later(() -> {
                boolean stored = sickness != Sickness.LETTERS;
                if (stored) {
                    topic.letters(0).store(sent);
                }
                core.onDeadLetters(token, stored, all.now);
            });
        }

        @Override
        public void steer(Control.ReadFrom live) {
            all.send(() -> SharedStream.this.steer(live));
        }

        @Override
        public void report(Control.PartitionReport report) {}

        @Override
        public void sample(Control.KeySample sample) {}
    }

    // The indexer.

    void startIndexer() {
        if (indexer != null) {
            indexer.flushes.end();
        }
        indexer = new Indexer();
        all.indexers.add(indexer.core);
    }

    /** Bytes of its trees that are not in chunks. */
    long unflushedBytes() {
        return indexer == null ? 0 : indexer.core.unflushedBytes();
    }

    /**
     * Bytes of tuples that are not in chunks, and of what is under way. Pages take more; credit counts pages, so this
     * is bounded exactly, whatever pages are begun.
     */
    long takenBytes() {
        return indexer == null ? 0 : indexer.core.unflushedTuples() * Topic.LAYOUT.rowWidth() + indexer.core.underWay();
    }

    boolean isSetAside() {
        return indexer != null && !indexer.trouble.isEmpty();
    }

    /** Position below which answers have everything. */
    long visible() {
        return indexer == null || indexer.view == null ? -1 : indexer.view.watermarks()[0];
    }

    /** A step of its oldest flush. */
    void flushStep() {
        if (indexer != null) {
            indexer.flushStep();
        }
    }

    SimFiles files() {
        return files;
    }

    /** Where it stands, for whoever reads of a failure. */
    String standing() {
        return String.format(
                Locale.ROOT,
                "%s, %s: log to %d, read to %d, routed to %d with %d bytes waiting, visible to %d, %d bytes unflushed%s",
                name(),
                sickness,
                topic.end(0),
                readTo,
                dispatcher == null ? -1 : dispatcher.core.position(),
                dispatcher == null ? -1 : dispatcher.core.pendingBytes(),
                visible(),
                unflushedBytes(),
                lane.isWaiting() ? ", waits for credit to read" : lane.wantsMore() ? "" : ", may not read");
    }

    /** Notes whether it gets on. */
    void noteProgress() {
        if (visible() != seen || visible() >= topic.end(0)) {
            seen = visible();
            movedNanos = all.now;
        }
    }

    boolean isFlushing() {
        return indexer != null && indexer.flushes.next() != null;
    }

    void seal() {
        if (indexer != null) {
            indexer.core.onSealRequest(SealedTree.Reason.REQUEST, all.now);
        }
    }

    private final class Indexer implements IndexerEffects {
        final FlushSequence flushes;
        final IndexerCore core;

        @Nullable
        FreshView view;

        String trouble = "";

        Indexer() {
            IndexerLaunch launch = IndexerLaunch.of(catalog, 0, topic::ends);
            this.flushes = new FlushSequence(catalog, 0, launch.start());
            this.core = new IndexerCore(
                    info,
                    0,
                    launch.start().checkpoint(),
                    launch.targets(),
                    all.pool,
                    all.window,
                    all.indexerSettings,
                    this,
                    all.now);
        }

        @Override
        public void subscribe(Control.Subscribe subscribe) {
            toDispatcher(core -> core.onSubscribe(subscribe, all.now));
        }

        @Override
        public void credit(Control.Credit credit) {
            toDispatcher(core -> core.onCredit(credit, all.now));
        }

        private void toDispatcher(Consumer<PartitionDispatcher> message) {
            all.send(() -> {
                if (dispatcher != null) {
                    message.accept(dispatcher.core);
                }
            });
        }

        @Override
        public void report(Control.Report report) {}

        @Override
        public void flush(SealedTree sealed) {
            all.note(name(), "seals %d: %d tuples, %s", sealed.flush(), sealed.tuples(), sealed.reason());
            flushes.add(sealed);
        }

        @Override
        public void rebuilt(TemplateTree.Rebuilt rebuilt) {}

        @Override
        public void publish(FreshView view) {
            this.view = view;
        }

        private void flushStep() {
            SealedTree sealed = flushes.next();
            if (sealed == null) {
                return;
            }
            files.fill(sickness == Sickness.CHUNKS ? 1 : 0);
            String now = "";
            try {
                FlushSequence.Step step = flushes.step(files, all.writer);
                Oracle.check(step != FlushSequence.Step.FENCED, "%s: fenced by nobody", name());
                if (step == FlushSequence.Step.COMMITTED) {
                    core.onFlushed(sealed.flush(), flushes.learnt(), all.now);
                }
            } catch (IOException e) {
                now = "no room";
            }
            if (!now.equals(trouble)) {
                all.note(name(), now.isEmpty() ? "is well again" : "is set aside");
            }
            trouble = now;
            all.indexers.onFlushTrouble(info.id(), 0, core.epoch(), trouble, all.now);
        }
    }

    // What there should be.

    /** Everything produced is in chunks, once; everything refused in the dead letters. */
    void checkWhole(StreamSnapshot snapshot) throws IOException {
        Set<Long> ids = new HashSet<>();
        ChunkScan scan = new ChunkScan(files, new ChunkCache(0));
        List<ChunkDescriptor> chunks = new ArrayList<>();
        snapshot.chunks(new Region(KeyInterval.ALL, TimeInterval.ALL), chunks::add);
        for (ChunkDescriptor chunk : chunks) {
            scan.scan(chunk.file(), Topic.LAYOUT, ScanSpec.all(Topic.LAYOUT), rows -> {
                for (int row = 0; row < rows.size(); row++) {
                    long id = LittleEndian.getLong(rows.column(0), row * 8);
                    Oracle.check(ids.add(id), "%s: tuple %d is in chunks twice", name(), id);
                }
                return true;
            });
        }
        Oracle.check(
                ids.equals(topic.produced().keySet()),
                "%s: %d tuples in chunks of %d",
                name(),
                ids.size(),
                topic.produced().size());
        Oracle.check(
                topic.letters(0).size() == topic.badCount(),
                "%s: %d letters of %d refused records",
                name(),
                topic.letters(0).size(),
                topic.badCount());
    }
}
