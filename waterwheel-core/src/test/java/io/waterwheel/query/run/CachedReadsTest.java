package io.waterwheel.query.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.Rounds;
import io.waterwheel.catalog.state.ChunkDescriptor;
import io.waterwheel.catalog.state.Edit;
import io.waterwheel.catalog.state.IndexerCheckpoint;
import io.waterwheel.catalog.state.RoutingTable;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.catalog.state.StreamSnapshot;
import io.waterwheel.chunk.ChunkWriter;
import io.waterwheel.index.PagePool;
import io.waterwheel.index.Template;
import io.waterwheel.index.TemplateTree;
import io.waterwheel.query.Aggregate;
import io.waterwheel.query.Explain;
import io.waterwheel.query.Explanation;
import io.waterwheel.query.Query;
import io.waterwheel.query.ResultSpec;
import io.waterwheel.query.ScanStatistics;
import io.waterwheel.query.Subquery;
import io.waterwheel.query.admission.Admission;
import io.waterwheel.query.memory.QueryMemory;
import io.waterwheel.query.plan.Endpoints;
import io.waterwheel.query.plan.PreparedShapes;
import io.waterwheel.query.plan.ResolvedQuery;
import io.waterwheel.query.rows.RowSink;
import io.waterwheel.query.scan.ChunkCache;
import io.waterwheel.query.scan.ChunkScan;
import io.waterwheel.query.scan.QueryClock;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.store.LocalChunkStore;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.TupleBlock;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(300)
final class CachedReadsTest {
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
    private static final RowLayout LAYOUT = RowLayout.of(STREAM.schema());
    private static final int CHUNKS = 3;
    private static final int ROWS = 5000;
    private static final int KEYS = 400;

    @TempDir
    Path folder;

    private final AtomicInteger readElsewhere = new AtomicInteger();
    private final AtomicInteger readHere = new AtomicInteger();
    private final AtomicLong lookedAtHere = new AtomicLong();

    /** Whatever of the chunks is in memory, answers are those of all rows, and what is there needs no other thread. */
    @Test
    void whatIsInMemoryNeedsNoOtherThread() throws Exception {
        LocalChunkStore store = new LocalChunkStore(folder);
        List<ChunkDescriptor> chunks = new ArrayList<>();
        List<Long> keys = new ArrayList<>();
        Random random = new Random(5);
        for (int c = 0; c < CHUNKS; c++) {
            long[] ofChunk = random.longs(ROWS, 0, KEYS).toArray();
            chunks.add(chunk(store, c, ofChunk));
            Arrays.stream(ofChunk).forEach(keys::add);
        }
        StreamSnapshot snapshot = snapshot(chunks);
        ExecutorService others = Executors.newCachedThreadPool();
        try {
            for (long seed = 1; seed <= Rounds.of(40, 1000); seed++) {
                Random choice = new Random(seed);
                ChunkScan scan = new ChunkScan(store, new ChunkCache(64 << 20));
                QueryMemory memory = new QueryMemory(64 << 20, 8 << 20);
                long low = choice.nextInt(KEYS);
                List<KeyInterval> asked = List.of(new KeyInterval(low, low + choice.nextInt(20)));
                Query query = Query.of("s").withKeys(asked);
                QueryRunner runner = new QueryRunner(
                        new KnownSnapshots(snapshot),
                        id -> new Servers(scan),
                        lane -> others,
                        Admission.unlimited(),
                        memory,
                        new PreparedShapes(memory));
                for (ChunkDescriptor chunk : chunks) {
                    if (choice.nextBoolean()) {
                        // What it reads stays in the cache.
                        runner.runOnChunks(query, snapshot, List.of(chunk), new CollectedAnswer());
                    }
                }
                check(runner, query, keys, asked);
                int before = readElsewhere.get();
                check(runner, query, keys, asked);
                assertThat(readElsewhere.get()).as("seed %s", seed).isEqualTo(before);
                CollectedAnswer first = new CollectedAnswer();
                runner.run(query.withLimit(1), first);
                assertThat(first.rowCount()).isEqualTo(1);
                assertThat(first.verdict().complete()).isTrue();
                assertThat(readElsewhere.get()).as("seed %s", seed).isEqualTo(before);
                assertThat(memory.reserved()).isZero();
            }
        } finally {
            others.shutdownNow();
        }
        assertThat(readHere.get()).isPositive();
        assertThat(readElsewhere.get()).isPositive();
    }

