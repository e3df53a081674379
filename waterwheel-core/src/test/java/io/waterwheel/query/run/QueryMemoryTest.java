package io.waterwheel.query.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.Waiting;
import io.waterwheel.catalog.state.ChunkDescriptor;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.index.PagePool;
import io.waterwheel.index.RandomTuples;
import io.waterwheel.index.Template;
import io.waterwheel.index.TemplateTree;
import io.waterwheel.query.Aggregate;
import io.waterwheel.query.IndexerHeader;
import io.waterwheel.query.NamedExpression;
import io.waterwheel.query.Order;
import io.waterwheel.query.Query;
import io.waterwheel.query.ResultSpec;
import io.waterwheel.query.Subquery;
import io.waterwheel.query.column.RowView;
import io.waterwheel.query.column.Workspace;
import io.waterwheel.query.memory.QueryMemory;
import io.waterwheel.query.memory.Reservation;
import io.waterwheel.query.plan.Endpoints;
import io.waterwheel.query.plan.ResolvedQuery;
import io.waterwheel.query.plan.SnapshotSource;
import io.waterwheel.query.result.Gather;
import io.waterwheel.query.rows.RowCollector;
import io.waterwheel.query.rows.RowCopy;
import io.waterwheel.query.rows.RowSink;
import io.waterwheel.query.scan.IndexerReply;
import io.waterwheel.query.scan.QueryClock;
import io.waterwheel.query.scan.ScanSpec;
import io.waterwheel.query.scan.TreeScan;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TimeInterval;
import io.waterwheel.tuple.TupleBlock;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What queries hold is reserved, as much as it is, and comes back however they end. */
@Timeout(300)
final class QueryMemoryTest {
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
    private static final int CHUNKS = 6;
    private static final int BLOCKS = 32;
    private static final int ROWS = 64;
    private static final int VALUE_BYTES = 1024;

    private final ExecutorService executor = Executors.newCachedThreadPool();

    @AfterEach
    void close() {
        executor.shutdownNow();
    }

    /** What is kept gave way to another query, which asked at the same time, and left room for both. */
    @Test
    void roomThatAnotherQueryMadeIsTaken() {
        QueryMemory memory = new QueryMemory(10, 10);
        Reservation[] kept = new Reservation[1];
        kept[0] = memory.openKept(bytes -> {
            kept[0].release(10);
            return 0;
        });
        kept[0].reserve(10);
        try (Reservation query = memory.open()) {
            query.reserve(5);
            assertThat(memory.reserved()).isEqualTo(5);
        }
    }

    /** Many large answers begin at once; a look-up beside them is answered. */
    @Test
    void theLastEighthIsForQueriesThatHoldLittle() {
        QueryMemory memory = new QueryMemory(16 << 20, 8 << 20);
        List<Reservation> large = new ArrayList<>();
        try {
            for (int query = 0; query < 7; query++) {
                large.add(memory.open());
                large.get(query).reserve(2 << 20);
            }
            assertThat(large.get(0).left()).isZero();
            assertThat(large.get(0).tryReserve(1)).isFalse();
            try (Reservation little = memory.open();
                    Reservation next = memory.open()) {
                little.reserve(512 << 10);
                little.reserve(512 << 10);
                assertThat(little.tryReserve(1)).isFalse();
                next.reserve(1 << 20);
            }
            try (Reservation another = memory.open()) {
                assertThat(another.tryReserve((1 << 20) + 1)).isFalse();
            }
        } finally {
            large.forEach(Reservation::close);
        }
        assertThat(memory.reserved()).isZero();
        // A query that may take all is refused nothing that is there.
        QueryMemory whole = new QueryMemory(16 << 20, 16 << 20);
        try (Reservation query = whole.open()) {
            query.reserve(16 << 20);
        }
    }

