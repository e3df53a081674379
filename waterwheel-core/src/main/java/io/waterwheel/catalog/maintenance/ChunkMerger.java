package io.waterwheel.catalog.maintenance;

import io.waterwheel.catalog.SnapshotReader;
import io.waterwheel.catalog.StreamCatalog;
import io.waterwheel.catalog.state.ChunkDescriptor;
import io.waterwheel.catalog.state.IndexerCheckpoint;
import io.waterwheel.catalog.state.StreamSnapshot;
import io.waterwheel.catalog.store.CatalogStore;
import io.waterwheel.chunk.ChunkDirectory;
import io.waterwheel.chunk.ChunkReader;
import io.waterwheel.chunk.ChunkWriter;
import io.waterwheel.chunk.EncodedChunk;
import io.waterwheel.chunk.LeafPart;
import io.waterwheel.chunk.encoding.CorruptChunkException;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.index.PagePool;
import io.waterwheel.index.Template;
import io.waterwheel.index.TemplateTree;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.store.ChunkStore;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.util.List;
import java.util.function.IntSupplier;

/**
 * Merges chunks (protocol rule 11) in two steps: writes a file with the tuples of several, then commits that it takes
 * their place. Anybody may crash between the steps, and any number of these may work at once. One thread at a time; no
 * threads, no clock.
 *
 * <p>Memory: the tuples of one merge in a tree, and encoded, and 45 bytes a tuple by which they are sorted; none is
 * kept but the orders of rows within leaves.
 */
public final class ChunkMerger {
    /** Names that are tried: each is taken by chance only. */
    private static final int NAMES = 8;

    /** A chunk that cannot be read, now or ever: its file is damaged, or not there. */
    public static final class UnreadableException extends IOException {
        private static final long serialVersionUID = 1;

        private final transient ChunkDescriptor chunk;

        UnreadableException(ChunkDescriptor chunk, Exception cause) {
            super(String.valueOf(cause.getMessage()), cause);
            this.chunk = chunk;
        }

        /** The chunk. */
        public ChunkDescriptor chunk() {
            return chunk;
        }
    }

    /**
     * A merge whose file is written.
     *
     * @param planned a snapshot that has the inputs
     * @param inputs chunks that the output takes the place of
     * @param output holds the same tuples
     */
    public record Written(StreamSnapshot planned, List<ChunkDescriptor> inputs, ChunkDescriptor output) {
        public Written {
            inputs = List.copyOf(inputs);
        }
    }

    private final CatalogStore catalog;
    private final ChunkStore files;
    private final IntSupplier parts;
    private final ChunkWriter.Orders orders = new ChunkWriter.Orders();
    /** Keeps nothing for later, and grants no rebuild: rows that are sorted at the end need no template. */
    private final PagePool pool = new PagePool(1);

    /**
     * A merger of the streams of one catalog.
     *
     * @param parts numbers for the files' names, from {@link ChunkDescriptor#FIRST_MERGED_PART} to
     *     {@link ChunkDescriptor#LAST_PART}, by chance: others may merge too
     */
    public ChunkMerger(CatalogStore catalog, ChunkStore files, IntSupplier parts) {
        this.catalog = catalog;
        this.files = files;
        this.parts = parts;
    }

    /**
     * Bytes of a chunk's tuples in memory, as its directory says.
     *
     * @throws UnreadableException when it is damaged, or its file is not there
     * @throws IOException when the store failed
     */
    long tupleBytes(ChunkDescriptor chunk, RowLayout layout) throws IOException {
        try (ChunkReader reader = open(chunk, layout)) {
            return Math.max(0, reader.directory().tupleBytes());
        }
    }

    /**
     * First step: reads chunks whole, past any cache, each part checked, and writes their tuples as one chunk.
     *
     * @param inputs of one indexer that has a checkpoint, which the snapshot holds; two at least, whose tuples fit into
     *     memory together
     * @throws UnreadableException when one of them is damaged, or its file is not there
     * @throws IOException when the store failed
     */
    public Written write(StreamSnapshot planned, List<ChunkDescriptor> inputs) throws IOException {
        RowLayout layout = RowLayout.of(planned.stream().schema());
        TemplateTree tree = new TemplateTree(layout, Template.single(), pool);
        try {
            TupleBlock block = new TupleBlock(layout, 0);
            for (ChunkDescriptor input : inputs) {
                read(input, tree, block);
            }
            EncodedChunk encoded =
                    new ChunkWriter(orders).encode(tree, planned.stream().schema());
            return new Written(planned, inputs, store(planned, inputs, encoded));
        } finally {
            tree.discard();
        }
    }

