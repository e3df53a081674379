package io.waterwheel.chunk;

import io.waterwheel.model.LittleEndian;
import io.waterwheel.model.Region;
import io.waterwheel.model.RowLayout;
import org.jspecify.annotations.Nullable;

/**
 * What a chunk holds and where: its leaves, their ranges, the extents and checksums of their parts. Checked as a whole
 * when it is read. Immutable; any thread. Parts are numbered as {@link #KEYS}, {@link #TIMES}, {@link #part},
 * {@link #arenaPart}.
 */
public final class ChunkDirectory {
    /** The part that holds a leaf's keys, ascending. */
    public static final int KEYS = ChunkFormat.KEYS;
    /** The part that holds a leaf's times. */
    public static final int TIMES = ChunkFormat.TIMES;

    private final String file;
    private final RowLayout layout;
    /** The directory as it lies in the file. */
    private final byte[] bytes;

    private final long position;
    private final int parts;
    private final int leaves;

    /**
     * Takes a directory whose checksum was right.
     *
     * @param position of the directory in the file
     * @throws CorruptChunkException when its numbers do not fit together, the file or the layout
     */
    ChunkDirectory(String file, RowLayout layout, byte[] bytes, long position) {
        this.file = file;
        this.layout = layout;
        this.bytes = bytes;
        this.position = position;
        this.parts = ChunkFormat.parts(layout);
        if (bytes.length < ChunkFormat.HEAD_BYTES) {
            throw damaged(0, "at least " + ChunkFormat.HEAD_BYTES + " bytes", bytes.length + " bytes");
        }
        requireInt(ChunkFormat.HEAD_FINGERPRINT, layout.fingerprint(), "the row layout's fingerprint ");
        requireInt(ChunkFormat.HEAD_PARTS, parts, "parts: ");
        this.leaves = LittleEndian.getInt(bytes, ChunkFormat.HEAD_LEAVES);
        long expected = ChunkFormat.HEAD_BYTES + (long) leaves * ChunkFormat.entryBytes(parts);
        if (leaves < 1 || expected != bytes.length) {
            throw damaged(
                    ChunkFormat.HEAD_LEAVES,
                    "as many leaves as fill " + bytes.length + " bytes with the head",
                    leaves + " leaves");
        }
        checkEntries();
    }

    private void checkEntries() {
        long end = ChunkFormat.HEADER_BYTES;
        long sum = 0;
        long previousHigh = Long.MIN_VALUE;
        for (int leaf = 0; leaf < leaves; leaf++) {
            int entry = entry(leaf);
            long rows = LittleEndian.getInt(bytes, entry + ChunkFormat.ENTRY_ROWS);
            require(rows >= 1, entry + ChunkFormat.ENTRY_ROWS, "at least 1 row", rows);
            sum += rows;
            require(
                    offset(leaf) == end,
                    entry + ChunkFormat.ENTRY_OFFSET,
                    "leaf " + leaf + " to begin at " + end,
                    offset(leaf));
            require(
                    lowKey(leaf) <= highKey(leaf) && lowKey(leaf) >= previousHigh,
                    entry + ChunkFormat.ENTRY_LOW_KEY,
                    "the lowest key from " + previousHigh + " to " + highKey(leaf),
                    lowKey(leaf));
            require(
                    fromTime(leaf) <= toTime(leaf),
                    entry + ChunkFormat.ENTRY_FROM_TIME,
                    "the earliest time not after " + toTime(leaf),
                    fromTime(leaf));
            previousHigh = highKey(leaf);
            for (int p = 0; p < parts; p++) {
                int at = extent(leaf, p);
                long length = LittleEndian.getInt(bytes, at + ChunkFormat.PART_LENGTH);
                int encoding = bytes[at + ChunkFormat.PART_ENCODING];
                require(encoding == ChunkFormat.RAW, at + ChunkFormat.PART_ENCODING, "encoding 0", encoding);
                boolean arena = p == ChunkFormat.arena(layout);
                long wanted = arena ? Math.max(0, length) : rows * ChunkFormat.width(layout, p);
                require(length == wanted, at + ChunkFormat.PART_LENGTH, wanted + " bytes", length);
                end += length;
            }
        }
        require(end == position, entry(leaves - 1), "the last leaf to end at " + position, end);
        require(sum == rows(), ChunkFormat.HEAD_ROWS, sum + " rows, as the leaves have", rows());
        long low = LittleEndian.getLong(bytes, ChunkFormat.HEAD_LOW_KEY);
        long high = LittleEndian.getLong(bytes, ChunkFormat.HEAD_HIGH_KEY);
        require(low == lowKey(0), ChunkFormat.HEAD_LOW_KEY, "lowest key " + lowKey(0), low);
        require(high == previousHigh, ChunkFormat.HEAD_HIGH_KEY, "highest key " + previousHigh, high);
        long from = LittleEndian.getLong(bytes, ChunkFormat.HEAD_FROM_TIME);
        long to = LittleEndian.getLong(bytes, ChunkFormat.HEAD_TO_TIME);
        require(from <= to, ChunkFormat.HEAD_FROM_TIME, "the earliest time not after " + to, from);
    }

