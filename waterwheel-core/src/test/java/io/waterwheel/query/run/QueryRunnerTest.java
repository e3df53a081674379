package io.waterwheel.query.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.catalog.state.ChunkDescriptor;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.chunk.encoding.CorruptChunkException;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.index.FreshView;
import io.waterwheel.protocol.Control;
import io.waterwheel.query.IndexerHeader;
import io.waterwheel.query.Query;
import io.waterwheel.query.SessionPositions;
import io.waterwheel.query.Subquery;
import io.waterwheel.query.memory.QueryMemory;
import io.waterwheel.query.plan.Endpoints;
import io.waterwheel.query.plan.IndexerReports;
import io.waterwheel.query.plan.ResolvedQuery;
import io.waterwheel.query.plan.SnapshotSource;
import io.waterwheel.query.rows.RowSink;
import io.waterwheel.query.scan.FreshReader;
import io.waterwheel.query.scan.IndexerReply;
import io.waterwheel.query.scan.QueryClock;
import io.waterwheel.query.scan.ViewHolder;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.Region;
import io.waterwheel.tuple.TimeInterval;
import io.waterwheel.tuple.TupleBlock;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
final class QueryRunnerTest {
    private static final StreamInfo STREAM = new StreamInfo(
            "s",
            1,
            new Schema(
                    List.of(new Field("k", FieldType.LONG, false), new Field("t", FieldType.TIMESTAMP, false)),
                    new KeySpec.Ordered("k"),
                    "t"),
            RecordFormat.BLOCK,
            "s",
            1,
            1);
    private static final int CHUNKS = 5;

    private final ExecutorService executor = Executors.newCachedThreadPool();
    private final List<String> read = new ArrayList<>();

    @AfterEach
    void close() {
        executor.shutdownNow();
    }

    /** What a fake query server does with a chunk. */
    private interface Scan {
        long run(Subquery.OfChunk subquery, ResolvedQuery resolved, RowSink sink) throws IOException;
    }

    @Test
    void anIndexerElsewhereIsNotWaitedForOnceTheReceiverIsGone() throws Exception {
        CollectedAnswer answer = new CollectedAnswer();
        CountDownLatch interrupted = new CountDownLatch(1);
        Endpoints.Indexer silent = new Endpoints.Indexer() {
            @Override
            public IndexerReply ask(
                    Subquery.OfIndexer subquery, ResolvedQuery resolved, long deadlineNanos, BooleanSupplier givenUp)
                    throws InterruptedException {
                answer.leave();
                try {
                    new CountDownLatch(1).await();
                } catch (InterruptedException e) {
                    interrupted.countDown();
                    throw e;
                }
                return new NoRows();
            }

            @Override
            public boolean isHere() {
                return false;
            }
        };
        Query query = Query.of("s").withTimeout(Duration.ofMinutes(50));
        new QueryRunner(snapshots(Map.of()), id -> endpoints(Map.of(), silent), executor).run(query, answer);
        assertThat(answer.failure().code()).isEqualTo("CLIENT_GONE");
        interrupted.await();
    }

    @Test
    void whatWasSeenOfAnotherStreamOfTheNameIsNotDemanded() throws Exception {
        StreamInfo later = new StreamInfo("s", 2, STREAM.schema(), RecordFormat.BLOCK, "s", 1, 1);
        AtomicInteger asked = new AtomicInteger();
        Endpoints.Indexer demandsNothing = (subquery, resolved, deadline, givenUp) -> {
            asked.incrementAndGet();
            assertThat(subquery.demand()).containsExactly(Long.MIN_VALUE);
            return new NoRows();
        };
        Endpoints.Indexer demandsIt = (subquery, resolved, deadline, givenUp) -> {
            asked.incrementAndGet();
            assertThat(subquery.demand()).containsExactly(7);
            return new NoRows();
        };
        Map<Integer, Long> positions = Map.of(0, 7L);
        assertThat(streamOf(snapshots(later, later, Map.of()), new SessionPositions(1, positions), demandsNothing))
                .isEqualTo(2);
        assertThat(streamOf(snapshots(later, later, Map.of()), new SessionPositions(1, Map.of(7, 1L)), demandsNothing))
                .as("of a partition that it does not have")
                .isEqualTo(2);
        assertThat(streamOf(snapshots(later, later, Map.of()), new SessionPositions(2, positions), demandsIt))
                .isEqualTo(2);
        assertThat(streamOf(
                        snapshots(later, later, Map.of()),
                        new SessionPositions(SessionPositions.ANY, positions),
                        demandsIt))
                .isEqualTo(2);
        assertThat(streamOf(snapshots(STREAM, later, Map.of()), new SessionPositions(2, positions), demandsIt))
                .as("a coordinator that has not heard of the later one")
                .isEqualTo(2);
        assertThat(asked).hasValue(5);
    }

