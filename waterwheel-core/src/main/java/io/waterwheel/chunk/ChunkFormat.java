package io.waterwheel.chunk;

import io.waterwheel.model.RowLayout;
import java.util.zip.CRC32C;

/** Offsets, lengths and codes of the chunk file, version 1, in the words of {@code docs/chunk-format.md}. */
final class ChunkFormat {
    static final int VERSION = 1;
    /** "WWCHUNK\n" as it lies in the file. */
    static final long MAGIC = 0x0A4B4E5548435757L;

    static final long END_MAGIC = Long.reverseBytes(MAGIC);

    /** Rows of every leaf but the last. */
    static final int LEAF_ROWS = 2048;

    static final int HEADER_MAGIC = 0;
    static final int HEADER_VERSION = HEADER_MAGIC + 8;
    static final int HEADER_BYTES = HEADER_VERSION + 4 + 4;

    static final int KEYS = 0;
    static final int TIMES = 1;
    static final int FIRST_COLUMN = 2;

    static final int HEAD_FINGERPRINT = 0;
    static final int HEAD_PARTS = HEAD_FINGERPRINT + 4;
    static final int HEAD_LEAVES = HEAD_PARTS + 4;
    static final int HEAD_ROWS = HEAD_LEAVES + 4 + 4;
    static final int HEAD_TUPLE_BYTES = HEAD_ROWS + 8;
    static final int HEAD_LOW_KEY = HEAD_TUPLE_BYTES + 8;
    static final int HEAD_HIGH_KEY = HEAD_LOW_KEY + 8;
    static final int HEAD_FROM_TIME = HEAD_HIGH_KEY + 8;
    static final int HEAD_TO_TIME = HEAD_FROM_TIME + 8;
    static final int HEAD_BYTES = HEAD_TO_TIME + 8;

    static final int ENTRY_OFFSET = 0;
    static final int ENTRY_ROWS = ENTRY_OFFSET + 8;
    static final int ENTRY_LOW_KEY = ENTRY_ROWS + 4 + 4;
    static final int ENTRY_HIGH_KEY = ENTRY_LOW_KEY + 8;
    static final int ENTRY_FROM_TIME = ENTRY_HIGH_KEY + 8;
    static final int ENTRY_TO_TIME = ENTRY_FROM_TIME + 8;
    static final int ENTRY_PARTS = ENTRY_TO_TIME + 8;

    static final int PART_LENGTH = 0;
    static final int PART_CHECKSUM = PART_LENGTH + 4;
    static final int PART_ENCODING = PART_CHECKSUM + 4;
    static final int PART_BYTES = PART_ENCODING + 1 + 3;

    static final byte RAW = 0;

    static final int FOOTER_DIRECTORY_OFFSET = 0;
    static final int FOOTER_DIRECTORY_LENGTH = FOOTER_DIRECTORY_OFFSET + 8;
    static final int FOOTER_DIRECTORY_CHECKSUM = FOOTER_DIRECTORY_LENGTH + 4;
    static final int FOOTER_FILE_LENGTH = FOOTER_DIRECTORY_CHECKSUM + 4;
    static final int FOOTER_VERSION = FOOTER_FILE_LENGTH + 8;
    static final int FOOTER_CHECKSUM = FOOTER_VERSION + 4;
    static final int FOOTER_MAGIC = FOOTER_CHECKSUM + 4;
    static final int FOOTER_BYTES = FOOTER_MAGIC + 8;

    private ChunkFormat() {}

    /** Parts of a leaf. */
    static int parts(RowLayout layout) {
        return FIRST_COLUMN + layout.columns() + (layout.hasVariable() ? 1 : 0);
    }

    /** The number of the arena part; only for layouts that have one. */
    static int arena(RowLayout layout) {
        return FIRST_COLUMN + layout.columns();
    }

    /** Bytes a row takes in a part; 0 for the arena. */
    static int width(RowLayout layout, int part) {
        if (part < FIRST_COLUMN) {
            return 8;
        }
        return part == arena(layout) ? 0 : layout.width(part - FIRST_COLUMN);
    }

    static int entryBytes(int parts) {
        return ENTRY_PARTS + parts * PART_BYTES;
    }

    /** The part's name in messages. */
    static String name(RowLayout layout, int leaf, int part) {
        String name = "arena";
        if (part < FIRST_COLUMN) {
            name = part == KEYS ? "keys" : "times";
        } else if (part < arena(layout)) {
            name = "column " + (part - FIRST_COLUMN);
        }
        return "leaf " + leaf + ", " + name;
    }

    static int checksum(byte[] bytes, int offset, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, offset, length);
        return (int) crc.getValue();
    }
}
