package io.waterwheel.local;

import io.waterwheel.catalog.EditLog;
import io.waterwheel.catalog.state.ChunkDescriptor;
import io.waterwheel.catalog.state.Edit;
import io.waterwheel.catalog.state.IndexerCheckpoint;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.catalog.state.StreamSnapshot;
import io.waterwheel.chunk.ChunkWriter;
import io.waterwheel.chunk.EncodedChunk;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.index.FreshView;
import io.waterwheel.index.PagePool;
import io.waterwheel.index.Template;
import io.waterwheel.index.TemplateTree;
import io.waterwheel.key.KeyMaker;
import io.waterwheel.key.KeyScheme;
import io.waterwheel.key.RowRejects;
import io.waterwheel.query.Query;
import io.waterwheel.query.Verdict;
import io.waterwheel.query.rows.RowSink;
import io.waterwheel.query.run.AnswerSink;
import io.waterwheel.query.run.CallerThread;
import io.waterwheel.query.run.QueryRunner;
import io.waterwheel.query.scan.ChunkCache;
import io.waterwheel.query.scan.ViewHolder;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.TimestampUnit;
import io.waterwheel.store.ChunkStore;
import io.waterwheel.store.LocalChunkStore;
import io.waterwheel.tuple.KeyDimensions;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLongArray;
import org.jspecify.annotations.Nullable;

/**
 * One stream in one folder, in one process.
 *
 * <pre>{@code
 * Schema schema = SchemaFile.read(Path.of("taxis.yaml")).schema();
 * try (LocalStream taxis = LocalStream.open(Path.of("taxis"), "taxis", schema, LocalSettings.DEFAULT)) {
 *     TupleBlock block = new TupleBlock(taxis.layout(), 1000);
 *     // ... fill times and columns, block.setSize(1000)
 *     taxis.insert(block);                      // visible to queries when it returns
 *     taxis.flush();                            // on the device when it returns
 *     Query query = taxis.query().withShape(new Box(2, 48, 3, 49)).withWhere("speed > 50");
 *     Verdict verdict = taxis.answer(query, rows -> true);
 * }
 * }</pre>
 *
 * What was inserted after the last flush is gone when the process ends without {@link #close}: {@link #flushedTuples}
 * tells a writer after {@link #open} how many tuples, in the order inserted, need not be inserted again.
 *
 * <p>Owner: one writer thread: insert, flush, close. Readers: any thread: answer. Published by: the view that a reader
 * takes from its slot (see {@link FreshView}); the catalog by {@link EditLog}.
 */
public final class LocalStream implements AutoCloseable {
    private static final int INDEXER = 0;
    private static final String LOG_FILE = "edits.log";
    private static final String CHUNKS = "chunks";

    private final StreamInfo stream;
    private final RowLayout layout;
    private final KeyDimensions dimensions;
    private final int timeField;
    private final KeyMaker keyMaker;
    private final LocalSettings settings;
    private final FolderLock lock;
    private final EditLog log;
    private final ChunkStore store;
    private final PagePool pool;
    private final ChunkWriter writer = new ChunkWriter();
    private final ViewHolder slot = new ViewHolder();
    private final QueryRunner runner;

    private final int epoch;
    private TemplateTree active;
    private Template template = Template.single();
    private long inserted;
    /** The same, raised before readers see the tuples. */
    private final AtomicLongArray taking = new AtomicLongArray(1);

    private LocalStream(StreamInfo stream, LocalSettings settings, FolderLock lock, EditLog log, ChunkStore store)
            throws IOException {
        this.stream = stream;
        this.layout = RowLayout.of(stream.schema());
        this.dimensions = KeyDimensions.of(stream.schema());
        this.timeField = stream.schema().indexOf(stream.schema().timeField());
        this.keyMaker = KeyMaker.of(layout, stream.schema());
        this.settings = settings;
        this.lock = lock;
        this.log = log;
        this.store = store;
        // The tree that fills, and pages kept for the next while its leaves grow.
        this.pool = new PagePool(3 * settings.flushBytes());
        this.epoch = checkpoint().epoch() + 1;
        log.append(new Edit.Started(INDEXER, epoch));
        this.inserted = checkpoint().watermarks()[0];
        this.active = new TemplateTree(layout, dimensions, template, pool);
        publish();
        LocalParts parts = new LocalParts(stream, log, slot, store, new ChunkCache(settings.cacheBytes()));
        this.runner = new QueryRunner(parts, streamId -> parts, new CallerThread());
    }

