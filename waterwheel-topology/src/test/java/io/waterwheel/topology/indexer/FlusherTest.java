package io.waterwheel.topology.indexer;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.catalog.Namespace;
import io.waterwheel.catalog.StreamCatalog;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.catalog.store.InMemoryCatalogStore;
import io.waterwheel.index.PagePool;
import io.waterwheel.ingest.block.ChannelBlock;
import io.waterwheel.ingest.indexer.CreditWindow;
import io.waterwheel.ingest.indexer.EagerStream;
import io.waterwheel.ingest.indexer.FlushSequence;
import io.waterwheel.ingest.indexer.IndexerCore;
import io.waterwheel.ingest.indexer.IndexerSettings;
import io.waterwheel.ingest.indexer.IndexerTask;
import io.waterwheel.ingest.indexer.SealedTree;
import io.waterwheel.metrics.Metrics;
import io.waterwheel.protocol.Control;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.store.ChunkStore;
import io.waterwheel.store.LocalChunkStore;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Marker;
import org.apache.logging.log4j.core.Filter;
import org.apache.logging.log4j.core.Logger;
import org.apache.logging.log4j.core.LoggerContext;
import org.apache.logging.log4j.core.filter.AbstractFilter;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Two streams in one memory pool, and a chunk store that fails, or hangs, for the first of them only. */
@Timeout(300)
class FlusherTest {
    private static final long POOL = 32 << 20;
    private static final int ROWS = 500;
    private static final long BLOCK_SLACK = (long) ROWS * EagerStream.LAYOUT.rowWidth();

    @TempDir
    Path folder;

    private volatile boolean failing = true;
    /** What a flush fails with, and who is told of it too. */
    private volatile boolean dying;

    /** Who is told that flushes go well again fails, once. */
    private volatile boolean deaf;

    private final AtomicInteger deaths = new AtomicInteger();
    private volatile CountDownLatch hanging = new CountDownLatch(0);

    private final PagePool pool = new PagePool(POOL);
    private final CreditWindow window = new CreditWindow(pool, 256 << 10, POOL);
    private final IndexerTask task = new IndexerTask(window);
    /** What the indexer task's loop would do. */
    private final LinkedBlockingQueue<Runnable> events = new LinkedBlockingQueue<>();

    private ChunkStore files;
    private Flusher flusher;
    private Stream first;
    private Stream second;

    /** An indexer of its stream, with a dispatcher that has always something to send. */
    private final class Stream extends EagerStream implements Flusher.Listener {
        final StreamInfo info;
        final FlushSequence flushes;
        final IndexerCore core;
        int committed;
        Control.@Nullable Report report;

        Stream(Namespace namespace, InMemoryCatalogStore store, String name) {
            super(ROWS);
            info = namespace.create(name, EagerStream.SCHEMA, RecordFormat.BLOCK, name, new long[1], 1);
            StreamCatalog catalog = new StreamCatalog(store, info);
            StreamCatalog.IndexerStart start = catalog.startIndexer(0);
            flushes = new FlushSequence(catalog, 0, start);
            core = new IndexerCore(
                    info,
                    0,
                    start.checkpoint(),
                    new long[1],
                    pool,
                    window,
                    new IndexerSettings(
                            2 << 20, 60_000_000_000L, 0, 300_000_000, 1_000_000_000, 50_000_000, 300_000, 60_000),
                    this,
                    System.nanoTime());
            task.add(core);
        }

        @Override
        protected int streamId() {
            return info.id();
        }

        @Override
        protected long time(long at) {
            return 1_700_000_000_000L + at;
        }

        @Override
        protected void onBlock(ChannelBlock block) {
            task.onBlock(block, System.nanoTime(), time(block.to()));
        }

        @Override
        public void report(Control.Report news) {
            report = news;
        }

        @Override
        public void flush(SealedTree sealed) {
            flusher.flush(flushes, sealed, this);
        }

        @Override
        public void done(SealedTree sealed, Flusher.Outcome outcome) {
            events.add(() -> {
                committed++;
                core.onFlushed(sealed.flush(), outcome.nextTemplate(), System.nanoTime());
            });
        }

        @Override
        public void failed(Throwable cause) {
            if (dying) {
                deaths.incrementAndGet();
                throw new OutOfMemoryError("made up too");
            }
            events.add(() -> {
                throw new AssertionError(cause);
            });
        }

        @Override
        public void trouble(Supplier<String> what) {
            if (deaf && what.get().isEmpty()) {
                deaf = false;
                throw new IllegalStateException("made up");
            }
            events.add(() -> task.onFlushTrouble(info.id(), 0, core.epoch(), what.get(), System.nanoTime()));
        }
    }

