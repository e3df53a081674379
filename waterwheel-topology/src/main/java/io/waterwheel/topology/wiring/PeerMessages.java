package io.waterwheel.topology.wiring;

import io.waterwheel.decode.BlockCodec;
import io.waterwheel.query.IndexerHeader;
import io.waterwheel.query.ScanStatistics;
import io.waterwheel.query.Subquery;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import io.waterwheel.wire.SubqueryCodec;
import java.io.IOException;
import java.util.Arrays;

/**
 * The messages of a subquery's answer between workers: one byte says what follows. An indexer's answer is HEADER, then
 * BLOCKs numbered from 0, then END; a chunk's the same without the header. END counts blocks and matching tuples, so an
 * answer that lost anything is noticed, and says what was looked at, and where the next piece of the chunk begins. A
 * BLOCK of an indexer says up to which offsets its tuples may lie, where that is above the header's watermarks: who has
 * enough reads no END.
 */
final class PeerMessages {
    private static final byte HEADER = 1;
    private static final byte BLOCK = 2;
    private static final byte END = 3;
    /** Bytes of a BLOCK before its partitions: its kind, its number, how many partitions it names. */
    private static final int BLOCK_HEAD = 9;

    private static final int BLOCK_ABOVE = 5;
    /** A partition and an offset. */
    private static final int SHOWN_BYTES = 12;

    /** Bytes of an END before what was looked at: its kind, the blocks, what was found, the next leaf. */
    private static final int END_HEAD = 17;

    private static final int NEXT_LEAF = 13;

    /** An END names a few reasons a field, and no more. */
    private static final int MOST_END_BYTES = 1 << 20;

    /** In place of the next leaf: the chunk was read to its end. */
    static final int NO_LEAF = -1;

    private PeerMessages() {}

    static byte[] header(IndexerHeader header) {
        byte[] body = SubqueryCodec.write(header);
        byte[] message = new byte[1 + body.length];
        message[0] = HEADER;
        System.arraycopy(body, 0, message, 1, body.length);
        return message;
    }

    /** @param shown per partition, an offset above every tuple so far; empty for a chunk's */
    static byte[] block(int number, TupleBlock rows, long[] shown, long[] watermarks) {
        int above = 0;
        for (int p = 0; p < shown.length; p++) {
            above += shown[p] > watermarks[p] ? 1 : 0;
        }
        int body = BLOCK_HEAD + above * SHOWN_BYTES;
        byte[] message = new byte[body + BlockCodec.encodedBytes(rows, false)];
        message[0] = BLOCK;
        LittleEndian.putInt(message, 1, number);
        LittleEndian.putInt(message, BLOCK_ABOVE, above);
        int at = BLOCK_HEAD;
        for (int p = 0; p < shown.length; p++) {
            if (shown[p] > watermarks[p]) {
                LittleEndian.putInt(message, at, p);
                LittleEndian.putLong(message, at + Integer.BYTES, shown[p]);
                at += SHOWN_BYTES;
            }
        }
        BlockCodec.encode(rows, false, message, body);
        return message;
    }

    static byte[] end(int blocks, long found, ScanStatistics scanned, int nextLeaf) {
        byte[] body = SubqueryCodec.write(scanned);
        byte[] message = new byte[END_HEAD + body.length];
        message[0] = END;
        LittleEndian.putInt(message, 1, blocks);
        LittleEndian.putLong(message, 5, found);
        LittleEndian.putInt(message, NEXT_LEAF, nextLeaf);
        System.arraycopy(body, 0, message, END_HEAD, body.length);
        return message;
    }

    static boolean isEnd(byte[] message) {
        return message.length >= END_HEAD && message[0] == END;
    }

    /** What the scan looked at, as the end says. */
    static ScanStatistics readScanned(byte[] end) throws IOException {
        if (end.length > MOST_END_BYTES) {
            throw new IOException("the answer ends with " + end.length + " bytes; expected at most " + MOST_END_BYTES);
        }
        try {
            return SubqueryCodec.readScanned(Arrays.copyOfRange(end, END_HEAD, end.length));
        } catch (IllegalArgumentException e) {
            throw new IOException("the answer does not end as it should: " + e.getMessage(), e);
        }
    }

    /**
     * Where the next piece of the chunk begins, or {@link #NO_LEAF}.
     *
     * @param piece that was asked for
     * @param leaves that the scan has said the chunk has; only that of the first piece says it
     * @throws IOException when no piece can begin there
     */
    static int readNextLeaf(byte[] end, Subquery.Piece piece, long leaves) throws IOException {
        int next = LittleEndian.getInt(end, NEXT_LEAF);
        boolean inChunk = piece.fromLeaf() > 0 || next < leaves;
        if (next != NO_LEAF && !(piece.isBounded() && next > piece.fromLeaf() && inChunk)) {
            throw new IOException("expected a leaf of the chunk after " + piece.fromLeaf()
                    + " where the next piece begins, or none, got " + next);
        }
        return next;
    }

    static IndexerHeader readHeader(byte[] message) throws IOException {
        if (message.length < 1 || message[0] != HEADER) {
            throw new IOException("the answer does not begin with a header");
        }
        return SubqueryCodec.readHeader(Arrays.copyOfRange(message, 1, message.length));
    }

    static TupleBlock readBlock(byte[] message, int number, RowLayout layout) throws IOException {
        if (message.length < BLOCK_HEAD || message[0] != BLOCK || LittleEndian.getInt(message, 1) != number) {
            throw new IOException("expected block " + number + " of the answer, got something else");
        }
        int above = LittleEndian.getInt(message, BLOCK_ABOVE);
        if (above < 0 || above > (message.length - BLOCK_HEAD) / SHOWN_BYTES) {
            throw new IOException("block " + number + " of the answer names " + above + " partitions in "
                    + message.length + " bytes");
        }
        TupleBlock rows = new TupleBlock(layout, 0);
        int body = BLOCK_HEAD + above * SHOWN_BYTES;
        BlockCodec.decode(message, body, message.length - body, rows);
        return rows;
    }

    /**
     * Raises what was shown so far to what a block says.
     *
     * @param block that was read
     * @param shown per partition
     */
    static void readShown(byte[] block, long[] shown) throws IOException {
        int above = LittleEndian.getInt(block, BLOCK_ABOVE);
        for (int i = 0; i < above; i++) {
            int at = BLOCK_HEAD + i * SHOWN_BYTES;
            int partition = LittleEndian.getInt(block, at);
            if (partition < 0 || partition >= shown.length) {
                throw new IOException("a block of the answer names partition " + partition + " of " + shown.length);
            }
            shown[partition] = Math.max(shown[partition], LittleEndian.getLong(block, at + Integer.BYTES));
        }
    }

    /** The number of matching tuples, after checking the number of blocks. */
    static long readEnd(byte[] message, int blocks) throws IOException {
        int said = LittleEndian.getInt(message, 1);
        if (said != blocks) {
            throw new IOException("the answer has " + said + " blocks, " + blocks + " came");
        }
        return LittleEndian.getLong(message, 5);
    }
}
