package io.waterwheel.chunk.encoding;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;

/** A chunk file is not as it was written: bits flipped, a piece missing, or it is another stream's. */
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
        super(
                ErrorCode.CHUNK_CORRUPT,
                "chunk " + file + " is damaged: " + part + " at offset " + offset + ": expected " + expected + ", got "
                        + actual + ". Restore the file from a copy");
        this.file = file;
        this.part = part;
        this.offset = offset;
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
