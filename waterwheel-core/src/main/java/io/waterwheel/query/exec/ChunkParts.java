package io.waterwheel.query.exec;

import io.waterwheel.chunk.ChunkDirectory;
import io.waterwheel.chunk.ChunkReader;
import io.waterwheel.chunk.ChunkStore;
import io.waterwheel.model.LittleEndian;
import io.waterwheel.model.RowLayout;
import java.io.IOException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The parts of one chunk for one scan: a batch is asked for, then fetched, what the cache lacks in one read. The file
 * is opened only when the cache lacks something. One thread.
 */
final class ChunkParts implements AutoCloseable {
    private final ChunkStore store;
    private final ChunkCache cache;
    private final String file;
    private final ChunkDirectory directory;
    private @Nullable ChunkReader reader;

    private int[] leaves = new int[64];
    private int[] parts = new int[64];
    private Object[] contents = new Object[64];
    private int count;
    private int taken;

    ChunkParts(ChunkStore store, ChunkCache cache, String file, RowLayout layout) throws IOException {
        this.store = store;
        this.cache = cache;
        this.file = file;
        ChunkDirectory known = cache.directory(file);
        if (known != null && known.layout().equals(layout)) {
            this.directory = known;
        } else {
            ChunkReader opened = ChunkReader.open(store.open(file), layout);
            this.reader = opened;
            this.directory = opened.directory();
            cache.put(file, directory);
        }
    }

    ChunkDirectory directory() {
        return directory;
    }

    /** Asks for a part, in the order of the file. */
    void ask(int leaf, int part) {
        if (count == leaves.length) {
            leaves = Arrays.copyOf(leaves, count * 2);
            parts = Arrays.copyOf(parts, count * 2);
            contents = Arrays.copyOf(contents, count * 2);
        }
        leaves[count] = leaf;
        parts[count++] = part;
    }

    /** Fetches what was asked for since the last batch was taken. */
    void fetch() throws IOException {
        int missing = 0;
        int[] missingLeaves = new int[count];
        int[] missingParts = new int[count];
        int[] missingIndexes = new int[count];
        for (int i = 0; i < count; i++) {
            Object cached = cache.part(file, leaves[i], parts[i]);
            if (cached != null) {
                contents[i] = cached;
            } else {
                missingLeaves[missing] = leaves[i];
                missingParts[missing] = parts[i];
                missingIndexes[missing++] = i;
            }
        }
        if (missing > 0) {
            byte[][] read = open().read(missingLeaves, missingParts, missing);
            for (int m = 0; m < missing; m++) {
                Object content = missingParts[m] <= ChunkDirectory.TIMES ? longs(read[m]) : read[m];
                cache.put(file, missingLeaves[m], missingParts[m], content);
                contents[missingIndexes[m]] = content;
            }
        }
        taken = 0;
    }

    /** The next part of the batch, in the order asked. */
    Object take() {
        Object content = contents[taken++];
        if (taken == count) {
            count = 0;
        }
        return content;
    }

    private ChunkReader open() throws IOException {
        ChunkReader open = reader;
        if (open == null) {
            open = ChunkReader.open(store.open(file), directory);
            reader = open;
        }
        return open;
    }

    private static long[] longs(byte[] bytes) {
        long[] longs = new long[bytes.length / 8];
        for (int i = 0; i < longs.length; i++) {
            longs[i] = LittleEndian.getLong(bytes, i * 8);
        }
        return longs;
    }

    @Override
    public void close() throws IOException {
        if (reader != null) {
            reader.close();
        }
    }
}
