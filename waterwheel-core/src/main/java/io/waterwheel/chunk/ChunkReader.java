package io.waterwheel.chunk;

import io.waterwheel.model.LittleEndian;
import io.waterwheel.model.RowLayout;
import java.io.IOException;

/**
 * Reads one chunk: the directory in one read where it is small, then any parts of any leaves in one vectored read, each
 * checked before it is handed out. Thread-safe as far as its input is.
 */
public final class ChunkReader implements AutoCloseable {
    /** Read from the end of a file at once, in the hope that the directory is within. */
    static final int TAIL_BYTES = 64 * 1024;

    private final ChunkStore.Input input;
    private final ChunkDirectory directory;

    private ChunkReader(ChunkStore.Input input, ChunkDirectory directory) {
        this.input = input;
        this.directory = directory;
    }

    /**
     * Reads and checks footer and directory. The reader owns the input from then on; when this throws, the input is
     * closed.
     *
     * @param layout the stored layout of the stream's schema
     * @throws CorruptChunkException when the file is damaged, or of another schema
     */
    public static ChunkReader open(ChunkStore.Input input, RowLayout layout) throws IOException {
        try {
            return new ChunkReader(input, readDirectory(input, layout));
        } catch (IOException | RuntimeException e) {
            try {
                input.close();
            } catch (IOException suppressed) {
                e.addSuppressed(suppressed);
            }
            throw e;
        }
    }

    /** A reader of a chunk whose directory is known, from an earlier reader of the same file. */
    public static ChunkReader open(ChunkStore.Input input, ChunkDirectory directory) {
        return new ChunkReader(input, directory);
    }

    private static ChunkDirectory readDirectory(ChunkStore.Input input, RowLayout layout) throws IOException {
        String file = input.name();
        long size = input.size();
        int least = ChunkFormat.HEADER_BYTES + ChunkFormat.HEAD_BYTES + ChunkFormat.FOOTER_BYTES;
        if (size < least) {
            throw new CorruptChunkException(file, "file", 0, "at least " + least + " bytes", size + " bytes");
        }
        byte[] tail = new byte[(int) Math.min(size, TAIL_BYTES)];
        long tailStart = size - tail.length;
        input.read(tailStart, tail, 0, tail.length);
        int footer = tail.length - ChunkFormat.FOOTER_BYTES;
        long footerStart = tailStart + footer;
        check(
                file,
                footerStart + ChunkFormat.FOOTER_MAGIC,
                "end magic (is the file cut off?) ",
                ChunkFormat.END_MAGIC,
                LittleEndian.getLong(tail, footer + ChunkFormat.FOOTER_MAGIC));
        check(
                file,
                footerStart,
                "checksum ",
                ChunkFormat.checksum(tail, footer, ChunkFormat.FOOTER_CHECKSUM),
                LittleEndian.getInt(tail, footer + ChunkFormat.FOOTER_CHECKSUM));
        check(
                file,
                footerStart + ChunkFormat.FOOTER_VERSION,
                "version ",
                ChunkFormat.VERSION,
                LittleEndian.getInt(tail, footer + ChunkFormat.FOOTER_VERSION));
        check(
                file,
                footerStart + ChunkFormat.FOOTER_FILE_LENGTH,
                "file length ",
                LittleEndian.getLong(tail, footer + ChunkFormat.FOOTER_FILE_LENGTH),
                size);
        long start = LittleEndian.getLong(tail, footer + ChunkFormat.FOOTER_DIRECTORY_OFFSET);
        long length = LittleEndian.getInt(tail, footer + ChunkFormat.FOOTER_DIRECTORY_LENGTH);
        if (start < ChunkFormat.HEADER_BYTES || length < 0 || length != footerStart - start) {
            throw new CorruptChunkException(
                    file,
                    "footer",
                    footerStart + ChunkFormat.FOOTER_DIRECTORY_OFFSET,
                    "a directory that ends at " + footerStart,
                    length + " bytes at " + start);
        }
        byte[] bytes = new byte[(int) length];
        if (start >= tailStart) {
            System.arraycopy(tail, (int) (start - tailStart), bytes, 0, bytes.length);
        } else {
            input.read(start, bytes, 0, bytes.length);
        }
        int expected = LittleEndian.getInt(tail, footer + ChunkFormat.FOOTER_DIRECTORY_CHECKSUM);
        int actual = ChunkFormat.checksum(bytes, 0, bytes.length);
        if (expected != actual) {
            throw new CorruptChunkException(
                    file, "directory", start, "checksum " + Integer.toHexString(expected), Integer.toHexString(actual));
        }
        return new ChunkDirectory(file, layout, bytes, start);
    }

    private static void check(String file, long offset, String what, long expected, long actual) {
        if (expected != actual) {
            throw new CorruptChunkException(
                    file, "footer", offset, what + Long.toHexString(expected), Long.toHexString(actual));
        }
    }

    public ChunkDirectory directory() {
        return directory;
    }

    /**
     * Reads parts of leaves, each whole, in one vectored read, and checks them.
     *
     * @param leaves by index of the result; with {@code parts}, in the order of the file, none twice
     * @param parts by index of the result
     * @param count entries of both that are used
     * @return the bytes of each part
     * @throws CorruptChunkException when a part is not as it was written
     */
    public byte[][] read(int[] leaves, int[] parts, int count) throws IOException {
        byte[][] targets = new byte[count][];
        long[] positions = new long[count];
        for (int i = 0; i < count; i++) {
            // Lengths were checked against the file's length with the directory.
            targets[i] = new byte[directory.length(leaves[i], parts[i])];
            positions[i] = directory.offset(leaves[i], parts[i]);
        }
        input.readVectored(positions, targets);
        for (int i = 0; i < count; i++) {
            directory.verify(leaves[i], parts[i], targets[i]);
        }
        return targets;
    }

    @Override
    public void close() throws IOException {
        input.close();
    }
}