    /** Keys are taken to lie evenly: where many rows have one, a question is taken for a small one, and is none. */
    @Test
    void aQuestionThatOnlySeemsSmallIsLeftToTheReaders() throws Exception {
        LocalChunkStore store = new LocalChunkStore(folder);
        ChunkScan scan = new ChunkScan(store, new ChunkCache(64 << 20));
        ExecutorService others = Executors.newCachedThreadPool();
        try {
            for (long seed = 1; seed <= Rounds.of(4, 100); seed++) {
                Random random = new Random(seed);
                boolean isSmall = seed % 2 == 0;
                int rows = isSmall ? 500 + random.nextInt(3_500) : 10_000 + random.nextInt(20_000);
                List<ChunkDescriptor> chunks = new ArrayList<>();
                long matching = 0;
                for (int c = 0; c < 8; c++) {
                    // The first and the last of all keys, and one that most rows have.
                    long[] keys = random.longs(rows, 0, 10)
                            .map(key -> key == 0 ? 0 : key == 1 ? 1_000_000_000 : 5)
                            .toArray();
                    chunks.add(chunk(store, (int) seed * 8 + c, keys));
                    matching += Arrays.stream(keys).filter(key -> key == 5).count();
                }
                StreamSnapshot snapshot = snapshot(chunks);
                QueryRunner runner = new QueryRunner(
                        new KnownSnapshots(snapshot),
                        id -> new Servers(scan),
                        others,
                        QueryClock.SYSTEM,
                        QueryMemory.unlimited());
                // A condition that each row has to be looked at for.
                Query query = Query.of("s")
                        .withKeys(List.of(new KeyInterval(5, 5)))
                        .withWhere("k * k = 25")
                        .withResult(new ResultSpec.Aggregates(
                                List.of(Aggregate.parse("count(*)")), List.of(), (Duration) null));
                runner.runOnChunks(query, snapshot, chunks, new CollectedAnswer());
                readHere.set(0);
                readElsewhere.set(0);
                lookedAtHere.set(0);
                List<Long> got = new ArrayList<>();
                CollectedAnswer answer = new CollectedAnswer() {
                    @Override
                    protected void take(TupleBlock block) {
                        got.addAll(longs(block, 0));
                    }
                };
                runner.run(query, answer);
                assertThat(answer.verdict().complete()).isTrue();
                assertThat(got).as("seed %s", seed).containsExactly(matching);
                assertThat(readHere.get() + readElsewhere.get())
                        .as("seed %s", seed)
                        .isEqualTo(8);
                assertThat(lookedAtHere.get()).as("seed %s", seed).isBetween(1L, 48L << 10);
                assertThat(readElsewhere.get() > 0).as("seed %s", seed).isEqualTo(!isSmall);
            }
        } finally {
            others.shutdownNow();
        }
    }

    /** By a clock that only the reading of chunks moves, on whichever thread. */
    @Test
    void whatIsReadHereIsOfTheStepOfChunks() throws Exception {
        LocalChunkStore store = new LocalChunkStore(folder);
        List<ChunkDescriptor> chunks = List.of(chunk(store, 0, new long[] {1, 2, 3}));
        ChunkScan scan = new ChunkScan(store, new ChunkCache(1 << 20));
        StreamSnapshot snapshot = snapshot(chunks);
        ExecutorService others = Executors.newSingleThreadExecutor();
        try {
            QueryRunner runner = new QueryRunner(
                    new KnownSnapshots(snapshot),
                    id -> new Servers(scan),
                    others,
                    new ByReads(),
                    QueryMemory.unlimited());
            Query query = Query.of("s").toBuilder().explain(Explain.ANALYZE).build();
            runner.run(query, new CollectedAnswer());
            int before = readHere.get();
            CollectedAnswer answer = new CollectedAnswer();
            runner.run(query, answer);
            assertThat(readHere.get()).isEqualTo(before + 1);
            Explanation.Analysis analysis =
                    Objects.requireNonNull(answer.verdict().requireExplanation().analysis());
            assertThat(analysis.steps())
                    .filteredOn(step -> !step.time().isZero())
                    .containsExactly(new Explanation.Step("chunks", Duration.ofSeconds(1)));
        } finally {
            others.shutdownNow();
        }
    }

