package io.waterwheel.query.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.Rounds;
import io.waterwheel.Waiting;
import io.waterwheel.catalog.state.ChunkDescriptor;
import io.waterwheel.catalog.state.Edit;
import io.waterwheel.catalog.state.IndexerCheckpoint;
import io.waterwheel.catalog.state.RoutingTable;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.catalog.state.StreamSnapshot;
import io.waterwheel.chunk.ChunkWriter;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.index.PagePool;
import io.waterwheel.index.Template;
import io.waterwheel.index.TemplateTree;
import io.waterwheel.query.Explain;
import io.waterwheel.query.Query;
import io.waterwheel.query.ScanStatistics;
import io.waterwheel.query.Subquery;
import io.waterwheel.query.memory.QueryMemory;
import io.waterwheel.query.plan.Endpoints;
import io.waterwheel.query.plan.ResolvedQuery;
import io.waterwheel.query.rows.RowSink;
import io.waterwheel.query.scan.ChunkCache;
import io.waterwheel.query.scan.ChunkScan;
import io.waterwheel.query.scan.QueryClock;
import io.waterwheel.query.scan.ScanSpec;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.store.LocalChunkStore;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Chunks of four megabytes, read piece by piece, as fast as the client takes rows. */
@Timeout(300)
final class ChunkPiecesTest {
    private static final StreamInfo STREAM = new StreamInfo(
            "s",
            1,
            new Schema(
                    List.of(
                            new Field("k", FieldType.LONG, false),
                            new Field("t", FieldType.TIMESTAMP, false),
                            new Field("x", FieldType.STRING, false)),
                    new KeySpec.Ordered("k"),
                    "t"),
            RecordFormat.BLOCK,
            "s",
            1,
            1);
    private static final RowLayout LAYOUT = RowLayout.of(STREAM.schema());
    private static final int CHUNKS = 3;
    private static final int ROWS = 40_000;
    private static final int LEAVES = (ROWS + 2047) / 2048;
    private static final byte[] VALUE = new byte[80];
    private static final Query ALL = Query.of("s").withTimeout(Duration.ofSeconds(50));

    /** What a transport takes before its client has read anything. */
    private static final long WINDOW_BYTES = 1 << 20;

    @TempDir
    static Path folder;

    private static LocalChunkStore store;
    private static List<ChunkDescriptor> chunks;
    private static StreamSnapshot snapshot;
    private static ExecutorService executor;

    @BeforeAll
    static void write() throws IOException {
        executor = Executors.newCachedThreadPool();
        store = new LocalChunkStore(folder);
        chunks = new ArrayList<>();
        for (int c = 0; c < CHUNKS; c++) {
            TemplateTree tree = new TemplateTree(LAYOUT, Template.single(), new PagePool(1 << 26));
            TupleBlock block = new TupleBlock(LAYOUT, ROWS);
            for (int row = 0; row < ROWS; row++) {
                block.keys()[row] = (long) row * CHUNKS + c;
                block.times()[row] = row;
                LittleEndian.putLong(block.column(0), row * 8, block.addToArena(VALUE, 0, VALUE.length));
            }
            block.setSize(ROWS);
            tree.insert(block, 0, ROWS);
            String file = "c" + c;
            store.write(file, new ChunkWriter().encode(tree, STREAM.schema()).content());
            chunks.add(new ChunkDescriptor(file, 0, 1, 1, c, ROWS, 1, tree.region()));
            tree.discard();
        }
        snapshot = StreamSnapshot.before(STREAM)
                .apply(1, new Edit.Created(RoutingTable.even(1, KeyInterval.ALL, 1), List.of(0L)))
                .apply(2, new Edit.Started(0, 1))
                .apply(3, new Edit.Flushed(0, new IndexerCheckpoint(1, 1, new long[] {10}, 0), chunks));
    }

    @AfterAll
    static void close() {
        executor.shutdownNow();
    }

    /** What goes wrong with a block that a server has read; nothing, as a rule. */
    private interface Trouble {
        void with(String server, Subquery.OfChunk subquery) throws IOException;
    }

