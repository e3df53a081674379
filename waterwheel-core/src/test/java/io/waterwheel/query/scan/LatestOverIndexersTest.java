package io.waterwheel.query.scan;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.Rounds;
import io.waterwheel.catalog.state.ChunkDescriptor;
import io.waterwheel.catalog.state.Edit;
import io.waterwheel.catalog.state.IndexerCheckpoint;
import io.waterwheel.catalog.state.RoutingTable;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.catalog.state.StreamSnapshot;
import io.waterwheel.chunk.ChunkWriter;
import io.waterwheel.chunk.EncodedChunk;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.index.FreshView;
import io.waterwheel.index.PagePool;
import io.waterwheel.index.Template;
import io.waterwheel.index.TemplateTree;
import io.waterwheel.key.KeyMaker;
import io.waterwheel.query.Query;
import io.waterwheel.query.ResultSpec;
import io.waterwheel.query.Subquery;
import io.waterwheel.query.Verdict;
import io.waterwheel.query.plan.Endpoints;
import io.waterwheel.query.plan.IndexerReports;
import io.waterwheel.query.plan.ResolvedQuery;
import io.waterwheel.query.plan.SnapshotSource;
import io.waterwheel.query.rows.RowSink;
import io.waterwheel.query.run.AnswerSink;
import io.waterwheel.query.run.QueryRunner;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.store.ChunkStore;
import io.waterwheel.store.LocalChunkStore;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLongArray;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The newest of each text, whose first eight bytes many share, over three indexers that each have chunks, a tree that
 * is sealed and not yet flushed, and one that fills.
 */
final class LatestOverIndexersTest {
    private static final int SEEDS = Rounds.of(4, 10);
    private static final int INDEXERS = 3;
    private static final int EPOCH = 1;
    /** Each of the first three lies in another indexer's interval. */
    private static final List<String> BEGINNINGS = List.of("0123456-", "shared-beginning-", "éééé-", "");

    private static final StreamInfo STREAM = new StreamInfo(
            "s",
            1,
            new Schema(
                    List.of(
                            new Field("k", FieldType.STRING, false),
                            new Field("t", FieldType.TIMESTAMP, false),
                            new Field("v", FieldType.INT, false)),
                    new KeySpec.Ordered("k"),
                    "t"),
            RecordFormat.BLOCK,
            "s",
            1,
            1);
    private static final RowLayout LAYOUT = RowLayout.of(STREAM.schema());
    private static final RoutingTable TABLE = RoutingTable.even(1, KeyInterval.ALL, INDEXERS);

    private final ExecutorService executor = Executors.newCachedThreadPool();

    @TempDir
    Path folder;

    private record Row(String text, long time, int number) {}

    @AfterEach
    void close() {
        executor.shutdownNow();
    }

    @Test
    void countsNoTextTwiceAndNoneOut() throws Exception {
        long first = Long.getLong("seed", 0);
        for (long seed = first; seed < first + SEEDS; seed++) {
            Random random = new Random(seed);
            List<Row> rows = new ArrayList<>();
            try (ChunkStore store = new LocalChunkStore(folder.resolve("s" + seed))) {
                Parts parts = new Parts(store, random, rows);
                QueryRunner runner = new QueryRunner(parts, streamId -> parts, executor);
                for (int q = 0; q < 20; q++) {
                    check(runner, random, rows, "seed " + seed + " query " + q);
                }
            }
        }
    }

    private static void check(QueryRunner runner, Random random, List<Row> rows, String seed)
            throws InterruptedException {
        int perKey = 1 + random.nextInt(random.nextBoolean() ? 3 : 200);
        Query query = Query.of("s").withResult(new ResultSpec.Latest(perKey, List.of("k", "t", "v")));
        List<Row> matching = new ArrayList<>(rows);
        if (random.nextBoolean()) {
            String text = rows.get(random.nextInt(rows.size())).text();
            query = query.withWhere("k = '" + text + "'");
            matching.removeIf(row -> !row.text().equals(text));
        }
        Map<String, List<Row>> byText = new TreeMap<>();
        matching.forEach(row ->
                byText.computeIfAbsent(row.text(), text -> new ArrayList<>()).add(row));
        List<Row> expected = new ArrayList<>();
        for (List<Row> ofText : byText.values()) {
            ofText.sort(Comparator.comparingLong(Row::time).reversed().thenComparing(Row::number));
            expected.addAll(ofText.subList(0, Math.min(perKey, ofText.size())));
        }
        Answer answer = new Answer();
        runner.run(query, answer);
        assertThat(answer.failure).as("%s: %s", seed, query).isNull();
        assertThat(answer.rows).as("%s: %s", seed, query).isEqualTo(expected);
    }

    private static final class Answer implements AnswerSink {
        private final List<Row> rows = new ArrayList<>();
        private WaterwheelException failure;

        @Override
        public void start(List<Field> fields) {}

        @Override
        public void rows(TupleBlock block) {
            for (int row = 0; row < block.size(); row++) {
                rows.add(new Row(
                        String.valueOf(block.value(0, row)), LittleEndian.getLong(block.column(1), row * 8), (Integer)
                                block.value(2, row)));
            }
        }

