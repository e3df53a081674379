package io.waterwheel.chunk;

import io.waterwheel.chunk.encoding.CorruptChunkException;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.store.ChunkStore;
import io.waterwheel.tuple.KeyBox;
import io.waterwheel.tuple.KeyDimensions;
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

    /**
     * What somebody else knows of a file.
     *
     * @param bytes its length
     * @param rows all that are in it
     * @param region the smallest that holds them
     * @param box bounds of the dimensions of their keys; null where they are not known
     */
    public record Facts(
            long bytes, long rows, Region region, @Nullable KeyBox box) {}

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
        leaves(reader, KeyDimensions.NONE, Pace.NONE);
        return (long) reader.directory().leaves() * reader.directory().parts();
    }

    /**
     * Checks a file by what somebody else knows of it, too.
     *
     * @param schema the stream's
     */
    public static void check(ChunkStore.Input input, Schema schema, Facts facts, Pace pace)
            throws IOException, InterruptedException {
        same(input, "length in bytes", facts.bytes(), input.size());
        pace.before(Math.min(facts.bytes(), ChunkReader.TAIL_BYTES));
        @SuppressWarnings("resource") // the input is the caller's
        ChunkReader reader = ChunkReader.open(input, RowLayout.of(schema));
        same(input, "rows", facts.rows(), reader.directory().rows());
        same(input, "region", facts.region(), reader.directory().region());
        KeyBox known = facts.box();
        KeyBox box = leaves(reader, known == null ? KeyDimensions.NONE : KeyDimensions.of(schema), pace);
        if (known != null) {
            same(input, "bounds of the key's dimensions", known, box);
        }
    }

    /** Gives the bounds of the keys' dimensions; null where there are none. */
    private static @Nullable KeyBox leaves(ChunkReader reader, KeyDimensions dimensions, Pace pace)
            throws IOException, InterruptedException {
        ChunkDirectory directory = reader.directory();
        IndexCheck indexes = new IndexCheck(directory);
        KeyBox box = null;
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
            sorted(directory, leaf, parts[ChunkDirectory.KEYS].longs(), parts[ChunkDirectory.TIMES].longs());
            within(
                    directory,
                    leaf,
                    "times",
                    parts[ChunkDirectory.TIMES],
                    directory.fromTime(leaf),
                    directory.toTime(leaf));
            indexes.check(leaf, parts);
            if (dimensions.count() > 0) {
                box = dimensions.around(box, parts[ChunkDirectory.KEYS].longs(), directory.rows(leaf));
            }
        }
        return box;
    }

    /** Rows of a leaf that is searched by halves are sorted. */
    private static void sorted(ChunkDirectory directory, int leaf, long[] keys, long[] times) {
        for (int row = 1; row < directory.rows(leaf) && directory.isSorted(leaf); row++) {
            if (keys[row - 1] > keys[row] || (keys[row - 1] == keys[row] && times[row - 1] > times[row])) {
                throw new CorruptChunkException(
                        directory.file(),
                        "leaf " + leaf + ", keys, row " + row,
                        directory.offset(leaf, ChunkDirectory.KEYS),
                        "rows by key and time, from key " + keys[row - 1] + " and time " + times[row - 1] + " on",
                        "key " + keys[row] + " and time " + times[row]);
            }
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
