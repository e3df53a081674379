package io.waterwheel.catalog.maintenance;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.Rounds;
import io.waterwheel.catalog.Namespace;
import io.waterwheel.catalog.SnapshotReader;
import io.waterwheel.catalog.StreamCatalog;
import io.waterwheel.catalog.StreamSnapshots;
import io.waterwheel.catalog.state.ChunkDescriptor;
import io.waterwheel.catalog.state.IndexerCheckpoint;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.catalog.state.StreamSnapshot;
import io.waterwheel.catalog.store.CatalogStore;
import io.waterwheel.catalog.store.InMemoryCatalogStore;
import io.waterwheel.chunk.ChunkCheck;
import io.waterwheel.chunk.ChunkReader;
import io.waterwheel.chunk.ChunkRows;
import io.waterwheel.chunk.ChunkWriter;
import io.waterwheel.chunk.EncodedChunk;
import io.waterwheel.chunk.FollowingRows;
import io.waterwheel.index.PagePool;
import io.waterwheel.index.RandomTuples;
import io.waterwheel.index.Template;
import io.waterwheel.index.TemplateTree;
import io.waterwheel.key.KeyMaker;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Retention;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.store.ChunkStore;
import io.waterwheel.store.LocalChunkStore;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import io.waterwheel.tuple.WideKeys;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Streams whose chunks are merged, row by row beside the rows that were flushed. */
final class ChunkMergesTest {
    private static final int SEEDS = Rounds.of(6, 200);
    private static final long GRACE = 1_000;
    private static final MergePolicy POLICY = new MergePolicy(1 << 20, 3_600_000);

    private static final Schema NOTES = new Schema(
            List.of(
                    new Field("k", FieldType.LONG, false),
                    new Field("t", FieldType.TIMESTAMP, false),
                    new Field("note", FieldType.STRING, false)),
            new KeySpec.Ordered("k"),
            "t");

    @TempDir
    Path folder;

    /** A stream of one indexer, into which blocks are flushed. */
    private final class Flushed {
        final CatalogStore store = new InMemoryCatalogStore(new InMemoryCatalogStore.Tree());
        final ChunkStore files;
        final StreamInfo stream;
        final StreamCatalog catalog;
        final List<String> rows = new ArrayList<>();
        final FileCollector collector;
        final ChunkMerges merges;
        private final ChunkWriter writer = new ChunkWriter();
        private StreamCatalog.IndexerStart start;
        private int node;
        private IndexerCheckpoint checkpoint;
        private int part = ChunkDescriptor.FIRST_MERGED_PART;

        Flushed(Schema schema, MergePolicy policy) throws IOException {
            files = new LocalChunkStore(Files.createTempDirectory(folder, "chunks"));
            stream = new Namespace(store).create("s", schema, RecordFormat.BLOCK, "t", new long[1], 1);
            catalog = new StreamCatalog(store, stream);
            begin();
            collector = new FileCollector(store, files, GRACE);
            merges = new ChunkMerges(
                    new StreamSnapshots(store, files), policy, () -> part++, collector::neverNamedAgain);
        }

        void begin() {
            start = catalog.startIndexer(0);
            node = start.nodeVersion();
            checkpoint = start.checkpoint();
        }

        ChunkDescriptor flush(TupleBlock block) throws IOException {
            TemplateTree tree = new TemplateTree(block.layout(), Template.single(), new PagePool(1 << 20));
            tree.insert(block, 0, block.size());
            EncodedChunk encoded = writer.encode(tree, stream.schema());
            int epoch = checkpoint.epoch();
            long flush = checkpoint.flushed() + 1;
            ChunkDescriptor chunk = new ChunkDescriptor(
                    ChunkDescriptor.fileName("s", stream.id(), 0, epoch, flush, 0),
                    0,
                    epoch,
                    flush,
                    0,
                    encoded.tuples(),
                    encoded.bytes(),
                    encoded.region(),
                    encoded.box());
            files.write(chunk.file(), encoded.content());
            IndexerCheckpoint next = new IndexerCheckpoint(epoch, flush, new long[] {flush}, 0);
            var outcome = catalog.commitFlush(0, node, checkpoint.watermarks(), next, List.of(chunk));
            node = ((StreamCatalog.CommitOutcome.Done) outcome).nodeVersion();
            checkpoint = next;
            rows.addAll(RandomTuples.texts(block, 0, block.size()));
            return chunk;
        }

        StreamSnapshot snapshot() {
            return new SnapshotReader(store, files, stream).latest();
        }