    /** Id of the stream that answers. */
    private int streamOf(SnapshotSource snapshots, SessionPositions seen, Endpoints.Indexer indexer) throws Exception {
        CollectedAnswer answer = new CollectedAnswer();
        Query query = Query.of("s").withSeen(seen).withTimes(new TimeInterval(10_000, 20_000));
        new QueryRunner(snapshots, id -> endpoints(Map.of(), indexer), executor).run(query, answer);
        assertThat(answer.failed()).isFalse();
        return answer.verdict().streamId();
    }

    @Test
    void anIndexerHereStopsWaitingOnceItIsGivenUp() throws Exception {
        ViewHolder slot = new ViewHolder();
        slot.publish(new FreshView(
                1, 0, 0, List.of(), new long[] {10}, new long[] {0}, 1, false, new long[] {0}, new AtomicLongArray(1)));
        AtomicInteger looks = new AtomicInteger();
        Subquery.OfIndexer subquery =
                new Subquery.OfIndexer(Query.of("s").withTimeout(Duration.ofMinutes(50)), 1, 0, 1, 0, new long[] {20});
        try (IndexerReply reply = new FreshReader(slot, Long.MAX_VALUE)
                .ask(
                        subquery,
                        ResolvedQuery.of(subquery.query(), STREAM).spec(),
                        System.nanoTime() + Duration.ofMinutes(50).toNanos(),
                        () -> looks.incrementAndGet() == 2)) {
            assertThat(reply.header().outcome()).isEqualTo(IndexerHeader.Outcome.LATE);
        }
        assertThat(looks).hasValue(2);
    }

    private CollectedAnswer ask(Query query, Scan scan) throws InterruptedException {
        return ask(query, Map.of(), endpoints(Map.of("q", scan), QueryRunnerTest::nothingFresh));
    }

    private CollectedAnswer ask(Query query, Map<Integer, IndexerReports> reports, Endpoints endpoints)
            throws InterruptedException {
        CollectedAnswer answer = new CollectedAnswer();
        new QueryRunner(snapshots(reports), id -> endpoints, executor).run(query, answer);
        return answer;
    }

    /** Once every server has met it: no time of the query is spent on asking again. */
    @Test
    void aDamagedChunkFailsTheQueryAtOnce() throws Exception {
        Scan damaged = (subquery, resolved, sink) -> {
            if (subquery.file().equals("c3")) {
                throw new CorruptChunkException("c3", "leaf 1", 9, "checksum 1", "2");
            }
            return threeRows(subquery, resolved, sink);
        };
        for (boolean partial : new boolean[] {false, true}) {
            CollectedAnswer answer = new CollectedAnswer();
            Endpoints endpoints = endpoints(Map.of("a", damaged, "b", damaged), QueryRunnerTest::nothingFresh);
            Query whole = Query.of("s").withTimeout(Duration.ofHours(1));
            Query query = partial ? whole.withPartialAllowed() : whole;
            new QueryRunner(snapshots(Map.of()), id -> endpoints, executor).run(query, answer);
            if (partial) {
                assertThat(answer.verdict().complete()).isFalse();
                assertThat(answer.verdict().missing())
                        .singleElement()
                        .asString()
                        .contains("c3", "leaf 1");
            } else {
                assertThat(answer.failure().kind()).isEqualTo(WaterwheelException.Kind.CORRUPT);
                assertThat(answer.failure()).hasMessageContaining("chunk c3 is damaged: leaf 1");
            }
        }
    }