    /** Keeps which keys came, each once. */
    private static class Client extends CollectedAnswer {
        final BitSet keys = new BitSet();
        long bytes;

        @Override
        protected void take(TupleBlock block) {
            for (long key : longs(block, 0)) {
                assertThat(keys.get((int) key)).as("row %s came before", key).isFalse();
                keys.set((int) key);
            }
            bytes += block.allocatedBytes();
        }
    }

    private static void run(QueryMemory memory, Query query, CollectedAnswer answer, int servers, Trouble trouble)
            throws InterruptedException {
        ChunkScan scan = new ChunkScan(store, new ChunkCache(64 << 20));
        List<Endpoints.QueryServer> all = new ArrayList<>();
        for (int s = 0; s < servers; s++) {
            all.add(new Server("q" + s, scan, trouble));
        }
        new QueryRunner(new KnownSnapshots(snapshot), id -> new Servers(all), executor, QueryClock.SYSTEM, memory)
                .runOnChunks(query, snapshot, chunks, answer);
    }

    private static void checkWhole(Client answer) {
        assertThat(answer.verdict().complete()).isTrue();
        assertThat(answer.verdict().tuples()).isEqualTo((long) CHUNKS * ROWS);
        assertThat(answer.keys.cardinality()).isEqualTo(CHUNKS * ROWS);
        assertThat(answer.verdict().statistics().chunksRead()).isEqualTo(CHUNKS);
        ScanStatistics looked = answer.verdict().statistics().inChunks();
        assertThat(looked.leaves()).isEqualTo((long) CHUNKS * LEAVES);
        assertThat(looked.read()).isEqualTo((long) CHUNKS * LEAVES);
        assertThat(looked.tuples()).isEqualTo((long) CHUNKS * ROWS);
    }

    /** Servers break off in the middle of a piece, and others go on; nothing is lost, nothing comes twice. */
    @Test
    void whoeverReadsAPieceTheAnswerIsTheSame() throws Exception {
        long first = Long.getLong("seed", 1);
        int seeds = Rounds.of(10, 500);
        for (long seed = first; seed < first + seeds; seed++) {
            try {
                Random random = new Random(seed);
                int servers = 1 + random.nextInt(3);
                int[] failures = {random.nextInt(8)};
                QueryMemory memory = new QueryMemory(64 << 20, 8 << 20);
                Client answer = new Client();
                run(memory, ALL, answer, servers, (server, subquery) -> {
                    synchronized (failures) {
                        if (random.nextInt(20) == 0 && failures[0] > 0) {
                            failures[0]--;
                            if (random.nextBoolean()) {
                                throw new WaterwheelException(ErrorCode.SUBQUERY_FAILED, "planted");
                            }
                            throw new IOException("planted");
                        }
                    }
                });
                checkWhole(answer);
                Waiting.until("nothing is reserved", () -> memory.reserved() == 0);
            } catch (AssertionError | Exception e) {
                throw new AssertionError("-Dtest=ChunkPiecesTest -Dseeds=1 -Dseed=" + seed, e);
            }
        }
    }

    private record Attempt(String server, Subquery.OfChunk subquery) {}

    /** A server hangs in a piece; another reads it too, and goes on. Then the first has it after all: that is void. */
    @Test
    void ofTwoAttemptsAtOnePieceOneCounts() throws Exception {
        AtomicReference<Attempt> hung = new AtomicReference<>();
        CountDownLatch passed = new CountDownLatch(1);
        Client answer = new Client();
        QueryMemory memory = new QueryMemory(64 << 20, 8 << 20);
        run(memory, ALL, answer, 2, (server, subquery) -> {
            int leaf = subquery.piece().fromLeaf();
            if (leaf > 0 && hung.compareAndSet(null, new Attempt(server, subquery))) {
                try {
                    assertThat(passed.await(50, TimeUnit.SECONDS)).isTrue();
                } catch (InterruptedException e) {
                    throw new IOException("ended while it hung", e);
                }
            }
            Attempt first = hung.get();
            if (first != null
                    && !first.server().equals(server)
                    && first.subquery().file().equals(subquery.file())
                    && first.subquery().piece().fromLeaf() < leaf) {
                passed.countDown();
            }
        });
        assertThat(passed.getCount()).as("the piece was read by another").isZero();
        checkWhole(answer);
        Waiting.until("nothing is reserved", () -> memory.reserved() == 0);
    }