    /** Sums all arrays that collectors hold while they take random rows, and compares. */
    @Test
    void whatIsKeptForLaterMakesNoQueryLarge() {
        QueryMemory memory = new QueryMemory(16 << 20, 8 << 20);
        List<Reservation> large = new ArrayList<>();
        try (Reservation query = memory.open();
                Reservation groups = query.part()) {
            assertThat(groups.tryKeep(2 << 20)).isTrue();
            for (int i = 0; i < 6; i++) {
                large.add(memory.open());
                large.get(i).reserve(2 << 20);
            }
            assertThat(large.get(0).tryReserve(1)).isFalse();
            try (Reservation block = query.part()) {
                block.reserve(512 << 10);
            }
            groups.reserve(1 << 20);
            groups.reserve(1);
            assertThat(query.tryReserve(1))
                    .as("beyond the least that is little")
                    .isFalse();
            groups.release(1 << 20);
            assertThat(query.tryReserve(1)).isTrue();
        } finally {
            large.forEach(Reservation::close);
        }
        assertThat(memory.reserved()).isZero();
    }

    @Test
    void collectorsReserveWhatTheyHold() throws Exception {
        for (long seed = 1; seed <= 12; seed++) {
            Random random = new Random(seed);
            RandomTuples tuples = new RandomTuples(random);
            for (ResultSpec result : results(tuples.schema(), random)) {
                collect("seed " + seed + " " + result, tuples, result);
            }
        }
    }

    private static List<ResultSpec> results(Schema schema, Random random) {
        String name =
                schema.fields().get(random.nextInt(schema.fields().size())).name();
        return List.of(
                new ResultSpec.Rows(List.of(), List.of(new Order(name, false)), Query.NO_LIMIT),
                new ResultSpec.Rows(List.of(), List.of(new Order(name, true)), 700),
                new ResultSpec.Latest(1, List.of()),
                new ResultSpec.Latest(2, List.of()),
                new ResultSpec.Aggregates(
                        List.of(Aggregate.count(), Aggregate.parse("max(" + name + ")")),
                        NamedExpression.fields(name),
                        Duration.ofMillis(3)));
    }

    private static void collect(String about, RandomTuples tuples, ResultSpec result) throws Exception {
        QueryMemory memory = new QueryMemory(1 << 30, 1 << 30);
        Gather gather = Gather.of(result, tuples.layout(), tuples.schema(), TimeInterval.ALL, null);
        long[] delivered = {0};
        try (Reservation reservation = memory.open()) {
            Workspace workspace = new Workspace(() -> true, reservation);
            RowCollector collector = gather.collector(
                    rows -> {
                        delivered[0] += rows.size();
                        return true;
                    },
                    workspace);
            long before = HeldArrays.bytes(collector);
            for (int b = 0; b < 12; b++) {
                TupleBlock block = tuples.block(1500, b * 1000L);
                RowView view = RowView.of(block, workspace);
                collector.add(view, IntStream.range(0, block.size()).toArray(), block.size());
                long held = HeldArrays.bytes(collector, block, gather) - before;
                // What was handed over may wait in a block of about 64 KiB, which is not reserved.
                long waits = b > 3 ? 2L * RowCopy.BLOCK_BYTES : 0;
                assertThat(memory.reserved()).as(about).isBetween(held - waits, held * 2 + (64 << 10));
                if (b % 4 == 3) {
                    // As if no row of half of the keys came again.
                    collector.settled(keys(block)[block.size() / 2]);
                }
            }
            collector.finish();
            assertThat(delivered[0]).as(about).isPositive();
        }
        assertThat(memory.reserved()).as(about).isZero();
    }

    private static long[] keys(TupleBlock block) {
        return LongStream.of(block.keys()).limit(block.size()).sorted().toArray();
    }