    /** To ask again would meet it again, and take the next server along. */
    @Test
    void anErrorOfAReaderIsNotSomethingToAskAgainFor() throws Exception {
        for (Error error : List.of(new OutOfMemoryError("planted"), new StackOverflowError("planted"))) {
            CollectedAnswer answer = new CollectedAnswer();
            Endpoints endpoints = endpoints(
                    Map.of("a", (subquery, resolved, sink) -> {
                        throw error;
                    }),
                    QueryRunnerTest::nothingFresh);
            Query query = Query.of("s").withTimeout(Duration.ofHours(1));
            new QueryRunner(snapshots(Map.of()), id -> endpoints, executor).run(query, answer);
            boolean memory = error instanceof OutOfMemoryError;
            assertThat(answer.failure().code()).isEqualTo(memory ? "QUERY_MEMORY" : "BUG");
            assertThat(answer.failure().kind())
                    .isEqualTo(memory ? WaterwheelException.Kind.USER : WaterwheelException.Kind.BUG);
        }
    }

    private static SnapshotSource snapshots(Map<Integer, IndexerReports> reports) {
        return snapshots(STREAM, STREAM, reports);
    }

    /** @param known until it is refreshed */
    private static SnapshotSource snapshots(
            StreamInfo known, StreamInfo refreshed, Map<Integer, IndexerReports> reports) {
        return new KnownSnapshots(
                KnownSnapshots.ofChunks(known, CHUNKS), KnownSnapshots.ofChunks(refreshed, CHUNKS), reports);
    }

    private Endpoints.QueryServer server(String name, int readers, Scan scan) {
        return new Endpoints.QueryServer() {
            @Override
            public int readers() {
                return readers;
            }

            @Override
            public String name() {
                return name;
            }

            @Override
            public String host() {
                return "h";
            }

            @Override
            public long scan(Subquery.OfChunk subquery, ResolvedQuery resolved, RowSink sink, long deadlineNanos)
                    throws IOException {
                synchronized (read) {
                    read.add(subquery.file());
                }
                return scan.run(subquery, resolved, sink);
            }
        };
    }

    private static IndexerReply nothingFresh(
            Subquery.OfIndexer subquery, ResolvedQuery resolved, long deadlineNanos, BooleanSupplier givenUp) {
        return new NoRows();
    }

    private Endpoints endpoints(Map<String, Scan> scans, Endpoints.Indexer fresh) {
        return endpoints(scans, 1, fresh);
    }

    private Endpoints endpoints(Map<String, Scan> scans, int readers, Endpoints.Indexer fresh) {
        List<Endpoints.QueryServer> servers = new ArrayList<>();
        scans.forEach((name, scan) -> servers.add(server(name, readers, scan)));
        return new Endpoints() {
            @Override
            public Indexer indexer(int indexer) {
                return fresh;
            }

            @Override
            public List<QueryServer> queryServers() {
                return servers;
            }

            @Override
            public Map<String, List<String>> replicas(List<ChunkDescriptor> chunks) {
                return Map.of();
            }
        };
    }

    @Test
    void anIndexerThatCannotStartSaysWhy() throws Exception {
        for (String why : List.of("", "KAFKA_UNAVAILABLE: topic t: Kafka at k:9092: describe topic t failed")) {
            Endpoints away = new Endpoints() {
                @Override
                public @Nullable Indexer indexer(int indexer) {
                    return null;
                }

                @Override
                public String absence(int indexer) {
                    return why;
                }

                @Override
                public List<QueryServer> queryServers() {
                    return List.of();
                }

                @Override
                public Map<String, List<String>> replicas(List<ChunkDescriptor> chunks) {
                    return Map.of();
                }
            };
            CollectedAnswer answer = new CollectedAnswer();
            Query query = Query.of("s").withTimeout(Duration.ofMillis(50));
            new QueryRunner(snapshots(Map.of()), id -> away, executor).run(query, answer);
            assertThat(answer.failure())
                    .hasMessageContaining(
                            "indexer 0: " + (why.isEmpty() ? "no worker hosts it at present" : "cannot start: " + why));
        }
    }

    static final class NoRows implements IndexerReply {
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
    }

    /** Three rows of key 7, the last of the chunk's times, as a part of the answer. */
    private static long threeRows(Subquery.OfChunk subquery, ResolvedQuery resolved, RowSink sink) {
        TupleBlock part = new TupleBlock(resolved.spec().partLayout(), 3);
        long last = Long.parseLong(subquery.file().substring(1)) * 100 + 99;
        for (int row = 0; row < 3; row++) {
            for (int c = 0; c < part.layout().columns(); c++) {
                // Fields k and t, then key and time when the newest are asked for.
                LittleEndian.putLong(part.column(c), row * 8, c % 2 == 0 ? 7 : last - row);
            }
        }
        part.setSize(3);
        sink.accept(part);
        return 3;
    }