    /** Where all rows match, a piece has one leaf more than its bytes at most, and what a block holds back. */
    @Test
    void aPieceEndsSoonAfterItsBytes() throws Exception {
        ChunkScan scan = new ChunkScan(store, new ChunkCache(64 << 20));
        long[] leafBytes = {0};
        for (long bytes : new long[] {1, 1 << 20, 2 << 20}) {
            long[] handedOver = {0};
            long unused = scan.scan("c0", LAYOUT, ScanSpec.all(LAYOUT), new Subquery.Piece(0, bytes), block -> {
                handedOver[0] += block.allocatedBytes();
                return true;
            });
            if (bytes == 1) {
                leafBytes[0] = handedOver[0];
            }
            assertThat(handedOver[0]).as("of %s bytes", bytes).isLessThan(bytes + 2 * leafBytes[0]);
        }
    }

    /** The limit is met in the first piece of a chunk: its other leaves are left, and count all the same. */
    @Test
    void leavesOfPiecesThatWereNotReadAreLeft() throws Exception {
        Client answer = new Client();
        run(new QueryMemory(64 << 20, 8 << 20), ALL.withLimit(100), answer, 1, (server, subquery) -> {});
        assertThat(answer.verdict().tuples()).isEqualTo(100);
        ScanStatistics looked = answer.verdict().statistics().inChunks();
        long chunksRead = answer.verdict().statistics().chunksRead();
        assertThat(looked.leaves()).isEqualTo(chunksRead * LEAVES);
        assertThat(looked.left()).isEqualTo(chunksRead * LEAVES - looked.read()).isPositive();
    }

    @Test
    void whatIsNoPlanIsNotExplained() {
        QueryMemory memory = new QueryMemory(64 << 20, 8 << 20);
        assertThatThrownBy(() -> run(memory, ALL.withExplain(Explain.PLAN), new Client(), 1, (server, subquery) -> {}))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("a query of given chunks is not explained: they are no plan's choice");
        assertThat(memory.reserved()).isZero();
    }

    @Test
    void aPieceBeyondTheChunkIsRefused() {
        ChunkScan scan = new ChunkScan(store, new ChunkCache(64 << 20));
        assertThatThrownBy(() -> scan.scan(
                        "c0", LAYOUT, ScanSpec.all(LAYOUT), new Subquery.Piece(LEAVES, 1 << 20), block -> true))
                .isInstanceOf(IOException.class)
                .hasMessage("asked for a piece of a chunk from leaf 20 on; the chunk has leaves 0 to 19");
    }

    /** A client that takes nothing once its transport is full. */
    private static final class Unread extends Client {
        final CountDownLatch waits = new CountDownLatch(1);
        final CountDownLatch reads = new CountDownLatch(1);
        private volatile ClientWait told;
        private volatile boolean full;

        @Override
        protected void take(TupleBlock block) {
            super.take(block);
            if (bytes < WINDOW_BYTES || reads.getCount() == 0) {
                return;
            }
            full = true;
            told.begin(reads::countDown);
            waits.countDown();
            try {
                assertThat(reads.await(60, TimeUnit.SECONDS)).isTrue();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            } finally {
                full = false;
                told.end();
            }
        }

        @Override
        public void whileWaiting(ClientWait who) {
            told = who;
        }

        @Override
        public boolean ready() {
            return !full;
        }
    }

