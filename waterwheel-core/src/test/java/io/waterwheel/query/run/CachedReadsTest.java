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
import io.waterwheel.query.Query;
import io.waterwheel.query.Subquery;
import io.waterwheel.query.admission.Admission;
import io.waterwheel.query.memory.QueryMemory;
import io.waterwheel.query.plan.Endpoints;
import io.waterwheel.query.plan.IndexerReports;
import io.waterwheel.query.plan.PreparedShapes;
import io.waterwheel.query.plan.ResolvedQuery;
import io.waterwheel.query.plan.SnapshotSource;
import io.waterwheel.query.rows.RowSink;
import io.waterwheel.query.scan.ChunkCache;
import io.waterwheel.query.scan.ChunkScan;
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
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
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

    /** Whatever of the chunks is in memory, answers are those of all rows, and what is there needs no other thread. */
    @Test
    void whatIsInMemoryNeedsNoOtherThread() throws Exception {
        LocalChunkStore store = new LocalChunkStore(folder);
        List<ChunkDescriptor> chunks = new ArrayList<>();
        List<Long> keys = new ArrayList<>();
        Random random = new Random(5);
        for (int c = 0; c < CHUNKS; c++) {
            TemplateTree tree = new TemplateTree(LAYOUT, Template.single(), new PagePool(1 << 26));
            TupleBlock block = new TupleBlock(LAYOUT, ROWS);
            for (int row = 0; row < ROWS; row++) {
                block.keys()[row] = random.nextInt(KEYS);
                block.times()[row] = c * ROWS + row;
                keys.add(block.keys()[row]);
            }
            block.setSize(ROWS);
            tree.insert(block, 0, ROWS);
            store.write("c" + c, new ChunkWriter().encode(tree, STREAM.schema()).content());
            chunks.add(new ChunkDescriptor("c" + c, 0, 1, 1, c, ROWS, 1, tree.region()));
            tree.discard();
        }
        StreamSnapshot snapshot = StreamSnapshot.before(STREAM)
                .apply(1, new Edit.Created(RoutingTable.even(1, KeyInterval.ALL, 1), List.of(0L)))
                .apply(2, new Edit.Started(0, 1))
                .apply(3, new Edit.Flushed(0, new IndexerCheckpoint(1, 1, new long[] {10}, 0), chunks));
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
                        new Known(snapshot),
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
            long found = scan.scanCached(subquery.file(), LAYOUT, resolved.spec(), subquery.piece(), sink);
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

    private record Known(StreamSnapshot snapshot) implements SnapshotSource {
        @Override
        public Optional<StreamSnapshot> snapshot(String stream) {
            return Optional.of(snapshot);
        }

        @Override
        public Optional<StreamSnapshot> refreshed(String stream) {
            return Optional.of(snapshot);
        }

        @Override
        public Map<Integer, IndexerReports> reports(int streamId) {
            return Map.of();
        }

        @Override
        public void shown(int streamId, int indexer, long[] watermarks) {}
    }
}