    /** Rows for as long as they are wanted; time is up just after the first. */
    private static long endless(ResolvedQuery resolved, RowSink sink, StandingClock clock) {
        long rows = 0;
        boolean more = true;
        while (more) {
            TupleBlock part = new TupleBlock(resolved.spec().partLayout(), 1);
            part.setSize(1);
            rows++;
            more = sink.accept(part);
            clock.sleep(resolved.query().timeout().toNanos());
        }
        return rows;
    }

    /** No time passes but what is slept. */
    private static final class StandingClock implements QueryClock {
        private final AtomicLong now = new AtomicLong();

        @Override
        public long nanos() {
            return now.get();
        }

        @Override
        public void sleep(long nanos) {
            now.addAndGet(nanos);
        }
    }

    private CollectedAnswer askOfEndless(Query query) throws InterruptedException {
        StandingClock clock = new StandingClock();
        Scan scan = (subquery, resolved, sink) -> endless(resolved, sink, clock);
        Endpoints endpoints = endpoints(Map.of("q", scan), QueryRunnerTest::nothingFresh);
        CollectedAnswer answer = new CollectedAnswer();
        new QueryRunner(snapshots(Map.of()), id -> endpoints, executor, clock, QueryMemory.unlimited())
                .run(query, answer);
        return answer;
    }

    @Test
    void aScanThatTheDeadlineCutsIsNotWhole() throws Exception {
        Query query = Query.of("s").withTimeout(Duration.ofMillis(30));
        CollectedAnswer failed = askOfEndless(query);
        assertThat(failed.failed()).isTrue();
        assertThat(failed.failure()).hasMessageContaining("out of time");
        assertThat(failed.failure().code()).isEqualTo("INCOMPLETE");
        // What was counted so far is no answer.
        CollectedAnswer counted = askOfEndless(query.withCount());
        assertThat(counted.failure().code()).isEqualTo("INCOMPLETE");
        assertThat(counted.rowCount()).isZero();
        CollectedAnswer partial = askOfEndless(query.withPartialAllowed());
        assertThat(partial.verdict().complete()).isFalse();
        assertThat(partial.verdict().missing()).hasSize(CHUNKS);
    }

    @Test
    void whatIsWrongWithTheQueryIsNotTriedAgain() throws Exception {
        CollectedAnswer failed = ask(Query.of("s"), (subquery, resolved, sink) -> {
            throw new WaterwheelException(ErrorCode.INTEGER_OVERFLOW, "too large");
        });
        assertThat(failed.failure().code()).isEqualTo("INTEGER_OVERFLOW");
        assertThat(read).hasSize(1);
    }

    /** Hangs until it is interrupted; what to throw then. */
    private static IOException hang(CountDownLatch interrupted) {
        try {
            new CountDownLatch(1).await();
            throw new IllegalStateException("nobody ends this");
        } catch (InterruptedException e) {
            interrupted.countDown();
            return new IOException("interrupted", e);
        }
    }

    @Test
    void whatAServerThatHangsShouldReadIsReadByAnother() throws Exception {
        CountDownLatch interrupted = new CountDownLatch(1);
        AtomicBoolean hangs = new AtomicBoolean();
        // One chunk, whoever gets it, is never read to its end; the server does nothing else.
        Scan scan = (subquery, resolved, sink) -> {
            if (subquery.file().equals("c2") && hangs.compareAndSet(false, true)) {
                throw hang(interrupted);
            }
            return threeRows(subquery, resolved, sink);
        };
        CollectedAnswer answer = ask(
                Query.of("s").withTimeout(Duration.ofMinutes(5)),
                Map.of(),
                endpoints(Map.of("a", scan, "b", scan, "c", scan), QueryRunnerTest::nothingFresh));
        assertThat(answer.verdict().complete()).isTrue();
        assertThat(answer.verdict().tuples()).isEqualTo(3 * CHUNKS);
        assertThat(answer.rowCount()).isEqualTo(3 * CHUNKS);
        assertThat(read).contains("c0", "c1", "c3", "c4").hasSizeGreaterThan(CHUNKS);
        assertThat(interrupted.await(1, TimeUnit.MINUTES)).isTrue();
    }