    @Test
    void scansGiveBackWhatTheyTookAlsoWhenTheyAreRefusedMore() {
        Random random = new Random(1);
        RandomTuples tuples = new RandomTuples(random);
        TemplateTree tree = new TemplateTree(tuples.layout(), Template.single(), new PagePool(1 << 26));
        for (int b = 0; b < 10; b++) {
            tree.insert(tuples.block(1000, b * 1000L), 0, 1000);
        }
        ResultSpec order = new ResultSpec.Rows(
                List.of(), List.of(new Order(tuples.schema().fields().get(0).name(), false)), Query.NO_LIMIT);
        ScanSpec spec = new ScanSpec(
                List.of(KeyInterval.ALL),
                TimeInterval.ALL,
                null,
                null,
                Gather.of(order, tuples.layout(), tuples.schema(), TimeInterval.ALL, null));
        QueryMemory memory = new QueryMemory(1 << 20, 100_000);
        try (Reservation reservation = memory.open()) {
            RowSink sink = new RowSink() {
                @Override
                public boolean accept(TupleBlock rows) {
                    return true;
                }

                @Override
                public Reservation memory() {
                    return reservation;
                }
            };
            assertThatThrownBy(() -> TreeScan.scan(tree, spec, sink))
                    .isInstanceOf(WaterwheelException.class)
                    .hasMessageContaining("one query may take 0.1 MiB");
            assertThat(memory.reserved()).isZero();
            assertThat(TreeScan.scan(tree, ScanSpec.all(tuples.layout()), sink)).isEqualTo(10_000);
            assertThat(memory.reserved()).isZero();
        }
        tree.discard();
    }

    private interface Scan {
        long run(ResolvedQuery resolved, RowSink sink) throws IOException;
    }

    /** Two megabytes of rows, in blocks. */
    private static long wideRows(ResolvedQuery resolved, RowSink sink) {
        byte[] value = new byte[VALUE_BYTES];
        long rows = 0;
        for (int b = 0; b < BLOCKS; b++) {
            TupleBlock part = new TupleBlock(resolved.spec().partLayout(), ROWS);
            for (int row = 0; row < ROWS; row++) {
                Arrays.fill(value, (byte) (b + row));
                LittleEndian.putLong(part.column(0), row * 8, row);
                LittleEndian.putLong(part.column(1), row * 8, row);
                LittleEndian.putLong(part.column(2), row * 8, part.addToArena(value, 0, value.length));
            }
            part.setSize(ROWS);
            rows += ROWS;
            if (!sink.accept(part)) {
                return rows;
            }
        }
        return rows;
    }

    private void run(QueryMemory memory, Query query, CollectedAnswer answer, Scan scan) throws InterruptedException {
        run(memory, query, answer, List.of("q"), scan);
    }

    private void run(QueryMemory memory, Query query, CollectedAnswer answer, List<String> servers, Scan scan)
            throws InterruptedException {
        run(memory, query, answer, servers, 1, scan);
    }

    private void run(
            QueryMemory memory, Query query, CollectedAnswer answer, List<String> servers, int readers, Scan scan)
            throws InterruptedException {
        run(memory, QueryClock.SYSTEM, query, answer, servers, readers, scan);
    }

    private void run(
            QueryMemory memory,
            QueryClock clock,
            Query query,
            CollectedAnswer answer,
            List<String> servers,
            int readers,
            Scan scan)
            throws InterruptedException {
        SnapshotSource snapshots = new KnownSnapshots(KnownSnapshots.ofChunks(STREAM, CHUNKS));
        Endpoints endpoints = new Chunks(servers, readers, scan);
        new QueryRunner(snapshots, id -> endpoints, executor, clock, memory).run(query, answer);
    }

    /** Readers that are given up may be a moment behind. */
    private static void awaitNothing(QueryMemory memory) {
        Waiting.until("nothing is reserved", () -> memory.reserved() == 0);
    }

