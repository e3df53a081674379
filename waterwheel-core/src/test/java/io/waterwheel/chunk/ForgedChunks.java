package io.waterwheel.chunk;

import io.waterwheel.chunk.encoding.ChunkFormat;
import io.waterwheel.tuple.LittleEndian;

/** Changes to the bytes of a chunk that no checksum shows. */
final class ForgedChunks {
    private ForgedChunks() {}

    /** Makes the checksums of the directory and of the footer right again. */
    static void sign(byte[] chunk) {
        int footer = chunk.length - ChunkFormat.FOOTER_BYTES;
        sign(chunk, (int) LittleEndian.getLong(chunk, footer));
    }

    /** The same for a directory that begins elsewhere than the footer says. */
    static void sign(byte[] chunk, int directory) {
        int footer = chunk.length - ChunkFormat.FOOTER_BYTES;
        LittleEndian.putInt(
                chunk,
                footer + ChunkFormat.FOOTER_DIRECTORY_CHECKSUM,
                ChunkFormat.checksum(chunk, directory, footer - directory));
        LittleEndian.putInt(
                chunk,
                footer + ChunkFormat.FOOTER_CHECKSUM,
                ChunkFormat.checksum(chunk, footer, ChunkFormat.FOOTER_CHECKSUM));
    }

    /** Where a section of the directory begins. */
    static int section(byte[] chunk, int tag) {
        int at = (int) LittleEndian.getLong(chunk, chunk.length - ChunkFormat.FOOTER_BYTES) + ChunkFormat.HEAD_BYTES;
        while (LittleEndian.getInt(chunk, at) != tag) {
            at += ChunkFormat.SECTION_CONTENT + LittleEndian.getInt(chunk, at + ChunkFormat.SECTION_LENGTH);
        }
        return at;
    }
}
