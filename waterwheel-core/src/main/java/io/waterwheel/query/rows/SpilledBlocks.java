package io.waterwheel.query.rows;

import io.waterwheel.query.memory.SpillFile;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.tuple.TupleBlock;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Blocks of one layout in a file, for this process alone: of each a checksum, the number of rows and the bytes of its
 * arena, then its columns and its arena as they are. One thread.
 */
public final class SpilledBlocks implements AutoCloseable {
    /** CRC-32C of all that follows, rows, bytes of the arena; 4 bytes each. */
    private static final int HEADER_BYTES = 12;

    private final RowLayout layout;
    private final SpillFile file;
    private final CRC32C checksum = new CRC32C();
    private ByteBuffer buffer = ByteBuffer.allocate(HEADER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    private int largest;

    /** @param file empty; its own from now on */
    public SpilledBlocks(RowLayout layout, SpillFile file) {
        if (layout.keyed()) {
            throw new IllegalArgumentException("blocks of results are spilled, not those of a stream");
        }
        this.layout = layout;
        this.file = file;
    }

    /** Bytes that are written: where the next block begins. */
    public long end() {
        return file.end();
    }

    /** Bytes of the largest block. */
    public int largest() {
        return largest;
    }

    private ByteBuffer buffer(int length) {
        if (buffer.capacity() < length) {
            buffer = ByteBuffer.allocate(length + (length >> 2)).order(ByteOrder.LITTLE_ENDIAN);
        }
        return buffer.clear().limit(length);
    }

    /** Adds a block at the end. */
    public void append(TupleBlock block) {
        int length = Math.toIntExact(HEADER_BYTES + block.bytes());
        ByteBuffer into = buffer(length).position(HEADER_BYTES);
        for (int c = 0; c < layout.columns(); c++) {
            into.put(block.column(c), 0, block.size() * layout.width(c));
        }
        into.put(block.arena(), 0, block.arenaSize());
        if (into.hasRemaining()) {
            throw new IllegalStateException("a block of " + length + " bytes wrote " + into.position());
        }
        into.putInt(4, block.size()).putInt(8, block.arenaSize()).putInt(0, sum(into, length));
        file.append(into.position(0));
        largest = Math.max(largest, length);
    }

    private int sum(ByteBuffer of, int length) {
        checksum.reset();
        checksum.update(of.duplicate().limit(length).position(4));
        return (int) checksum.getValue();
    }

    /** The blocks of a part of the file, one after the other. */
    public Reader reader(long from, long to) {
        return new Reader(from, to);
    }

    @Override
    public void close() {
        file.close();
    }

    /** Reads blocks in turn. One thread, that of the file. */
    public final class Reader {
        private long at;
        private final long to;

        private Reader(long from, long to) {
            this.at = from;
            this.to = to;
        }

        /** The next block, new; null at the end. */
        public @Nullable TupleBlock next() {
            if (at >= to) {
                return null;
            }
            ByteBuffer header = buffer(HEADER_BYTES);
            file.read(at, header);
            int sum = header.getInt(0);
            int rows = header.getInt(4);
            int arena = header.getInt(8);
            long length = HEADER_BYTES + (long) rows * layout.rowWidth() + arena;
            if (rows < 1 || arena < 0 || length > Math.min(largest, to - at)) {
                throw file.damaged(at);
            }
            ByteBuffer body = buffer((int) length);
            file.read(at, body);
            if (sum(body, (int) length) != sum) {
                throw file.damaged(at);
            }
            TupleBlock block = new TupleBlock(layout, rows);
            body.position(HEADER_BYTES);
            for (int c = 0; c < layout.columns(); c++) {
                body.get(block.column(c), 0, rows * layout.width(c));
            }
            block.ensureArena(arena);
            body.get(block.arena(), 0, arena);
            block.setArenaSize(arena);
            block.setSize(rows);
            at += length;
            return block;
        }
    }
}