        List<ChunkDescriptor> chunks() {
            return snapshot().allChunks().stream().map(entry -> entry.value()).toList();
        }

        /** Merges until nothing is left to merge; gives how many merges that were. */
        int merge() throws IOException {
            int count = 0;
            ChunkMerges.Step step = merges.step(stream);
            while (step.more()) {
                count += step.merged().isPresent() ? 1 : 0;
                step = merges.step(stream);
            }
            return count;
        }

        /** What merges replaced goes; what is named stays. */
        void collect() throws IOException {
            for (int look = 0; look < 4; look++) {
                collector.list();
                collector.readCatalog();
                FileCollector.Found ignored = collector.collect(look * GRACE);
            }
            assertThat(files.list("").stream().map(ChunkStore.StoredFile::name))
                    .containsExactlyInAnyOrderElementsOf(
                            chunks().stream().map(ChunkDescriptor::file).toList());
        }

        /** Every chunk is whole, is what the catalog says of it, and all together hold what was flushed. */
        void check(String about) throws Exception {
            List<String> found = new ArrayList<>();
            for (ChunkDescriptor chunk : chunks()) {
                try (ChunkStore.Input input = files.open(chunk.file())) {
                    ChunkCheck.check(
                            input,
                            stream.schema(),
                            new ChunkCheck.Facts(chunk.bytes(), chunk.tuples(), chunk.region(), chunk.box()),
                            ChunkCheck.Pace.NONE);
                }
                try (ChunkReader reader = ChunkReader.open(files.open(chunk.file()), RowLayout.of(stream.schema()))) {
                    TupleBlock read = ChunkRows.read(reader);
                    found.addAll(RandomTuples.texts(read, 0, read.size()));
                }
            }
            Collections.sort(found);
            List<String> expected = new ArrayList<>(rows);
            Collections.sort(expected);
            assertThat(found).as(about).isEqualTo(expected);
        }
    }

    @Test
    void rowsOfAllTypesAreTheSameAfterMerges() throws Exception {
        for (long seed = 0; seed < SEEDS; seed++) {
            Random random = new Random(seed);
            RandomTuples tuples = new RandomTuples(random);
            Flushed flushed = new Flushed(tuples.schema(), POLICY);
            int count = 100 + random.nextInt(60);
            for (int flush = 0; flush < count; flush++) {
                flushed.flush(tuples.block(1 + random.nextInt(30), flush * 1000L));
                if (random.nextInt(30) == 0) {
                    flushed.merge();
                }
            }
            flushed.merge();
            flushed.check("seed " + seed);
            assertThat(flushed.chunks()).as("seed %s", seed).hasSizeLessThan(count);
            flushed.collect();
            flushed.check("collected, seed " + seed);
        }
    }

    /** Text that follows from another field is not in the parts that are read. */
    @Test
    void rowsWhoseFieldsFollowFromOthersAreTheSame() throws Exception {
        Random random = new Random(7);
        FollowingRows rows = new FollowingRows(random);
        Flushed flushed = new Flushed(FollowingRows.SCHEMA, POLICY);
        for (int flush = 0; flush < 100; flush++) {
            TupleBlock block = new TupleBlock(RowLayout.of(FollowingRows.SCHEMA), 400);
            block.setSize(400);
            rows.fill(block, random.nextInt(3));
            KeyMaker.of(block.layout(), FollowingRows.SCHEMA).fill(block, 0, (index, reason) -> {
                throw new AssertionError(reason);
            });
            flushed.flush(block);
        }
        assertThat(flushed.merge()).isPositive();
        flushed.check("following");
    }

    @Test
    void boundsOfTheKeysDimensionsAreThoseOfTheRows() throws Exception {
        Random random = new Random(3);
        Flushed flushed = new Flushed(WideKeys.SCHEMA, POLICY);
        for (int flush = 0; flush < 100; flush++) {
            flushed.flush(WideChunks.rows(20, random));
        }
        assertThat(flushed.merge()).isPositive();
        flushed.check("dimensions");
        assertThat(flushed.chunks()).filteredOn(ChunkDescriptor::merged).allMatch(chunk -> chunk.box() != null);
    }

    @Test
    void aStreamThatHasNotChangedIsNotPlannedAgain() throws Exception {
        RandomTuples tuples = new RandomTuples(new Random(1));
        Flushed flushed = new Flushed(tuples.schema(), POLICY);
        for (int flush = 0; flush < 100; flush++) {
            flushed.flush(tuples.block(5, flush));
        }
        assertThat(flushed.merge()).isPositive();
        List<ChunkDescriptor> merged = flushed.chunks();
        assertThat(flushed.merge()).isZero();
        assertThat(flushed.chunks()).isEqualTo(merged);
    }

