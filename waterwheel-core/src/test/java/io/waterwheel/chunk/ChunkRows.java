package io.waterwheel.chunk;

import io.waterwheel.index.PagePool;
import io.waterwheel.index.Template;
import io.waterwheel.index.TemplateTree;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.store.ChunkStore;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Writes chunks of rows, and reads them row by row, the plain way. */
public final class ChunkRows {
    private ChunkRows() {}

    /** Writes all rows of a block as a chunk; gives back the tree that was written, to be discarded. */
    public static TemplateTree write(TupleBlock rows, Schema schema, ChunkStore store, String file) throws IOException {
        TemplateTree tree = new TemplateTree(RowLayout.of(schema), Template.single(), new PagePool(1 << 26));
        tree.insert(rows, 0, rows.size());
        store.write(file, new ChunkWriter().encode(tree, schema).content());
        return tree;
    }

    /** All rows in the order of the file. */
    public static TupleBlock read(ChunkReader reader) throws IOException {
        ChunkDirectory directory = reader.directory();
        RowLayout layout = directory.layout();
        TupleBlock block = new TupleBlock(layout, 0);
        for (int leaf = 0; leaf < directory.leaves(); leaf++) {
            LeafPart[] parts = reader.readLeaf(leaf);
            int first = block.size();
            int rows = directory.rows(leaf);
            block.ensureRows(first + rows);
            byte[][] columns = new byte[layout.columns()][];
            for (int c = 0; c < columns.length; c++) {
                columns[c] = parts[directory.part(c)].asInBlock();
            }
            for (int row = 0; row < rows; row++) {
                block.keys()[first + row] = parts[ChunkDirectory.KEYS].longs()[row];
                block.times()[first + row] = parts[ChunkDirectory.TIMES].longs()[row];
                for (int c = 0; c < layout.columns(); c++) {
                    int width = layout.width(c);
                    System.arraycopy(columns[c], row * width, block.column(c), (first + row) * width, width);
                    if (layout.variable(c)) {
                        long reference = LittleEndian.getLong(block.column(c), (first + row) * 8);
                        reference = block.addToArena(
                                parts[directory.part(c)].arena(),
                                TupleBlock.referenceOffset(reference),
                                TupleBlock.referenceLength(reference));
                        LittleEndian.putLong(block.column(c), (first + row) * 8, reference);
                    }
                }
            }
            block.setSize(first + rows);
        }
        return block;
    }

    /** A file of these bytes. */
    public static ChunkStore.Input input(String name, byte[] bytes) {
        return new ChunkStore.Input() {
            @Override
            public String name() {
                return name;
            }

            @Override
            public long size() {
                return bytes.length;
            }

            @Override
            public void read(long position, byte[] target, int offset, int length) throws IOException {
                if (position + length > bytes.length) {
                    throw new EOFException(name);
                }
                System.arraycopy(bytes, (int) position, target, offset, length);
            }

            @Override
            public void readVectored(long[] positions, int[] lengths, byte[] target) throws IOException {
                int to = 0;
                for (int i = 0; i < positions.length; i++) {
                    if (i > 0 && positions[i] < positions[i - 1] + lengths[i - 1]) {
                        throw new IllegalArgumentException("ranges overlap, as HDFS says, too");
                    }
                    read(positions[i], target, to, lengths[i]);
                    to += lengths[i];
                }
            }

            @Override
            public void close() {}
        };
    }

    /** The content as one array. */
    public static byte[] bytes(EncodedChunk chunk) {
        ByteBuffer all = ByteBuffer.allocate((int) chunk.bytes());
        chunk.content().forEach(part -> all.put(part.duplicate()));
        return all.array();
    }
}
