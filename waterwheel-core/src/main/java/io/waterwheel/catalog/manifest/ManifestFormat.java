package io.waterwheel.catalog.manifest;

import java.nio.charset.StandardCharsets;

/** Constants of the manifest files; the layout is in docs/manifest-format.md. */
public final class ManifestFormat {
    /** What a file holds. */
    public enum Kind {
        /** Tables, routes, checkpoints: all but the chunks. */
        STATE(1),
        /** Chunks added and removed after one edit up to another. */
        CHUNKS(2);

        private final int code;

        Kind(int code) {
            this.code = code;
        }

        int code() {
            return code;
        }
    }

    static final byte[] MAGIC = "WWMANIF\n".getBytes(StandardCharsets.US_ASCII);
    static final byte[] END_MAGIC = "\nFINAMWW".getBytes(StandardCharsets.US_ASCII);
    /** Of states whose tables name scales of a later version. */
    static final int WITH_SCALES = 6;

    /** Of files with bounds of dimensions, which are written only where chunks have some. */
    static final int WITH_CELLS = 5;

    /** Of other files: as releases write and read them that know of no dimensions. */
    static final int VERSION = 4;

    /** The usual names of chunks are those of a stream that is one folder. Still read. */
    static final int FLAT_NAMES = 2;

    /** Without horizons: nothing was ever expired. Still read. */
    static final int WITHOUT_HORIZON = 1;

    /** Without unfinished changes: there were none. Still read. */
    static final int WITHOUT_UNFINISHED = 3;

    static final int AT_VERSION = MAGIC.length;
    static final int AT_KIND = AT_VERSION + Integer.BYTES;
    static final int AT_STREAM = AT_KIND + Integer.BYTES;
    static final int AT_SECTIONS = AT_STREAM + Integer.BYTES;
    static final int AT_FROM = AT_SECTIONS + Integer.BYTES;
    static final int AT_TO = AT_FROM + Long.BYTES;
    static final int AT_CHECKSUM = AT_TO + Long.BYTES;
    static final int HEADER_BYTES = AT_CHECKSUM + Integer.BYTES;

    /** Of a section, before its content: tag, entries, length, checksum. */
    static final int SECTION_ENTRIES = Integer.BYTES;

    static final int SECTION_LENGTH = SECTION_ENTRIES + Integer.BYTES;
    static final int SECTION_CHECKSUM = SECTION_LENGTH + Long.BYTES;
    static final int SECTION_BYTES = SECTION_CHECKSUM + Integer.BYTES;

    /** Of a column, before its values: width and base. */
    static final int COLUMN_HEAD = 1 + Long.BYTES;

    /** A file is read whole, into one array. */
    static final long MAX_FILE_BYTES = Integer.MAX_VALUE - 64L;

    static final int TABLES = 1;
    static final int ROUTES = 2;
    static final int CHECKPOINTS = 3;
    static final int MARKS = 4;
    static final int CHUNK_COUNT = 5;
    static final int HORIZON = 6;
    static final int ANNOUNCED = 7;
    static final int NARROW = 8;
    static final int SCALES = 9;

    static final int INDEXER = 16;
    static final int EPOCH = 17;
    static final int FLUSH = 18;
    static final int PART = 19;
    static final int TUPLES = 20;
    static final int BYTES = 21;
    static final int LOW_KEY = 22;
    static final int HIGH_KEY = 23;
    static final int FROM_TIME = 24;
    static final int TO_TIME = 25;
    static final int NAMES = 26;
    static final int REMOVED = 27;
    static final int LEAST_CELLS = 28;
    static final int GREATEST_CELLS = 29;

    /** In both, for a chunk whose bounds are not known: no cell is below 0. */
    static final long NO_CELLS = -1;

    /** Columns of the chunks that were added, in this order. */
    static final int FIRST_COLUMN = INDEXER;

    static final int COLUMNS = TO_TIME - INDEXER + 1;

    private ManifestFormat() {}

    /** A section in the words of the document. */
    static String name(int tag) {
        return switch (tag) {
            case TABLES -> "tables";
            case ROUTES -> "routes";
            case CHECKPOINTS -> "checkpoints";
            case MARKS -> "marks";
            case CHUNK_COUNT -> "chunk count";
            case HORIZON -> "horizon";
            case ANNOUNCED -> "announced";
            case NARROW -> "narrow";
            case SCALES -> "scales";
            case INDEXER -> "column indexer";
            case EPOCH -> "column epoch";
            case FLUSH -> "column flush";
            case PART -> "column part";
            case TUPLES -> "column tuples";
            case BYTES -> "column bytes";
            case LOW_KEY -> "column low key";
            case HIGH_KEY -> "column high key";
            case FROM_TIME -> "column from time";
            case TO_TIME -> "column to time";
            case NAMES -> "names";
            case REMOVED -> "removed";
            case LEAST_CELLS -> "column least cells";
            case GREATEST_CELLS -> "column greatest cells";
            default -> "section " + tag;
        };
    }
}