    private ChunkReader open(ChunkDescriptor chunk, RowLayout layout) throws IOException {
        try {
            return ChunkReader.open(files.open(chunk.file()), layout);
        } catch (NoSuchFileException | CorruptChunkException e) {
            throw new UnreadableException(chunk, e);
        }
    }

    /** Inserts the tuples of a chunk. */
    private void read(ChunkDescriptor input, TemplateTree tree, TupleBlock block) throws IOException {
        long before = tree.tuples();
        try (ChunkReader reader = open(input, tree.layout())) {
            ChunkDirectory directory = reader.directory();
            for (int leaf = 0; leaf < directory.leaves(); leaf++) {
                fill(block, directory, leaf, reader.readLeaf(leaf));
                tree.insert(block, 0, block.size());
            }
        } catch (CorruptChunkException e) {
            throw new UnreadableException(input, e);
        }
        if (tree.tuples() - before != input.tuples()) {
            CorruptChunkException damage = new CorruptChunkException(
                    input.file(),
                    "file, rows",
                    0,
                    input.tuples() + ", as the catalog says",
                    Long.toString(tree.tuples() - before));
            throw new UnreadableException(input, damage);
        }
    }

    private static void fill(TupleBlock block, ChunkDirectory directory, int leaf, LeafPart[] parts) {
        RowLayout layout = block.layout();
        int rows = directory.rows(leaf);
        block.clear();
        block.ensureRows(rows);
        System.arraycopy(parts[ChunkDirectory.KEYS].longs(), 0, block.keys(), 0, rows);
        System.arraycopy(parts[ChunkDirectory.TIMES].longs(), 0, block.times(), 0, rows);
        for (int c = 0; c < layout.columns(); c++) {
            LeafPart part = parts[directory.part(c)];
            if (!layout.variable(c)) {
                System.arraycopy(part.asInBlock(), 0, block.column(c), 0, rows * layout.width(c));
                continue;
            }
            int begin = block.arenaSize();
            int length = part.arena().length;
            block.ensureArena(length);
            System.arraycopy(part.arena(), 0, block.arena(), begin, length);
            block.setArenaSize(begin + length);
            for (int row = 0; row < rows; row++) {
                long reference = LittleEndian.getLong(part.values(), row * 8);
                LittleEndian.putLong(
                        block.column(c),
                        row * 8,
                        TupleBlock.reference(
                                begin + TupleBlock.referenceOffset(reference), TupleBlock.referenceLength(reference)));
            }
        }
        block.setSize(rows);
    }

    private ChunkDescriptor store(StreamSnapshot planned, List<ChunkDescriptor> inputs, EncodedChunk encoded)
            throws IOException {
        int indexer = inputs.get(0).indexer();
        IndexerCheckpoint checkpoint = planned.checkpoints().get(indexer);
        if (checkpoint == null) {
            throw new IllegalArgumentException("merge: edit " + planned.edit() + " has no indexer " + indexer);
        }
        long flush = inputs.stream().mapToLong(ChunkDescriptor::flush).max().orElseThrow();
        for (int name = 1; ; name++) {
            int part = parts.getAsInt();
            String file = ChunkDescriptor.fileName(
                    planned.stream().name(), planned.stream().id(), indexer, checkpoint.epoch(), flush, part);
            try {
                files.write(file, encoded.content());
            } catch (FileAlreadyExistsException e) {
                if (name == NAMES) {
                    throw e;
                }
                continue;
            }
            return new ChunkDescriptor(
                    file,
                    indexer,
                    checkpoint.epoch(),
                    flush,
                    part,
                    encoded.tuples(),
                    encoded.bytes(),
                    encoded.region(),
                    encoded.box());
        }
    }

    /**
     * Second step: one transaction. Safe to repeat.
     *
     * @return whether the output has taken the place of the inputs; if not, it never will: an input is gone, or the
     *     indexer has started anew
     * @throws WaterwheelException TEMPORARY when the catalog is away, and it is not known whether it was committed;
     *     {@link io.waterwheel.catalog.state.StreamGoneException} when the stream was dropped
     */
    public boolean commit(Written merge) {
        return new StreamCatalog(catalog, merge.planned().stream())
                .commitMerge(
                        new SnapshotReader(catalog, files, merge.planned().stream()),
                        merge.planned(),
                        merge.inputs(),
                        merge.output());
    }
}