    @Test
    void anAnswerThatNobodyTakesHoldsLittle() throws Exception {
        QueryMemory memory = new QueryMemory(64 << 20, 32 << 20);
        AtomicInteger blocks = new AtomicInteger();
        AtomicLong most = new AtomicLong();
        Unread client = new Unread();
        Future<?> asked = executor.submit(() -> {
            run(memory, ALL, client, 1, (server, subquery) -> {
                blocks.incrementAndGet();
                most.accumulateAndGet(memory.reserved(), Math::max);
            });
            return null;
        });
        assertThat(client.waits.await(60, TimeUnit.SECONDS)).isTrue();
        Waiting.until("what is read is merged", () -> blocks.get() > 0 && memory.reserved() < 5 << 18);
        // Of the columns that are read, and not yet rows of the answer.
        assertThat(most.get()).isLessThan(3 << 20);
        client.reads.countDown();
        asked.get(60, TimeUnit.SECONDS);
        checkWhole(client);
        assertThat(memory.reserved()).isZero();
    }

    /** Of many that take nothing the first make way, and are told; who reads gets all. */
    @Test
    void thoseWhoDoNotReadLeaveMemoryToThoseWhoDo() throws Exception {
        QueryMemory memory = new QueryMemory(16 << 20, 8 << 20, Duration.ZERO);
        List<Unread> unread = new ArrayList<>();
        List<Future<?>> asked = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            Unread client = new Unread();
            unread.add(client);
            asked.add(executor.submit(() -> {
                run(memory, ALL, client, 2, (server, subquery) -> {});
                return null;
            }));
            assertThat(client.waits.await(60, TimeUnit.SECONDS)).isTrue();
            Client reads = new Client();
            run(memory, ALL, reads, 2, (server, subquery) -> {});
            checkWhole(reads);
        }
        unread.forEach(CollectedAnswer::leave);
        unread.forEach(client -> client.reads.countDown());
        for (Future<?> one : asked) {
            one.get(60, TimeUnit.SECONDS);
        }
        List<WaterwheelException> madeWay = unread.stream()
                .filter(CollectedAnswer::failed)
                .map(CollectedAnswer::failure)
                .filter(failure -> !failure.is(ErrorCode.CLIENT_GONE))
                .toList();
        assertThat(madeWay).hasSizeBetween(1, 26).allSatisfy(failure -> {
            assertThat(failure.code()).isEqualTo("CLIENT_SLOW");
            assertThat(failure).hasMessageContaining("may hold 8.0 MiB together");
        });
        assertThat(memory.reserved()).isZero();
    }

    private record Server(String name, ChunkScan scan, Trouble trouble) implements Endpoints.QueryServer {
        @Override
        public String host() {
            return "h";
        }

        @Override
        public long scan(Subquery.OfChunk subquery, ResolvedQuery resolved, RowSink sink, long deadlineNanos)
                throws IOException {
            IOException[] met = {null};
            long found = scan.scan(subquery.file(), LAYOUT, resolved.spec(), subquery.piece(), new RowSink() {
                @Override
                public boolean accept(TupleBlock rows) {
                    try {
                        trouble.with(name, subquery);
                    } catch (IOException e) {
                        met[0] = e;
                        return false;
                    }
                    return sink.accept(rows);
                }

                @Override
                public boolean wanted() {
                    return sink.wanted();
                }

                @Override
                public io.waterwheel.query.memory.Reservation memory() {
                    return sink.memory();
                }

                @Override
                public void scanned(ScanStatistics what) {
                    sink.scanned(what);
                }

                @Override
                public void pausedAt(int leaf) {
                    sink.pausedAt(leaf);
                }
            });
            if (met[0] != null) {
                throw met[0];
            }
            return found;
        }
    }

    private record Servers(List<QueryServer> queryServers) implements Endpoints {
        @Override
        public @Nullable Indexer indexer(int indexer) {
            return null;
        }

        @Override
        public Map<String, List<String>> replicas(List<ChunkDescriptor> chunks) {
            return Map.of();
        }
    }

    static {
        Arrays.fill(VALUE, (byte) 'x');
    }
}