    @Test
    void aDamagedChunkStaysAndTheOthersAreMerged() throws Exception {
        RandomTuples tuples = new RandomTuples(new Random(2));
        Flushed flushed = new Flushed(tuples.schema(), POLICY);
        List<ChunkDescriptor> chunks = new ArrayList<>();
        for (int flush = 0; flush < 100; flush++) {
            chunks.add(flushed.flush(tuples.block(5, flush)));
        }
        ChunkDescriptor damaged = chunks.get(5);
        ChunkDescriptor gone = chunks.get(70);
        byte[] bytes = new byte[(int) damaged.bytes()];
        try (ChunkStore.Input input = flushed.files.open(damaged.file())) {
            input.read(0, bytes, 0, bytes.length);
        }
        bytes[bytes.length / 2] ^= 1;
        flushed.files.delete(damaged.file());
        flushed.files.write(damaged.file(), List.of(ByteBuffer.wrap(bytes)));
        flushed.files.delete(gone.file());
        assertThat(flushed.merge()).isPositive();
        assertThat(flushed.chunks()).contains(damaged, gone).hasSizeLessThan(50);
    }

    @Test
    void anIndexerThatStartsAnewMeanwhileRefusesTheMerge() throws Exception {
        RandomTuples tuples = new RandomTuples(new Random(4));
        Flushed flushed = new Flushed(tuples.schema(), POLICY);
        for (int flush = 0; flush < 100; flush++) {
            flushed.flush(tuples.block(5, flush));
        }
        ChunkMerger merger = new ChunkMerger(flushed.store, flushed.files, () -> 5_000);
        StreamSnapshot planned = flushed.snapshot();
        List<ChunkDescriptor> inputs = POLICY.plan(planned, Retention.OFF, chunk -> true, chunk -> null)
                .get(0);
        ChunkMerger.Written written = merger.write(planned, inputs);
        flushed.begin();
        assertThat(merger.commit(written)).isFalse();
        flushed.check("refused");
        assertThat(flushed.merge()).isPositive();
        flushed.check("merged by the next");
        assertThat(merger.commit(written)).isFalse();
    }

    /** The same text again and again is a hundred times what the estimate says. */
    @Test
    void textThatIsLargerThanItLooksIsPlannedAgain() throws Exception {
        MergePolicy policy = new MergePolicy(200_000, 3_600_000);
        RowLayout layout = RowLayout.of(NOTES);
        for (long seed = 0; seed < SEEDS; seed++) {
            Random random = new Random(seed);
            Flushed flushed = new Flushed(NOTES, policy);
            for (int flush = 0; flush < 100; flush++) {
                boolean large = random.nextInt(8) == 0;
                flushed.flush(notes(layout, large ? 20 + random.nextInt(150) : 1 + random.nextInt(4), flush));
            }
            ChunkMerger looks = new ChunkMerger(flushed.store, flushed.files, () -> 0);
            int merges = 0;
            ChunkMerges.Step step = flushed.merges.step(flushed.stream);
            while (step.more()) {
                if (step.merged().isPresent()) {
                    ChunkMerger.Written merge = step.merged().get();
                    long together = looks.tupleBytes(merge.output(), layout);
                    long most = 0;
                    for (ChunkDescriptor input : merge.inputs()) {
                        most = Math.max(most, looks.tupleBytes(input, layout));
                    }
                    assertThat(together).as("seed %s", seed).isBetween(2 * most, 250_000L);
                    merges++;
                }
                step = flushed.merges.step(flushed.stream);
            }
            assertThat(merges).as("seed %s", seed).isPositive();
            flushed.check("notes, seed " + seed);
        }
    }

    private static TupleBlock notes(RowLayout layout, int rows, long time) {
        TupleBlock block = new TupleBlock(layout, rows);
        byte[] note = "all is well; ".repeat(80).getBytes(UTF_8);
        block.ensureArena(rows * note.length);
        for (int row = 0; row < rows; row++) {
            block.keys()[row] = row;
            block.times()[row] = time;
            System.arraycopy(note, 0, block.arena(), row * note.length, note.length);
            LittleEndian.putLong(
                    block.column(layout.columnOf(2)), row * 8, TupleBlock.reference(row * note.length, note.length));
        }
        block.setArenaSize(rows * note.length);
        block.setSize(rows);
        return block;
    }
}