    private static ChunkDescriptor chunk(LocalChunkStore store, int number, long[] keys) throws IOException {
        TemplateTree tree = new TemplateTree(LAYOUT, Template.single(), new PagePool(1 << 26));
        TupleBlock block = new TupleBlock(LAYOUT, keys.length);
        for (int row = 0; row < keys.length; row++) {
            block.keys()[row] = keys[row];
            block.times()[row] = (long) number * keys.length + row;
        }
        block.setSize(keys.length);
        tree.insert(block, 0, keys.length);
        String file = "c" + number;
        store.write(file, new ChunkWriter().encode(tree, STREAM.schema()).content());
        ChunkDescriptor chunk = new ChunkDescriptor(file, 0, 1, 1, number, keys.length, 1, tree.region());
        tree.discard();
        return chunk;
    }

    private static StreamSnapshot snapshot(List<ChunkDescriptor> chunks) {
        return StreamSnapshot.before(STREAM)
                .apply(1, new Edit.Created(RoutingTable.even(1, KeyInterval.ALL, 1), List.of(0L)))
                .apply(2, new Edit.Started(0, 1))
                .apply(3, new Edit.Flushed(0, new IndexerCheckpoint(1, 1, new long[] {10}, 0), chunks));
    }

    private static void check(QueryRunner runner, Query query, List<Long> all, List<KeyInterval> asked)
            throws InterruptedException {
        List<Long> got = new ArrayList<>();
        CollectedAnswer answer = new CollectedAnswer() {
            @Override
            protected void take(TupleBlock block) {
                got.addAll(longs(block, 0));
            }
        };
        runner.run(query, answer);
        assertThat(answer.verdict().complete()).isTrue();
        assertThat(answer.verdict().statistics().chunksRead()).isEqualTo(CHUNKS);
        KeyInterval interval = asked.get(0);
        List<Long> expected = all.stream()
                .filter(key -> key >= interval.low() && key <= interval.high())
                .sorted()
                .toList();
        got.sort(null);
        assertThat(got).isEqualTo(expected);
    }

    /** Reads chunks of the store, and counts by which way. */
    private final class Server implements Endpoints.QueryServer {
        private final ChunkScan scan;

        Server(ChunkScan scan) {
            this.scan = scan;
        }

        @Override
        public String name() {
            return "q";
        }

        @Override
        public String host() {
            return "h";
        }

        @Override
        public long scan(Subquery.OfChunk subquery, ResolvedQuery resolved, RowSink sink, long deadlineNanos)
                throws IOException {
            readElsewhere.incrementAndGet();
            return scan.scan(subquery.file(), LAYOUT, resolved.spec(), subquery.piece(), sink);
        }

        @Override
        public long scanCached(Subquery.OfChunk subquery, ResolvedQuery resolved, RowSink sink) throws IOException {
            RowSink counting = new RowSink() {
                @Override
                public boolean accept(TupleBlock rows) {
                    return sink.accept(rows);
                }

                @Override
                public boolean wanted() {
                    return sink.wanted();
                }

                @Override
                public boolean mayLookAt(long tuples) {
                    boolean may = sink.mayLookAt(tuples);
                    lookedAtHere.addAndGet(may ? tuples : 0);
                    return may;
                }

                @Override
                public void scanned(ScanStatistics what) {
                    sink.scanned(what);
                }
            };
            long found = scan.scanCached(subquery.file(), LAYOUT, resolved.spec(), subquery.piece(), counting);
            readHere.incrementAndGet();
            return found;
        }
    }

    private final class Servers implements Endpoints {
        private final ChunkScan scan;

        Servers(ChunkScan scan) {
            this.scan = scan;
        }

        @Override
        public Indexer indexer(int indexer) {
            return (subquery, resolved, deadline, givenUp) -> new QueryRunnerTest.NoRows();
        }

        @Override
        public List<QueryServer> queryServers() {
            return List.of(new Server(scan));
        }

        @Override
        public Map<String, List<String>> replicas(List<ChunkDescriptor> chunks) {
            return Map.of();
        }
    }

    /** A second later after each chunk that is read here. */
    private final class ByReads implements QueryClock {
        @Override
        public long nanos() {
            return readHere.get() * 1_000_000_000L;
        }

        @Override
        public void sleep(long nanos) {
            Thread.yield();
        }
    }
}
