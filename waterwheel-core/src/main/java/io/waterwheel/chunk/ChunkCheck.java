package io.waterwheel.chunk;

import io.waterwheel.chunk.encoding.CorruptChunkException;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.store.ChunkStore;
import io.waterwheel.tuple.Region;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Reads a chunk whole: every checksum, every value decoded, and each leaf against what the directory says of it. Past
 * any cache; holds one leaf at a time.
 */
public final class ChunkCheck {
    /** Hears how much is about to be read, and may take its time. */
    public interface Pace {
        /** Full speed. */
        Pace NONE = bytes -> {};

        void before(long bytes) throws InterruptedException;
    }

    private ChunkCheck() {}

    /**
     * Checks a file by what it says of itself.
     *
     * @return how many parts were read
     * @throws CorruptChunkException naming the part
     * @throws IOException when the file cannot be read: that says nothing about the chunk
     */
    public static long check(ChunkStore.Input input) throws IOException, InterruptedException {
        @SuppressWarnings("resource") // the input is the caller's
        ChunkReader reader = ChunkReader.open(input);
        leaves(reader, Pace.NONE);
        return (long) reader.directory().leaves() * reader.directory().parts();
    }

    /**
     * Checks a file by what somebody else knows of it, too.
     *
     * @param layout the stored layout of the stream's schema
     * @param bytes length of the file
     * @param rows all that are in it
     * @param region the smallest that holds them
     */
    public static void check(ChunkStore.Input input, RowLayout layout, long bytes, long rows, Region region, Pace pace)
            throws IOException, InterruptedException {
        same(input, "length in bytes", bytes, input.size());
        pace.before(Math.min(bytes, ChunkReader.TAIL_BYTES));
        @SuppressWarnings("resource") // the input is the caller's
        ChunkReader reader = ChunkReader.open(input, layout);
        same(input, "rows", rows, reader.directory().rows());
        same(input, "region", region, reader.directory().region());
        leaves(reader, pace);
    }

    private static void leaves(ChunkReader reader, Pace pace) throws IOException, InterruptedException {
        ChunkDirectory directory = reader.directory();
        for (int leaf = 0; leaf < directory.leaves(); leaf++) {
            long bytes = 0;
            for (int part = 0; part < directory.parts(); part++) {
                bytes += directory.length(leaf, part);
            }
            pace.before(bytes);
            LeafPart[] parts = reader.readLeaf(leaf);
            within(
                    directory,
                    leaf,
                    "keys",
                    parts[ChunkDirectory.KEYS],
                    directory.lowKey(leaf),
                    directory.highKey(leaf));
            within(
                    directory,
                    leaf,
                    "times",
                    parts[ChunkDirectory.TIMES],
                    directory.fromTime(leaf),
                    directory.toTime(leaf));
        }
    }

    private static void within(ChunkDirectory directory, int leaf, String what, LeafPart part, long least, long most) {
        long[] values = part.longs();
        for (int row = 0; row < directory.rows(leaf); row++) {
            if (values[row] < least || values[row] > most) {
                throw new CorruptChunkException(
                        directory.file(),
                        "leaf " + leaf + ", " + what + ", row " + row,
                        directory.offset(leaf, what.equals("keys") ? ChunkDirectory.KEYS : ChunkDirectory.TIMES),
                        "a value from " + least + " to " + most + ", as the directory says",
                        Long.toString(values[row]));
            }
        }
    }

    private static void same(ChunkStore.Input input, String what, @Nullable Object expected, @Nullable Object actual) {
        if (expected == null || !expected.equals(actual)) {
            throw new CorruptChunkException(
                    input.name(), "file, " + what, 0, expected + ", as the catalog says", String.valueOf(actual));
        }
    }
}