    @Test
    void aServerThatHangsHoldsUpNobodyWhoHasEnough() throws Exception {
        CountDownLatch interrupted = new CountDownLatch(1);
        CollectedAnswer answer = ask(
                Query.of("s").withLimit(3).withTimeout(Duration.ofMinutes(5)),
                Map.of(),
                endpoints(
                        Map.of("a", QueryRunnerTest::threeRows, "b", (subquery, resolved, sink) -> {
                            throw hang(interrupted);
                        }),
                        QueryRunnerTest::nothingFresh));
        assertThat(answer.rowCount()).isEqualTo(3);
        // Or it was not begun before there was enough.
        assertThat(answer.verdict().complete()).isTrue();
    }

    @Test
    void aFailureIsToldThoughAServerHangs() throws Exception {
        CountDownLatch interrupted = new CountDownLatch(1);
        CountDownLatch hanging = new CountDownLatch(1);
        CollectedAnswer failed = ask(
                Query.of("s").withTimeout(Duration.ofMinutes(5)),
                Map.of(),
                endpoints(
                        Map.of(
                                "a",
                                (subquery, resolved, sink) -> {
                                    try {
                                        hanging.await();
                                    } catch (InterruptedException e) {
                                        throw new IOException(e);
                                    }
                                    throw new WaterwheelException(ErrorCode.INTEGER_OVERFLOW, "too large");
                                },
                                "b",
                                (subquery, resolved, sink) -> {
                                    hanging.countDown();
                                    throw hang(interrupted);
                                }),
                        QueryRunnerTest::nothingFresh));
        assertThat(failed.failure().code()).isEqualTo("INTEGER_OVERFLOW");
        assertThat(interrupted.await(1, TimeUnit.MINUTES)).isTrue();
    }

    @Test
    void oneThatFailsAndOneThatHangsLeaveItToTheThird() throws Exception {
        CountDownLatch interrupted = new CountDownLatch(1);
        AtomicInteger attempts = new AtomicInteger();
        Scan scan = (subquery, resolved, sink) -> {
            if (subquery.file().equals("c2")) {
                switch (attempts.incrementAndGet()) {
                    case 1 -> throw new IOException("a hiccup");
                    case 2 -> throw hang(interrupted);
                    default -> {}
                }
            }
            return threeRows(subquery, resolved, sink);
        };
        CollectedAnswer answer = ask(
                Query.of("s").withTimeout(Duration.ofMinutes(5)),
                Map.of(),
                endpoints(Map.of("a", scan, "b", scan), QueryRunnerTest::nothingFresh));
        assertThat(answer.verdict().complete()).isTrue();
        assertThat(answer.rowCount()).isEqualTo(3 * CHUNKS);
        assertThat(interrupted.await(1, TimeUnit.MINUTES)).isTrue();
    }

    /** Three chunks are read at once by one server, each once, and never more than three. */
    @Test
    void aServerReadsAsManyChunksAtOnceAsItHasReaders() throws Exception {
        AtomicInteger most = new AtomicInteger();
        CollectedAnswer answer = ask(
                Query.of("s").withTimeout(Duration.ofMinutes(5)),
                Map.of(),
                endpoints(Map.of("a", atOnce(3, most)), 3, QueryRunnerTest::nothingFresh));
        assertThat(answer.rowCount()).isEqualTo(3 * CHUNKS);
        assertThat(read).hasSize(CHUNKS).doesNotHaveDuplicates();
        assertThat(most).hasValue(3);
    }

    /** Which keys there are is not known, so no chunk can be spared: none is waited for before the next. */
    @Test
    void theNewestOfAllKeysAreLookedForInAllChunksAtOnce() throws Exception {
        AtomicInteger most = new AtomicInteger();
        CollectedAnswer answer = ask(
                Query.of("s").withLatest(1).withTimeout(Duration.ofMinutes(5)),
                Map.of(),
                endpoints(Map.of("a", atOnce(CHUNKS, most)), CHUNKS, QueryRunnerTest::nothingFresh));
        assertThat(answer.rowCount()).isEqualTo(1);
        assertThat(most).hasValue(CHUNKS);
    }