    @Test
    void theMemoryOfAQueryComesBackHoweverItEnds() throws Exception {
        QueryMemory memory = new QueryMemory(16 << 20, 10 << 20);
        Query all = Query.of("s").withTimeout(Duration.ofSeconds(50));
        Query order = all.withOrderBy(List.of(new Order("x", false)));

        CollectedAnswer refused = new CollectedAnswer();
        run(memory, order, refused, QueryMemoryTest::wideRows);
        assertThat(refused.failure()).hasMessageContaining("one query may take 10.0 MiB");
        assertThat(refused.failure().code()).isEqualTo("QUERY_MEMORY");
        assertThat(refused.failure().kind()).isEqualTo(WaterwheelException.Kind.USER);
        awaitNothing(memory);

        CollectedAnswer streamed = new CollectedAnswer();
        run(memory, all, streamed, QueryMemoryTest::wideRows);
        assertThat(streamed.failed()).isFalse();
        assertThat(streamed.verdict().complete()).isTrue();
        assertThat(streamed.rowCount()).isEqualTo((long) CHUNKS * BLOCKS * ROWS);
        awaitNothing(memory);

        CollectedAnswer first = new CollectedAnswer();
        run(memory, order.withLimit(10), first, QueryMemoryTest::wideRows);
        assertThat(first.rowCount()).isEqualTo(10);
        awaitNothing(memory);

        CollectedAnswer broken = new CollectedAnswer();
        run(memory, all.withTimeout(Duration.ofMillis(300)), broken, (resolved, sink) -> {
            wideRows(resolved, sink);
            throw new IOException("planted");
        });
        assertThat(broken.failure().code()).isEqualTo("INCOMPLETE");
        awaitNothing(memory);

        CollectedAnswer gone = new CollectedAnswer() {
            @Override
            public void rows(TupleBlock block) {
                leave();
            }
        };
        run(memory, all, gone, QueryMemoryTest::wideRows);
        assertThat(!gone.failed() || gone.failure().code().equals("CLIENT_GONE"))
                .isTrue();
        awaitNothing(memory);
    }

