package io.waterwheel.chunk.encoding;

import io.waterwheel.schema.RowLayout;
import java.util.zip.CRC32C;

/** Offsets, lengths and codes of the chunk file, version 1, in the words of {@code docs/chunk-format.md}. */
public final class ChunkFormat {
    public static final int VERSION = 1;
    /** "WWCHUNK\n" as it lies in the file. */
    public static final long MAGIC = 0x0A4B4E5548435757L;

    public static final long END_MAGIC = Long.reverseBytes(MAGIC);

    /** Rows of every leaf but the last, as this writer makes them; also the most that a leaf may have. */
    public static final int LEAF_ROWS = 2048;

    static final int HEADER_MAGIC = 0;
    static final int HEADER_VERSION = HEADER_MAGIC + 8;
    public static final int HEADER_BYTES = HEADER_VERSION + 4 + 4;

    public static final int KEYS = 0;
    public static final int TIMES = 1;
    public static final int FIRST_COLUMN = 2;

    public static final int FORM_RAW = 0;
    public static final int FORM_INTEGERS = 1;
    public static final int FORM_DECIMALS = 2;
    public static final int FORM_VALUES = 3;
    public static final int FORM_DICTIONARY = 4;
    public static final int FORM_FOLLOWS = 5;
    public static final int FORM_NUMBERS = 6;
    public static final int FORM_COMPRESSED = 0x80;

    public static final int MAX_DIGITS = 12;
    /** Content may be at most this many times as long as its compressed form. */
    public static final int MAX_RATIO = 256;

    static final int INTEGERS_CONSTANT = 0;
    static final int INTEGERS_PACKED = 1;
    static final int INTEGERS_PATCHED = 2;
    static final int INTEGERS_DELTA = 3;
    static final int INTEGERS_DICTIONARY = 4;
    static final int INTEGERS_RUNS = 5;

    /** How deep integers may lie within integers. */
    static final int MAX_DEPTH = 3;
    /** Packed integers have at most these bits, or all 64. */
    static final int MAX_PACKED_BITS = 56;
    /** Readable bytes that must follow packed integers in memory: they are loaded eight bytes at a time. */
    public static final int SLACK = 8;

    public static final int HEAD_FINGERPRINT = 0;
    public static final int HEAD_COLUMNS = HEAD_FINGERPRINT + 4;
    public static final int HEAD_LEAVES = HEAD_COLUMNS + 4;
    public static final int HEAD_LEAF_ROWS = HEAD_LEAVES + 4;
    public static final int HEAD_ROWS = HEAD_LEAF_ROWS + 4;
    public static final int HEAD_TUPLE_BYTES = HEAD_ROWS + 8;
    public static final int HEAD_LOW_KEY = HEAD_TUPLE_BYTES + 8;
    public static final int HEAD_HIGH_KEY = HEAD_LOW_KEY + 8;
    public static final int HEAD_FROM_TIME = HEAD_HIGH_KEY + 8;
    public static final int HEAD_TO_TIME = HEAD_FROM_TIME + 8;
    public static final int HEAD_SECTIONS = HEAD_TO_TIME + 8;
    public static final int HEAD_BYTES = HEAD_SECTIONS + 4 + 4;

    public static final int SECTION_TAG = 0;
    public static final int SECTION_LENGTH = SECTION_TAG + 4;
    public static final int SECTION_CONTENT = SECTION_LENGTH + 4;

    public static final int TAG_NEEDED = 0x80000000;
    public static final int TAG_FIELDS = 1;
    public static final int TAG_LEAVES = TAG_NEEDED | 2;
    public static final int TAG_PARTS = TAG_NEEDED | 3;
    public static final int TAG_KEY = TAG_NEEDED | 4;
    public static final int TAG_ZONES = 5;
    public static final int TAG_SKETCHES = 6;
    public static final int TAG_BLOOMS = 7;
    public static final int TAG_DICTIONARIES = 8;
    public static final int TAG_TEXTS = 9;
    public static final int TAG_DEPENDENCIES = TAG_NEEDED | 10;
    public static final int TAG_UNSORTED = TAG_NEEDED | 11;
    public static final int TAG_NUMBERED = TAG_NEEDED | 12;

    public static final int NO_SKETCH = 255;

    /** Length of a part that follows: its form alone. No other part is as short. */
    public static final int FOLLOWING_BYTES = 1;
    /** Most columns that others follow from. */
    public static final int MOST_SOURCES = 8;
    /** Most values of one of them. */
    public static final int MOST_SOURCE_VALUES = 8192;
    /** Most bytes that they have together. */
    public static final int MOST_SOURCE_BYTES = 1 << 20;

    public static final int FIELD_NULLABLE = 1;
    public static final int FIELD_INDEXED = 2;
    public static final int FIELD_TEXT_INDEXED = 4;

    public static final int FOOTER_DIRECTORY_OFFSET = 0;
    public static final int FOOTER_DIRECTORY_LENGTH = FOOTER_DIRECTORY_OFFSET + 8;
    public static final int FOOTER_DIRECTORY_CHECKSUM = FOOTER_DIRECTORY_LENGTH + 4;
    public static final int FOOTER_FILE_LENGTH = FOOTER_DIRECTORY_CHECKSUM + 4;
    public static final int FOOTER_VERSION = FOOTER_FILE_LENGTH + 8;
    public static final int FOOTER_CHECKSUM = FOOTER_VERSION + 4;
    public static final int FOOTER_MAGIC = FOOTER_CHECKSUM + 4;
    public static final int FOOTER_BYTES = FOOTER_MAGIC + 8;

    private ChunkFormat() {}

    /** Parts of a leaf. */
    public static int parts(RowLayout layout) {
        return FIRST_COLUMN + layout.columns();
    }

    /** The part's name in messages. */
    public static String name(int leaf, int part) {
        return "leaf " + leaf + ", "
                + switch (part) {
                    case KEYS -> "keys";
                    case TIMES -> "times";
                    default -> "column " + (part - FIRST_COLUMN);
                };
    }

    public static int checksum(byte[] bytes, int offset, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, offset, length);
        return (int) crc.getValue();
    }
}