    /**
     * Opens the stream in a folder, or makes both.
     *
     * @param name letters, digits, dots, underscores and hyphens, at most 100
     * @throws WaterwheelException when another process has it open, or the folder holds another stream
     */
    public static LocalStream open(Path folder, String name, Schema schema, LocalSettings settings) throws IOException {
        Files.createDirectories(folder);
        StreamInfo stream = new StreamInfo(name, 1, schema, RecordFormat.BLOCK, name, 1, 1);
        FolderLock lock = FolderLock.tryTake(folder)
                .orElseThrow(() -> new WaterwheelException(
                        ErrorCode.STREAM_IN_USE, folder + ": is open already; close it there first"));
        EditLog log = null;
        try {
            log = EditLog.open(
                    folder.resolve(LOG_FILE), stream, KeyScheme.of(schema).domain());
            ChunkStore store = new LocalChunkStore(folder.resolve(CHUNKS));
            removeOrphans(store, log);
            return new LocalStream(stream, settings, lock, log, store);
        } catch (IOException | RuntimeException e) {
            if (log != null) {
                log.close();
            }
            lock.close();
            throw e;
        }
    }

    /** Files of flushes that a crash kept from being committed. */
    private static void removeOrphans(ChunkStore store, EditLog log) throws IOException {
        Set<String> named = new HashSet<>(log.files());
        List<ChunkStore.StoredFile> files = store.list("");
        if (log.snapshot().edit() == 1
                && files.stream().anyMatch(file -> file.name().endsWith(".chunk"))) {
            throw new WaterwheelException(
                    ErrorCode.CATALOG_LOST,
                    "the folder has chunks, but its " + LOG_FILE + " is new: restore that file, or remove the chunks");
        }
        for (ChunkStore.StoredFile file : files) {
            if (!named.contains(file.name())) {
                store.delete(file.name());
            }
        }
    }

    /** The layout that inserted blocks must have. */
    public RowLayout layout() {
        return layout;
    }

    /** A query for all tuples, to be narrowed. */
    public Query query() {
        return Query.of(stream.name());
    }

    /** Tuples that are on the device, in the order in which they were inserted. */
    public long flushedTuples() {
        return checkpoint().watermarks()[0];
    }

    /**
     * Inserts all rows of a block. Keys are filled in here, unless a field is the key, and times where the time field
     * is finer than milliseconds; rows that can have no key are removed from the block and reported. The block's arrays
     * are copied. May flush, on this thread.
     *
     * @return number of rows inserted
     * @throws IllegalArgumentException when the block is of another layout or holds a value that is too long; nothing
     *     is inserted then
     * @throws IOException when a flush failed; the rows are inserted and visible, the next call tries again
     */
    public int insert(TupleBlock block, RowRejects rejects) throws IOException {
        check(block);
        fillTimes(block);
        keyMaker.fill(block, 0, rejects);
        int rows = block.size();
        taking.lazySet(0, inserted + rows);
        active.insert(block, 0, rows);
        inserted += rows;
        publish();
        if (active.bytes() >= settings.flushBytes()) {
            flush();
        }
        return rows;
    }

    /** What decoders see to, where there is one. */
    private void check(TupleBlock block) {
        if (!block.layout().equals(layout)) {
            throw new IllegalArgumentException("the block is not of the stream's schema");
        }
        for (int field = 0; field < layout.fields().size(); field++) {
            int column = layout.columnOf(field);
            boolean truth = layout.fields().get(field).type() == FieldType.BOOLEAN;
            for (int row = 0; truth && column >= 0 && row < block.size(); row++) {
                if ((block.column(column)[row] & ~1) != 0) {
                    throw new IllegalArgumentException("row " + row + ", field "
                            + layout.fields().get(field).name() + ": expected 0 or 1, got "
                            + block.column(column)[row]);
                }
            }
            for (int row = 0; column >= 0 && layout.variable(column) && row < block.size(); row++) {
                int length = TupleBlock.referenceLength(LittleEndian.getLong(block.column(column), row * 8));
                if (length > TupleBlock.MAX_VALUE_BYTES && !block.isNull(field, row)) {
                    throw new IllegalArgumentException("row " + row + ", field "
                            + layout.fields().get(field).name() + ": expected at most " + TupleBlock.MAX_VALUE_BYTES
                            + " bytes, got " + length);
                }
                FieldType type = layout.fields().get(field).type();
                if (type.valueBytes() >= 0 && length != type.valueBytes() && !block.isNull(field, row)) {
                    throw new IllegalArgumentException("row " + row + ", field "
                            + layout.fields().get(field).name() + ": expected " + type.valueBytes()
                            + " bytes for a value of type " + type.schemaName() + ", got " + length);
                }
            }
        }
    }