    private void require(boolean holds, int at, String expected, long actual) {
        if (!holds) {
            throw damaged(at, expected, Long.toString(actual));
        }
    }

    private void requireInt(int at, int expected, String what) {
        int actual = LittleEndian.getInt(bytes, at);
        if (actual != expected) {
            throw damaged(at, what + expected, Integer.toString(actual));
        }
    }

    private CorruptChunkException damaged(int at, String expected, String actual) {
        return new CorruptChunkException(file, "directory", position + at, expected, actual);
    }

    private int entry(int leaf) {
        return ChunkFormat.HEAD_BYTES + leaf * ChunkFormat.entryBytes(parts);
    }

    private int extent(int leaf, int part) {
        return entry(leaf) + ChunkFormat.ENTRY_PARTS + part * ChunkFormat.PART_BYTES;
    }

    /** The file's name in the chunk store. */
    public String file() {
        return file;
    }

    public RowLayout layout() {
        return layout;
    }

    /** Rows in all. */
    public long rows() {
        return LittleEndian.getLong(bytes, ChunkFormat.HEAD_ROWS);
    }

    /** The region that the tuples span. */
    public Region region() {
        return Region.of(
                LittleEndian.getLong(bytes, ChunkFormat.HEAD_LOW_KEY),
                LittleEndian.getLong(bytes, ChunkFormat.HEAD_HIGH_KEY),
                LittleEndian.getLong(bytes, ChunkFormat.HEAD_FROM_TIME),
                LittleEndian.getLong(bytes, ChunkFormat.HEAD_TO_TIME));
    }

    /** Number of leaves. */
    public int leaves() {
        return leaves;
    }

    /** Rows of a leaf. */
    public int rows(int leaf) {
        return LittleEndian.getInt(bytes, entry(leaf) + ChunkFormat.ENTRY_ROWS);
    }

    public long lowKey(int leaf) {
        return LittleEndian.getLong(bytes, entry(leaf) + ChunkFormat.ENTRY_LOW_KEY);
    }

    public long highKey(int leaf) {
        return LittleEndian.getLong(bytes, entry(leaf) + ChunkFormat.ENTRY_HIGH_KEY);
    }

    public long fromTime(int leaf) {
        return LittleEndian.getLong(bytes, entry(leaf) + ChunkFormat.ENTRY_FROM_TIME);
    }

    public long toTime(int leaf) {
        return LittleEndian.getLong(bytes, entry(leaf) + ChunkFormat.ENTRY_TO_TIME);
    }

    /** The first leaf whose highest key is not below the key; {@link #leaves} when there is none. */
    public int firstLeaf(long key) {
        int low = 0;
        int high = leaves;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (highKey(middle) < key) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** The part that holds a payload column. */
    public int part(int column) {
        return ChunkFormat.FIRST_COLUMN + column;
    }

    /** The part that variable columns refer to; only when the layout has one. */
    public int arenaPart() {
        return ChunkFormat.arena(layout);
    }

    /** Length of a part in the file. */
    public int length(int leaf, int part) {
        return LittleEndian.getInt(bytes, extent(leaf, part) + ChunkFormat.PART_LENGTH);
    }

    /** Offset of a part in the file. */
    public long offset(int leaf, int part) {
        long offset = offset(leaf);
        for (int p = 0; p < part; p++) {
            offset += length(leaf, p);
        }
        return offset;
    }

    private long offset(int leaf) {
        return LittleEndian.getLong(bytes, entry(leaf) + ChunkFormat.ENTRY_OFFSET);
    }

    /** Bytes that keeping this takes. */
    public int weight() {
        return bytes.length + 100;
    }

    /** Checks the bytes of a part that were read; throws when they are not those written. */
    void verify(int leaf, int part, byte[] read) {
        int expected = LittleEndian.getInt(bytes, extent(leaf, part) + ChunkFormat.PART_CHECKSUM);
        int actual = ChunkFormat.checksum(read, 0, read.length);
        if (actual != expected) {
            throw new CorruptChunkException(
                    file,
                    ChunkFormat.name(layout, leaf, part),
                    offset(leaf, part),
                    "checksum " + Integer.toHexString(expected),
                    Integer.toHexString(actual));
        }
        String wrong = wrongReference(leaf, part, read);
        if (wrong != null) {
            throw new CorruptChunkException(
                    file,
                    ChunkFormat.name(layout, leaf, part),
                    offset(leaf, part),
                    "references into an arena of " + length(leaf, arenaPart()) + " bytes",
                    wrong);
        }
    }

    private @Nullable String wrongReference(int leaf, int part, byte[] read) {
        int column = part - ChunkFormat.FIRST_COLUMN;
        if (column < 0 || column >= layout.columns() || !layout.variable(column)) {
            return null;
        }
        int arena = length(leaf, arenaPart());
        for (int at = 0; at < read.length; at += 8) {
            int offset = LittleEndian.getInt(read, at);
            int length = LittleEndian.getInt(read, at + 4);
            if (offset < 0 || length < 0 || offset > arena - length) {
                return "offset " + offset + ", length " + length + " in row " + at / 8;
            }
        }
        return null;
    }
}
