package io.waterwheel.chunk.encoding;

import io.waterwheel.tuple.LittleEndian;

/**
 * Reads a part or section from front to back; whatever would lead beyond its end is damage. Bytes of a part are
 * followed by {@link ChunkFormat#SLACK} readable ones. One thread.
 */
public final class PartCursor {
    private final String file;
    private byte[] bytes = new byte[0];
    private int position;
    private int limit;
    /** Offset in the file of the first byte of {@link #bytes}; of what was compressed, the offset of the frame. */
    private long origin;

    private boolean compressed;
    /** A leaf and part, or a leaf below 0 and a section's tag. */
    private int leaf;

    private int part;

    public PartCursor(String file) {
        this.file = file;
    }

    /**
     * Sets it on a part of a leaf; with a leaf of -1, on the directory's section of that tag, or on its head with 0.
     */
    public void set(byte[] source, int from, int length, long sourceOffset, int leafNumber, int partOrTag) {
        bytes = source;
        position = from;
        limit = from + length;
        origin = sourceOffset;
        leaf = leafNumber;
        part = partOrTag;
        compressed = false;
    }

    /** Goes on in other bytes: the content of the part after decompression. */
    public void enter(byte[] content, int length) {
        origin += position;
        compressed = true;
        bytes = content;
        position = 0;
        limit = length;
    }

    public byte[] bytes() {
        return bytes;
    }

    public int position() {
        return position;
    }

    public int remaining() {
        return limit - position;
    }

    /** Steps over {@code length} bytes and returns where they begin. */
    public int skip(long length) {
        if (length < 0 || length > limit - position) {
            throw damaged("at most " + (limit - position) + " bytes left", length + " bytes");
        }
        int from = position;
        position += (int) length;
        return from;
    }

    public int u8() {
        return bytes[skip(1)] & 0xFF;
    }

    /** The next byte, which is not stepped over; -1 at the end. */
    int next() {
        return position < limit ? bytes[position] & 0xFF : -1;
    }

    public int u16() {
        return LittleEndian.getShort(bytes, skip(2)) & 0xFFFF;
    }

    public int i32() {
        return LittleEndian.getInt(bytes, skip(4));
    }

    public long i64() {
        return LittleEndian.getLong(bytes, skip(8));
    }

    long number() {
        int length = u8();
        if (length > 8) {
            throw damaged("a number of 0 to 8 bytes", length + " bytes");
        }
        int from = skip(length);
        long value = 0;
        for (int i = 0; i < length; i++) {
            value |= (bytes[from + i] & 0xFFL) << (8 * i);
        }
        return length == 0 ? 0 : value << (64 - 8 * length) >> (64 - 8 * length);
    }

    /** A count of at least {@code least} and at most {@code most}. */
    public int count(int least, int most) {
        int count = u16();
        if (count < least || count > most) {
            throw damaged("a count of " + least + " to " + most, Integer.toString(count));
        }
        return count;
    }

    public void requireEnd() {
        if (position != limit) {
            throw damaged("its end", (limit - position) + " bytes more");
        }
    }

    public CorruptChunkException damaged(String expected, String actual) {
        return new CorruptChunkException(file, name(), compressed ? origin : origin + position, expected, actual);
    }

    private String name() {
        if (leaf >= 0) {
            return ChunkFormat.name(leaf, part);
        }
        return part == 0 ? "directory" : "directory, section " + (part & ~ChunkFormat.TAG_NEEDED);
    }
}