    @BeforeEach
    void start() throws IOException {
        files = new LocalChunkStore(folder);
        ChunkStore failingForOne = (ChunkStore) Proxy.newProxyInstance(
                ChunkStore.class.getClassLoader(), new Class<?>[] {ChunkStore.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("write") && ((String) arguments[0]).startsWith("first-1/")) {
                        hanging.await();
                        if (dying) {
                            throw new OutOfMemoryError("made up");
                        }
                        if (failing) {
                            throw new IOException("no room for " + arguments[0]);
                        }
                    }
                    try {
                        return method.invoke(files, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
        // Its thread ends whenever there is nothing to flush.
        flusher = new Flusher("indexer-0", failingForOne, new FlushMeter(Metrics.unread()), 1);
        assertThat(flusher.threads()).isZero();
        InMemoryCatalogStore store = new InMemoryCatalogStore(new InMemoryCatalogStore.Tree());
        Namespace namespace = new Namespace(store);
        first = new Stream(namespace, store, "first");
        second = new Stream(namespace, store, "second");
        assertThat(first.info.id()).isEqualTo(1);
    }

    @AfterEach
    void end() throws Exception {
        hanging.countDown();
        flusher.close();
        files.close();
    }

    private void runUntil(long aheadNanos, BooleanSupplier reached) throws InterruptedException {
        while (!reached.getAsBoolean()) {
            Runnable event = events.poll(1, TimeUnit.MILLISECONDS);
            while (event != null) {
                event.run();
                event = events.poll();
            }
            task.onTick(System.nanoTime());
            flusher.onTick(System.nanoTime() + aheadNanos);
            first.sendGranted();
            second.sendGranted();
        }
    }

    /** Bytes of the first stream's tuples that are not in chunks, and of what is under way to it. */
    private long taken() {
        return first.core.unflushedTuples() * EagerStream.LAYOUT.rowWidth() + first.core.underWay();
    }

    /** Many times what the pool holds goes through the second stream. */
    private void secondGoesOn(long aheadNanos) throws InterruptedException {
        runUntil(
                aheadNanos,
                () -> first.report != null && !first.report.memory().trouble().isEmpty());
        long held = taken();
        int enough = second.committed + 20;
        runUntil(aheadNanos, () -> second.committed >= enough);
        assertThat(first.committed).isZero();
        // Of tuples: what was granted before is still taken, and may open pages.
        assertThat(taken()).isLessThanOrEqualTo(Math.max(held, POOL / 2) + BLOCK_SLACK);
        assertThat(first.core.unflushedBytes()).isLessThan(POOL);
        assertThat(first.report.memory().unflushedTrees()).isPositive();
    }

    @Test
    void aStreamThatCannotBeFlushedStopsNoOther() throws Exception {
        secondGoesOn(0);
        assertThat(second.report.memory().trouble()).isEmpty();
        assertThat(first.report.memory().trouble()).startsWith("chunks cannot be written: no room for first-1/");
        failing = false;
        runUntil(0, () -> first.committed >= 3);
        assertThat(first.report.memory().trouble()).isEmpty();
    }

    @Test
    void aStreamWhoseFlushHangsStopsNoOther() throws Exception {
        failing = false;
        hanging = new CountDownLatch(1);
        runUntil(0, () -> first.core.unflushedTrees() > 0);
        secondGoesOn(6_000_000_000L);
        assertThat(first.report.memory().trouble()).contains("takes longer than 5 s");
        hanging.countDown();
        runUntil(0, () -> first.committed >= 3);
        assertThat(first.report.memory().trouble()).isEmpty();
    }

    /** Also when nothing can be told of what it ended with. */
    @Test
    void aThreadThatDiesIsFollowedByAnother() throws Exception {
        dying = true;
        runUntil(0, () -> deaths.get() > 0);
        int enough = second.committed + 5;
        runUntil(0, () -> second.committed >= enough);
        assertThat(first.committed).isZero();
        task.remove(first.info.id());
        task.remove(second.info.id());
        // None that has died counts.
        runUntil(0, () -> flusher.threads() == 0);
    }

    /** What was committed leaves its line once, also where who hears of it fails: the next flush is not left out. */
    @Test
    void aListenerThatFailsStopsNoFlush() throws Exception {
        runUntil(
                0,
                () -> first.report != null && !first.report.memory().trouble().isEmpty());
        deaf = true;
        failing = false;
        runUntil(0, () -> first.committed >= 3);
        assertThat(deaf).as("it has failed").isFalse();
        task.remove(first.info.id());
        task.remove(second.info.id());
        runUntil(0, () -> pool.usedBytes() == 0);
    }

    /** As without memory: the flush is tried again all the same. */
    @Test
    void aLineOfTheLogThatFailsStopsNoFlush() throws Exception {
        AtomicInteger lines = new AtomicInteger();
        Filter once = new AbstractFilter() {
            @Override
            public Result filter(Logger logger, Level level, Marker marker, String message, Object... parameters) {
                if (message.contains("trying again in") && lines.getAndIncrement() == 0) {
                    throw new OutOfMemoryError("made up");
                }
                return Result.NEUTRAL;
            }
        };
        LoggerContext log = (LoggerContext) LogManager.getContext(false);
        log.addFilter(once);
        try {
            runUntil(0, () -> lines.get() > 0);
            failing = false;
            runUntil(0, () -> first.committed >= 3);
        } finally {
            log.removeFilter(once);
        }
    }

    @Test
    void oneThatIsClosedLetsGoOfWhatWaits() throws Exception {
        runUntil(
                0,
                () -> first.report != null && !first.report.memory().trouble().isEmpty());
        flusher.close();
        task.remove(first.info.id());
        task.remove(second.info.id());
        assertThat(pool.usedBytes()).isZero();
    }

    @Test
    void aStreamThatIsDroppedWhileItCannotBeFlushedGivesItsMemoryBack() throws Exception {
        runUntil(
                0,
                () -> first.report != null && !first.report.memory().trouble().isEmpty());
        assertThat(first.core.unflushedTrees()).isPositive();
        task.remove(first.info.id());
        task.remove(second.info.id());
        runUntil(0, () -> pool.usedBytes() == 0 && flusher.threads() == 0);
        assertThat(failing).as("no chunk of the first was written").isTrue();
        assertThat(first.committed).isZero();
    }
}