    /** Who waits for its client keeps its memory; who comes then is told that others have it. */
    @Test
    void whoComesLastIsRefused() throws Exception {
        QueryMemory memory = new QueryMemory(5 << 20, 5 << 20);
        Query all = Query.of("s").withTimeout(Duration.ofSeconds(50));
        CountDownLatch handedOut = new CountDownLatch(1);
        CountDownLatch read = new CountDownLatch(1);
        CollectedAnswer slow = new CollectedAnswer() {
            @Override
            public void rows(TupleBlock block) {
                super.rows(block);
                handedOut.countDown();
                try {
                    if (!read.await(60, TimeUnit.SECONDS)) {
                        throw new AssertionError("nobody reads");
                    }
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            }
        };
        Future<?> first = executor.submit(() -> {
            run(memory, all, slow, QueryMemoryTest::wideRows);
            return null;
        });
        assertThat(handedOut.await(60, TimeUnit.SECONDS)).isTrue();
        CollectedAnswer second = new CollectedAnswer();
        run(memory, all, second, QueryMemoryTest::wideRows);
        assertThat(second.failure())
                .hasMessageContaining("all queries of a process may take 5.0 MiB, and 2 are answered now");
        read.countDown();
        first.get(60, TimeUnit.SECONDS);
        assertThat(slow.failed()).isFalse();
        assertThat(slow.rowCount()).isEqualTo((long) CHUNKS * BLOCKS * ROWS);
        awaitNothing(memory);
    }

    /** One reader goes on where there is not enough for two; that not even one chunk fits is an error. */
    @Test
    void whatDoesNotFitBesideAnotherIsReadAfterIt() throws Exception {
        Query all = Query.of("s").withTimeout(Duration.ofSeconds(50));
        QueryMemory memory = new QueryMemory(16 << 20, 4 << 20);
        CyclicBarrier both = new CyclicBarrier(2);
        AtomicInteger attempts = new AtomicInteger();
        CollectedAnswer answer = new CollectedAnswer();
        Scan together = (resolved, sink) -> {
            if (attempts.incrementAndGet() > 2) {
                return wideRows(resolved, sink);
            }
            int[] blocks = {0};
            return wideRows(resolved, rows -> {
                if (++blocks[0] == BLOCKS / 2) {
                    await(both);
                }
                return sink.accept(rows);
            });
        };
        run(memory, all, answer, List.of("a", "b"), together);
        assertThat(answer.failed()).isFalse();
        assertThat(answer.verdict().complete()).isTrue();
        assertThat(answer.rowCount()).isEqualTo((long) CHUNKS * BLOCKS * ROWS);
        assertThat(attempts.get()).as("attempts at chunks").isGreaterThan(CHUNKS);
        awaitNothing(memory);

        CollectedAnswer none = new CollectedAnswer();
        run(new QueryMemory(16 << 20, 1 << 20), all, none, List.of("a", "b"), QueryMemoryTest::wideRows);
        assertThat(none.failure().code()).isEqualTo("QUERY_MEMORY");
    }

    /** Two of six are refused; so three at once are tried, whatever else was begun with those. */
    @Test
    void afterARefusalHalfAsManyChunksAreReadAtOnce() throws Exception {
        CyclicBarrier all = new CyclicBarrier(CHUNKS);
        CountDownLatch both = new CountDownLatch(2);
        AtomicInteger attempts = new AtomicInteger();
        QueryMemory memory = new QueryMemory(64 << 20, 32 << 20);
        CollectedAnswer answer = new CollectedAnswer();
        Query query = Query.of("s").withTimeout(Duration.ofMinutes(5));
        run(memory, query, answer, List.of("a"), CHUNKS, (resolved, sink) -> {
            int attempt = attempts.incrementAndGet();
            if (attempt <= CHUNKS) {
                await(all);
                if (attempt <= 2) {
                    sink.memory().reserve(1L << 40);
                }
            } else {
                // With one at a time the other would not come.
                both.countDown();
                await(both);
            }
            return wideRows(resolved, sink);
        });
        assertThat(answer.failed()).isFalse();
        assertThat(answer.rowCount()).isEqualTo((long) CHUNKS * BLOCKS * ROWS);
        assertThat(attempts).hasValue(CHUNKS + 2);
        awaitNothing(memory);
    }

    /** One of four readers is refused memory, and two hang: the others go on without them. */
    @Test
    void readersThatHangDoNotCountForEver() throws Exception {
        CyclicBarrier four = new CyclicBarrier(4);
        AtomicInteger attempts = new AtomicInteger();
        QueryMemory memory = new QueryMemory(64 << 20, 32 << 20);
        CollectedAnswer answer = new CollectedAnswer();
        // A hundred times as fast as the system's: what hangs is given up after seconds.
        QueryClock fast = new QueryClock() {
            @Override
            public long nanos() {
                return System.nanoTime() * 100;
            }

            @Override
            public void sleep(long nanos) throws InterruptedException {
                TimeUnit.NANOSECONDS.sleep(nanos / 100);
            }
        };
        Query query = Query.of("s").withTimeout(Duration.ofHours(9));
        run(memory, fast, query, answer, List.of("a", "b"), 2, (resolved, sink) -> {
            int attempt = attempts.incrementAndGet();
            if (attempt <= 4) {
                await(four);
                if (attempt == 1) {
                    sink.memory().reserve(1L << 40);
                } else if (attempt <= 3) {
                    await(new CountDownLatch(1));
                }
            }
            return wideRows(resolved, sink);
        });
        assertThat(answer.failed()).isFalse();
        assertThat(answer.rowCount()).isEqualTo((long) CHUNKS * BLOCKS * ROWS);
        awaitNothing(memory);
    }

    private static void await(CountDownLatch latch) throws IOException {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    /** What is kept free for blocks of rows would refuse a count that needs some bytes. */
    @Test
    void aQueryReservesRoomForTheAnswerThatItGives() throws Exception {
        Query all = Query.of("s").withTimeout(Duration.ofSeconds(50));
        QueryMemory little = new QueryMemory(256 << 10, 256 << 10);
        CollectedAnswer count = new CollectedAnswer();
        run(little, all.withCount(), count, (resolved, sink) -> 5);
        assertThat(count.failed()).isFalse();
        assertThat(count.rowCount()).isEqualTo(1);
        CollectedAnswer sums = new CollectedAnswer();
        run(little, all.withAggregates(List.of(Aggregate.parse("max(k)"))), sums, (resolved, sink) -> 0);
        assertThat(sums.failed()).isFalse();
        awaitNothing(little);
        CollectedAnswer refused = new CollectedAnswer();
        run(little, all, refused, (resolved, sink) -> 0);
        assertThat(refused.failure().code()).isEqualTo("QUERY_MEMORY");

        QueryMemory least = new QueryMemory(QueryMemory.LEAST_OF_A_QUERY, QueryMemory.LEAST_OF_A_QUERY);
        CollectedAnswer rows = new CollectedAnswer();
        run(least, all, rows, QueryMemoryTest::wideRows);
        assertThat(rows.failed()).isFalse();
        assertThat(rows.rowCount()).isEqualTo((long) CHUNKS * BLOCKS * ROWS);
        awaitNothing(least);
    }

    private static void await(CyclicBarrier barrier) {
        try {
            barrier.await(60, TimeUnit.SECONDS);
        } catch (InterruptedException | BrokenBarrierException | TimeoutException e) {
            throw new AssertionError(e);
        }
    }

    /** A merge that puts millions of rows in order looks whether somebody waits for it. */
    @Test
    void aMergeEndsWhenTheClientIsGone() throws Exception {
        QueryMemory memory = QueryMemory.unlimited();
        CollectedAnswer answer = new CollectedAnswer();
        Gather gather = ResolvedQuery.of(
                        Query.of("s").withSelect(List.of("k")).withOrderBy(List.of(new Order("k", false))), STREAM)
                .spec()
                .gather();
        Random random = new Random(1);
        try (Reservation reservation = memory.open();
                Delivery delivery = new Delivery(
                        answer,
                        gather,
                        false,
                        System.nanoTime() + TimeUnit.MINUTES.toNanos(1),
                        QueryClock.SYSTEM,
                        new AnswerTally(System::nanoTime),
                        reservation)) {
            for (int b = 0; b < 100; b++) {
                TupleBlock part = new TupleBlock(gather.partLayout(), 2048);
                for (int row = 0; row < 2048; row++) {
                    LittleEndian.putLong(part.column(0), row * 8, random.nextLong());
                }
                part.setSize(2048);
                delivery.take(new Part(List.of(part), part.size(), reservation.part()));
                assertThat(delivery.nobodyWaits()).isFalse();
            }
            answer.leave();
            assertThatThrownBy(delivery::finish)
                    .isInstanceOfSatisfying(
                            WaterwheelException.class, e -> assertThat(e.code()).isEqualTo("CLIENT_GONE"));
            assertThat(answer.rowCount()).isZero();
        }
        assertThat(memory.reserved()).isZero();
    }

    /** Query servers that read all chunks, and an indexer that has nothing. */
    private record Chunks(List<String> servers, int readers, Scan scan) implements Endpoints {
        @Override
        public Indexer indexer(int indexer) {
            return (subquery, resolved, deadline, givenUp) -> new IndexerReply() {
                @Override
                public IndexerHeader header() {
                    return new IndexerHeader(IndexerHeader.Outcome.ANSWER, "", 1, new long[] {10}, false, List.of());
                }

                @Override
                public long rows(RowSink sink) {
                    return 0;
                }

                @Override
                public long[] shown() {
                    return header().watermarks();
                }

                @Override
                public void close() {}
            };
        }

        @Override
        public List<QueryServer> queryServers() {
            return servers.stream().map(this::server).toList();
        }

        private QueryServer server(String name) {
            return new QueryServer() {
                @Override
                public String name() {
                    return name;
                }

                @Override
                public String host() {
                    return "h";
                }

                @Override
                public int readers() {
                    return readers;
                }

                @Override
                public long scan(Subquery.OfChunk subquery, ResolvedQuery resolved, RowSink sink, long deadlineNanos)
                        throws IOException {
                    return scan.run(resolved, sink);
                }
            };
        }

        @Override
        public Map<String, List<String>> replicas(List<ChunkDescriptor> chunks) {
            return Map.of();
        }
    }
}
