package io.waterwheel.catalog.manifest;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;

/** A manifest file is not as it was written: bits flipped, a piece or the file missing, or it is another's. */
public final class CorruptManifestException extends WaterwheelException {
    private static final long serialVersionUID = 1;

    private final String file;
    private final String part;
    private final long offset;

    /**
     * @param file name in the chunk store
     * @param part of the file, in the words of docs/manifest-format.md
     * @param offset in the file where the part, or the wrong number, begins
     */
    public CorruptManifestException(String file, String part, long offset, String expected, String actual) {
        super(
                ErrorCode.MANIFEST_CORRUPT,
                "manifest " + file + " is damaged: " + part + " at offset " + offset + ": expected " + expected
                        + ", got " + actual + ". Restore the file from a copy");
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