    /** Reads three rows of each chunk, the first ones together; notes how many it has read at once. */
    private static Scan atOnce(int first, AtomicInteger most) {
        CyclicBarrier together = new CyclicBarrier(first);
        AtomicInteger begun = new AtomicInteger();
        AtomicInteger now = new AtomicInteger();
        return (subquery, resolved, sink) -> {
            most.accumulateAndGet(now.incrementAndGet(), Math::max);
            try {
                if (begun.getAndIncrement() < first) {
                    together.await(60, TimeUnit.SECONDS);
                }
                return threeRows(subquery, resolved, sink);
            } catch (InterruptedException | BrokenBarrierException | TimeoutException e) {
                throw new IOException(e);
            } finally {
                now.decrementAndGet();
            }
        };
    }

    @Test
    void twoThatReadTheSameChunkAreOneInTheAnswer() throws Exception {
        for (int round = 0; round < 3; round++) {
            CountDownLatch second = new CountDownLatch(1);
            AtomicBoolean slow = new AtomicBoolean();
            // The first who reads it has its rows just when the second has them.
            Scan scan = (subquery, resolved, sink) -> {
                if (subquery.file().equals("c2")) {
                    if (slow.compareAndSet(false, true)) {
                        try {
                            second.await();
                        } catch (InterruptedException e) {
                            throw new IOException(e);
                        }
                    } else {
                        second.countDown();
                    }
                }
                return threeRows(subquery, resolved, sink);
            };
            CollectedAnswer answer = ask(
                    Query.of("s").withTimeout(Duration.ofMinutes(5)),
                    Map.of(),
                    endpoints(Map.of("a", scan, "b", scan), QueryRunnerTest::nothingFresh));
            assertThat(answer.verdict().tuples()).isEqualTo(3 * CHUNKS);
            assertThat(answer.rowCount()).isEqualTo(3 * CHUNKS);
        }
    }

    @Test
    void anIndexerThatHangsIsNotWaitedForWhereItsOldReportWillDo() throws Exception {
        CountDownLatch interrupted = new CountDownLatch(1);
        // It was heard of two seconds ago: neither just now, nor long enough ago to be given up.
        Control.Report report = new Control.Report(
                1,
                0,
                new Control.Progress(1, 1, new long[] {10}, 1, false),
                new Control.Unflushed(Region.of(0, 9, 100_000, 200_000), 5),
                0,
                new Control.Memory(0, 0, 0),
                Control.Templates.NONE);
        Duration ago = Duration.ofSeconds(2);
        CollectedAnswer answer = ask(
                Query.of("s").withTimes(new TimeInterval(0, 499)).withTimeout(Duration.ofMinutes(5)),
                Map.of(0, new IndexerReports(report, ago, report, ago, 200_000)),
                endpoints(Map.of("q", QueryRunnerTest::threeRows), (subquery, resolved, deadline, givenUp) -> {
                    throw hang(interrupted);
                }));
        assertThat(answer.verdict().complete()).isTrue();
        assertThat(answer.verdict().stale()).hasSize(1);
        assertThat(answer.rowCount()).isEqualTo(3 * CHUNKS);
        assertThat(interrupted.await(1, TimeUnit.MINUTES)).isTrue();
    }

    @Test
    void theNewestOfAKeyAreNotLookedForInOlderChunks() throws Exception {
        Query one = Query.of("s").withKeys(List.of(new KeyInterval(7, 7)));
        CollectedAnswer answer = ask(one.withLatest(2), QueryRunnerTest::threeRows);
        assertThat(answer.rowCount()).isEqualTo(2);
        assertThat(answer.verdict().chunksRead()).isEqualTo(1);
        assertThat(read).containsExactly("c4");
        read.clear();
        assertThat(ask(one.withLatest(4), QueryRunnerTest::threeRows).rowCount())
                .isEqualTo(4);
        assertThat(read).startsWith("c4").contains("c3").doesNotContain("c1", "c0");
        read.clear();
        // Other keys may have tuples in the oldest chunk only.
        assertThat(ask(Query.of("s").withLatest(2), QueryRunnerTest::threeRows).rowCount())
                .isEqualTo(2);
        assertThat(read).hasSize(CHUNKS);
    }
}
