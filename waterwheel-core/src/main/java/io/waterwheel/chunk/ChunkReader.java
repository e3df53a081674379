package io.waterwheel.chunk;

import io.waterwheel.chunk.encoding.ChunkFormat;
import io.waterwheel.chunk.encoding.CorruptChunkException;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.store.ChunkStore;
import io.waterwheel.tuple.LittleEndian;
import java.io.IOException;
import java.util.Arrays;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads one chunk: the directory in one read where it is small, then any parts of any leaves in one vectored read, each
 * checked before it is handed out. Thread-safe as far as its input is.
 */
public final class ChunkReader implements AutoCloseable {
    /** Read from the end of a file at once, in the hope that the directory is within. */
    static final int TAIL_BYTES = 64 * 1024;

    /** Bytes between two parts that are read along, rather than jumped over. */
    private static final int MAX_GAP = 4 * 1024;

    private static final int MAX_RANGE = 8 << 20;

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
        return openWith(input, layout);
    }

    /**
     * Opens a file whose schema is not known, for tools: the layout is the one that the file names.
     *
     * @throws CorruptChunkException when the file is damaged, or has types that this version does not know
     */
    public static ChunkReader open(ChunkStore.Input input) throws IOException {
        return openWith(input, null);
    }

    private static ChunkReader openWith(ChunkStore.Input input, @Nullable RowLayout layout) throws IOException {
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

    private static ChunkDirectory readDirectory(ChunkStore.Input input, @Nullable RowLayout layout) throws IOException {
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
        byte[] bytes = new byte[(int) length + ChunkFormat.SLACK];
        if (start >= tailStart) {
            System.arraycopy(tail, (int) (start - tailStart), bytes, 0, (int) length);
        } else {
            input.read(start, bytes, 0, (int) length);
        }
        int expected = LittleEndian.getInt(tail, footer + ChunkFormat.FOOTER_DIRECTORY_CHECKSUM);
        int actual = ChunkFormat.checksum(bytes, 0, (int) length);
        if (expected != actual) {
            throw new CorruptChunkException(
                    file, "directory", start, "checksum " + Integer.toHexString(expected), Integer.toHexString(actual));
        }
        RowLayout stored = layout != null ? layout : FieldsSection.layout(file, bytes, (int) length, start);
        return new DirectoryReader(file, stored, bytes, (int) length, start).read();
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
     * Reads parts of leaves, each whole, in one vectored read, checks and decodes them. Keys that are not stored cannot
     * be read: see {@link ChunkDirectory#makesKeys}. A part that {@link ChunkDirectory#follows} comes without values.
     *
     * @param leaves by index of the result; with {@code parts}, in the order of the file, none twice
     * @param parts by index of the result
     * @param count entries of both that are used
     * @param decoded filled with the parts
     * @param takes is told of what each part takes in memory, in bytes, and may end the reading by an exception
     * @throws CorruptChunkException when a part is not as it was written
     */
    public void read(int[] leaves, int[] parts, int count, LeafPart[] decoded, LongConsumer takes) throws IOException {
        // Of each range: where it begins, how long it is, and the first part behind it.
        long[] starts = new long[count];
        int[] lengths = new int[count];
        int[] ends = new int[count];
        int ranges = 0;
        long end = 0;
        for (int i = 0; i < count; i++) {
            long offset = directory.offset(leaves[i], parts[i]);
            int length = directory.length(leaves[i], parts[i]);
            if (length == 0) {
                throw new IllegalArgumentException(ChunkFormat.name(leaves[i], parts[i]) + " is not stored");
            }
            boolean joins = ranges > 0 && offset - end <= MAX_GAP && offset + length - starts[ranges - 1] <= MAX_RANGE;
            if (!joins) {
                starts[ranges++] = offset;
            }
            end = offset + length;
            lengths[ranges - 1] = (int) (end - starts[ranges - 1]);
            ends[ranges - 1] = i + 1;
        }
        long bytes = 0;
        for (int r = 0; r < ranges; r++) {
            bytes += lengths[r];
        }
        try (LeafDecoder decoder = new LeafDecoder(directory.file())) {
            byte[] source = decoder.source(bytes);
            input.readVectored(Arrays.copyOf(starts, ranges), Arrays.copyOf(lengths, ranges), source);
            int i = 0;
            int from = 0;
            for (int r = 0; r < ranges; r++) {
                for (; i < ends[r]; i++) {
                    decoded[i] = decode(decoder, leaves[i], parts[i], source, starts[r] - from);
                    takes.accept(decoded[i].weight());
                }
                from += lengths[r];
            }
        }
    }

    /** @param sourceOffset what an offset in the file is more than the place in the source */
    private LeafPart decode(LeafDecoder decoder, int leaf, int part, byte[] source, long sourceOffset) {
        long offset = directory.offset(leaf, part);
        int from = (int) (offset - sourceOffset);
        int length = directory.length(leaf, part);
        int expected = directory.checksum(leaf, part);
        int actual = ChunkFormat.checksum(source, from, length);
        if (actual != expected) {
            throw new CorruptChunkException(
                    directory.file(),
                    ChunkFormat.name(leaf, part),
                    offset,
                    "checksum " + Integer.toHexString(expected),
                    Integer.toHexString(actual));
        }
        return decoder.decode(directory, leaf, part, source, from, length, offset);
    }

    /** The keys of a leaf, from its key column or from the fields that make them; reads nothing else. */
    public long[] readKeys(int leaf) throws IOException {
        boolean[] wanted = new boolean[directory.parts()];
        wanted[ChunkFormat.KEYS] = true;
        LeafPart keys = readParts(leaf, wanted)[ChunkFormat.KEYS];
        return keys.longs();
    }

    /** All parts of a leaf by number, also those that are not stored. */
    public LeafPart[] readLeaf(int leaf) throws IOException {
        boolean[] wanted = new boolean[directory.parts()];
        Arrays.fill(wanted, true);
        return readParts(leaf, wanted);
    }

    /** Some parts of a leaf by number, and those that they are made of; null for all others. */
    private LeafPart[] readParts(int leaf, boolean[] wanted) throws IOException {
        directory.addSources(leaf, wanted);
        int all = directory.parts();
        int[] leaves = new int[all];
        int[] numbers = new int[all];
        Arrays.fill(leaves, leaf);
        int count = 0;
        for (int p = 0; p < all; p++) {
            if (wanted[p] && directory.length(leaf, p) > 0) {
                numbers[count++] = p;
            }
        }
        LeafPart[] stored = new LeafPart[count];
        read(leaves, numbers, count, stored, bytes -> {});
        LeafPart[] parts = new LeafPart[all];
        for (int i = 0; i < count; i++) {
            parts[numbers[i]] = stored[i];
        }
        DependentColumns dependents = new DependentColumns(directory);
        for (int p = 0; p < all; p++) {
            if (wanted[p] && directory.follows(leaf, p)) {
                parts[p] = dependents.make(leaf, p, parts[directory.source(p)]);
            }
        }
        if (wanted[ChunkFormat.KEYS] && directory.makesKeys(leaf)) {
            parts[ChunkFormat.KEYS] = directory.keys(leaf, part -> parts[part]);
        }
        return parts;
    }

    @Override
    public void close() throws IOException {
        input.close();
    }
}