    private void fillTimes(TupleBlock block) {
        int column = layout.columnOf(timeField);
        if (column >= 0) {
            TimestampUnit unit = layout.fields().get(timeField).type().resolution();
            for (int row = 0; row < block.size(); row++) {
                block.times()[row] = unit.toMillis(LittleEndian.getLong(block.column(column), row * 8));
            }
        }
    }

    /** {@link #insert(TupleBlock, RowRejects)} where every row must have a key. */
    public int insert(TupleBlock block) throws IOException {
        return insert(block, (index, reason) -> {
            throw new IllegalArgumentException("row " + index + ": " + reason);
        });
    }

    /**
     * Writes what was inserted into a chunk; it stays visible meanwhile, and is on the device when this returns.
     *
     * @throws IOException when it could not be written; nothing is lost, and it may be tried again
     */
    public void flush() throws IOException {
        if (active.tuples() == 0) {
            return;
        }
        // Before the store is touched: an edit whose write failed may be on the device, and names the file as it is.
        log.requireUsable();
        EncodedChunk chunk = writer.encode(active, stream.schema());
        long flush = checkpoint().flushed() + 1;
        String file = ChunkDescriptor.fileName(stream.name(), stream.id(), INDEXER, epoch, flush, 0);
        // A failed try before may have left the file.
        store.delete(file);
        store.write(file, chunk.content());
        ChunkDescriptor descriptor = new ChunkDescriptor(
                file, INDEXER, epoch, flush, 0, chunk.tuples(), chunk.bytes(), chunk.region(), chunk.box());
        log.append(new Edit.Flushed(
                INDEXER, new IndexerCheckpoint(epoch, flush, new long[] {inserted}, 0), List.of(descriptor)));
        TemplateTree flushed = active;
        template = chunk.nextTemplate();
        active = new TemplateTree(layout, dimensions, template, pool);
        publish();
        flushed.discard();
    }

    /**
     * Answers a query on the caller's thread.
     *
     * @param rows takes the rows in blocks, on this thread; returns false when it wants no more
     * @throws WaterwheelException when the query asks for what the stream has not, or a chunk cannot be read
     */
    public Verdict answer(Query query, RowSink rows) throws InterruptedException {
        Sink sink = new Sink(rows);
        answer(query, sink);
        WaterwheelException failure = sink.failure;
        if (failure != null) {
            throw failure;
        }
        Verdict verdict = sink.verdict;
        if (verdict == null) {
            throw new IllegalStateException("an answer ended without verdict and without failure");
        }
        return verdict;
    }

    /** Answers a query on the caller's thread; what becomes of it, a failure too, reaches the sink. */
    public void answer(Query query, AnswerSink sink) throws InterruptedException {
        runner.run(query, sink);
    }

    private IndexerCheckpoint checkpoint() {
        StreamSnapshot snapshot = log.snapshot();
        IndexerCheckpoint checkpoint = snapshot.checkpoints().get(INDEXER);
        if (checkpoint == null) {
            throw new IllegalStateException(log + " has no checkpoint");
        }
        return checkpoint;
    }

    private void publish() {
        long flushed = checkpoint().flushed();
        slot.publish(new FreshView(
                epoch,
                flushed,
                flushed,
                List.of(new FreshView.SequencedTree(flushed + 1, active)),
                new long[] {inserted},
                new long[] {0},
                1,
                false,
                new long[] {System.nanoTime()},
                taking));
    }

    /** Flushes and closes; queries under way fail. */
    @Override
    public void close() throws IOException {
        try {
            flush();
        } finally {
            active.discard();
            log.close();
            store.close();
            lock.close();
        }
    }

    private static final class Sink implements AnswerSink {
        private final RowSink rows;
        private boolean stopped;
        private @Nullable Verdict verdict;
        private @Nullable WaterwheelException failure;

        Sink(RowSink rows) {
            this.rows = rows;
        }

        @Override
        public void start(List<Field> fields) {
            // The rows' layout says the same.
        }

        @Override
        public void rows(TupleBlock block) {
            stopped |= !rows.accept(block);
        }

        @Override
        public void finish(Verdict end) {
            verdict = end;
        }

        @Override
        public void fail(WaterwheelException reason) {
            failure = reason;
        }

        @Override
        public boolean cancelled() {
            return stopped;
        }
    }
}
