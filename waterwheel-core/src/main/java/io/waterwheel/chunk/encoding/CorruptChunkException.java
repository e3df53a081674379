package io.waterwheel.chunk.encoding;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import java.io.IOException;

/** A chunk file is not as it was written: bits flipped, a piece missing, all of it, or it is another stream's. */
public final class CorruptChunkException extends WaterwheelException {
    private static final long serialVersionUID = 1;

    private final String file;
    private final String part;
    private final long offset;

    /**
     * @param file name in the chunk store
     * @param part of the file, in the words of docs/chunk-format.md
     * @param offset in the file where the part, or the wrong number, begins
     */
    public CorruptChunkException(String file, String part, long offset, String expected, String actual) {
        this(
                file,
                part,
                offset,
                "chunk " + file + " is damaged: " + part + " at offset " + offset + ": expected " + expected + ", got "
                        + actual + ". Restore the file from a copy");
    }

    private CorruptChunkException(String file, String part, long offset, String message) {
        super(ErrorCode.CHUNK_CORRUPT, message);
        this.file = file;
        this.part = part;
        this.offset = offset;
    }

    /**
     * Of a file that the catalog names, and the store does not have.
     *
     * @param cause what the store said
     */
    public static CorruptChunkException missing(String file, IOException cause) {
        CorruptChunkException missing = new CorruptChunkException(
                file,
                "file",
                0,
                "chunk " + file + " is missing: there is no such file in the chunk store. See that the store's disk is"
                        + " mounted; else restore the file from a copy");
        missing.initCause(cause);
        return missing;
    }

    public String file() {
        return file;
    }

    public String part() {
        return part;
    }

    public long offset() {
        return offset;
    }
}