        @Override
        public void finish(Verdict verdict) {
            assertThat(verdict.complete()).isTrue();
        }

        @Override
        public void fail(WaterwheelException reason) {
            failure = reason;
        }

        @Override
        public boolean cancelled() {
            return false;
        }
    }

    /** The catalog, the indexers and the query server of one seed. */
    private static final class Parts implements SnapshotSource, Endpoints, Endpoints.QueryServer {
        private final PagePool pool = new PagePool(64 << 20);
        private final List<FreshReader> readers = new ArrayList<>();
        private final ChunkScan scan;
        private StreamSnapshot snapshot = StreamSnapshot.before(STREAM).apply(1, new Edit.Created(TABLE, List.of(0L)));

        Parts(ChunkStore store, Random random, List<Row> rows) throws IOException {
            scan = new ChunkScan(store, new ChunkCache(1 << 20));
            ChunkWriter writer = new ChunkWriter();
            int texts = 1 + random.nextInt(random.nextBoolean() ? 5 : 60);
            List<List<TemplateTree>> trees = new ArrayList<>();
            int flushes = 1 + random.nextInt(3);
            for (int round = 0; round < flushes + 2; round++) {
                trees.add(fill(random, rows, round, texts));
            }
            for (int i = 0; i < INDEXERS; i++) {
                snapshot = snapshot.apply(snapshot.edit() + 1, new Edit.Started(i, EPOCH));
                for (int flush = 1; flush <= flushes; flush++) {
                    flush(store, writer, i, flush, trees.get(flush - 1).get(i));
                }
                ViewHolder slot = new ViewHolder();
                slot.publish(new FreshView(
                        EPOCH,
                        flushes,
                        flushes,
                        List.of(
                                new FreshView.SequencedTree(
                                        flushes + 1L, trees.get(flushes).get(i)),
                                new FreshView.SequencedTree(
                                        flushes + 2L, trees.get(flushes + 1).get(i))),
                        new long[] {10},
                        new long[] {0},
                        1,
                        false,
                        new long[] {System.nanoTime()},
                        new AtomicLongArray(1)));
                readers.add(new FreshReader(slot, Long.MAX_VALUE));
            }
        }

        private void flush(ChunkStore store, ChunkWriter writer, int indexer, int flush, TemplateTree tree)
                throws IOException {
            List<ChunkDescriptor> chunks = new ArrayList<>();
            if (tree.tuples() > 0) {
                EncodedChunk chunk = writer.encode(tree, STREAM.schema());
                String file = ChunkDescriptor.fileName(STREAM.name(), STREAM.id(), indexer, EPOCH, flush, 0);
                store.write(file, chunk.content());
                chunks.add(new ChunkDescriptor(
                        file, indexer, EPOCH, flush, 0, chunk.tuples(), chunk.bytes(), chunk.region()));
            }
            snapshot = snapshot.apply(
                    snapshot.edit() + 1,
                    new Edit.Flushed(indexer, new IndexerCheckpoint(EPOCH, flush, new long[] {flush}, 0), chunks));
        }

        /** A tree for each indexer, of rows that mostly are newer than those of the rounds before. */
        private List<TemplateTree> fill(Random random, List<Row> rows, int round, int texts) {
            List<TemplateTree> filled = new ArrayList<>();
            for (int i = 0; i < INDEXERS; i++) {
                filled.add(new TemplateTree(LAYOUT, Template.single(), pool));
            }
            KeyMaker keys = KeyMaker.of(LAYOUT, STREAM.schema());
            int count = 1 + random.nextInt(random.nextInt(4) == 0 ? 3000 : 60);
            for (int r = 0; r < count; r++) {
                int number = random.nextInt(texts);
                String text = BEGINNINGS.get(number % BEGINNINGS.size()) + number;
                long time =
                        1000L * (random.nextInt(20) == 0 ? 0 : round) + random.nextInt(random.nextBoolean() ? 3 : 1500);
                Row row = new Row(text, time, random.nextInt(1000));
                byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
                TupleBlock block = new TupleBlock(LAYOUT, 1);
                block.times()[0] = time;
                LittleEndian.putLong(block.column(0), 0, block.addToArena(bytes, 0, bytes.length));
                LittleEndian.putInt(block.column(1), 0, row.number());
                block.setSize(1);
                keys.fill(block, 0, (index, reason) -> {
                    throw new IllegalStateException(reason);
                });
                int indexer = TABLE.indexers()[TABLE.slotOf(block.keys()[0])];
                filled.get(indexer).insert(block, 0, 1);
                rows.add(row);
            }
            return filled;
        }

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

        @Override
        public Indexer indexer(int indexer) {
            return (subquery, resolved, deadlineNanos, givenUp) ->
                    readers.get(indexer).ask(subquery, resolved.spec(), deadlineNanos, givenUp);
        }

        @Override
        public List<QueryServer> queryServers() {
            return List.of(this);
        }

        @Override
        public Map<String, List<String>> replicas(List<ChunkDescriptor> chunks) {
            return Map.of();
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
            return scan.scan(subquery.file(), LAYOUT, resolved.spec(), subquery.piece(), sink);
        }
    }
}
