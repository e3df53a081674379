package io.waterwheel.query.scan;

import io.waterwheel.chunk.ChunkDirectory;
import io.waterwheel.chunk.ChunkReader;
import io.waterwheel.chunk.DependentColumns;
import io.waterwheel.chunk.LeafPart;
import io.waterwheel.query.ScanStatistics;
import io.waterwheel.query.memory.Reservation;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.store.ChunkStore;
import io.waterwheel.store.WatchedInput;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The parts of one chunk for one scan: a batch is asked for, then fetched, what the cache lacks in one read. The file
 * is opened only when the cache lacks something. One thread.
 */
final class ChunkParts implements AutoCloseable {
    private static final int LEAST = 16;

    private final ChunkStore store;
    private final ChunkCache cache;
    private final String file;
    private final ChunkDirectory directory;
    private final Reservation memory;
    private final boolean cachedOnly;
    /** What the parts of this batch take that the cache did not have. */
    private long batchBytes;

    private @Nullable ChunkReader reader;
    /** Bytes of all reads that succeeded. */
    private long handedOut;

    // What was asked for, in the order of the file: leaf, part, what it is once that is known, and whether it is only
    // there to make others of.
    private int[] leaves = new int[LEAST];
    private int[] parts = new int[LEAST];
    private @Nullable LeafPart[] contents = new LeafPart[LEAST];
    private boolean[] hidden = new boolean[LEAST];
    private int count;
    /** How many of them the cache has not. */
    private int lacking;

    /** By part of the leaf that is asked for: whether it is needed, and what the cache has of those not stored. */
    private final boolean[] needed;

    private final @Nullable LeafPart[] made;

    private int taken;

    private long partsRead;
    private long bytesRead;
    private long partsCached;
    private long bytesCached;
    private long directoriesRead;
    private long readNanos;

    /**
     * Nothing asked for yet.
     *
     * @param memory what is read and decoded is reserved from it
     * @param cachedOnly whether to fail with {@link NotQuickException} where a file would be read
     */
    ChunkParts(
            ChunkStore store, ChunkCache cache, String file, RowLayout layout, Reservation memory, boolean cachedOnly)
            throws IOException {
        this.memory = memory;
        this.cachedOnly = cachedOnly;
        this.store = store;
        this.cache = cache;
        ChunkCache.Known known = cache.directory(file);
        if (known != null && known.directory().layout().equals(layout)) {
            this.file = known.file();
            this.directory = known.directory();
        } else {
            this.file = file;
            long begin = System.nanoTime();
            ChunkReader opened = ChunkReader.open(openFile(), layout);
            this.reader = opened;
            this.directory = opened.directory();
            this.directoriesRead = 1;
            this.readNanos = System.nanoTime() - begin;
            cache.put(file, directory);
        }
        this.needed = new boolean[directory.parts()];
        this.made = new LeafPart[directory.parts()];
    }

    ChunkDirectory directory() {
        return directory;
    }

    /** Whether no file is to be opened. */
    boolean isCachedOnly() {
        return cachedOnly;
    }

    /**
     * Asks for parts of a leaf, to be taken in the order of their numbers. Leaves are asked in the order of the file.
     *
     * @param wanted by part number
     * @return bytes that have to be read for them
     */
    long ask(int leaf, boolean[] wanted) {
        // What is made of others needs them only where the cache does not have it made.
        System.arraycopy(wanted, 0, needed, 0, wanted.length);
        Arrays.fill(made, null);
        if (wanted[ChunkDirectory.KEYS] && directory.makesKeys(leaf)) {
            made[ChunkDirectory.KEYS] = cache.part(file, leaf, ChunkDirectory.KEYS);
            for (int part = 0; part < needed.length && made[ChunkDirectory.KEYS] == null; part++) {
                needed[part] |= directory.givesKeys(part);
            }
        }
        for (int part = 0; part < needed.length; part++) {
            if (needed[part] && directory.follows(leaf, part)) {
                made[part] = cache.part(file, leaf, part);
                // It never follows itself.
                needed[directory.source(part)] |= made[part] == null;
            }
        }
        long bytes = 0;
        for (int part = 0; part < needed.length; part++) {
            if (needed[part]) {
                boolean isMade = directory.isMade(leaf, part);
                LeafPart cached = isMade ? made[part] : cache.part(file, leaf, part);
                add(leaf, part, cached, !wanted[part]);
                bytes += cached == null && !isMade ? directory.length(leaf, part) : 0;
            }
        }
        return bytes;
    }

    /** Notes that a part is needed, and what the cache has of it: the content is left alone until a scan reads it. */
    private void add(int leaf, int part, @Nullable LeafPart cached, boolean isHidden) {
        if (count == leaves.length) {
            leaves = Arrays.copyOf(leaves, count * 2);
            parts = Arrays.copyOf(parts, count * 2);
            contents = Arrays.copyOf(contents, count * 2);
            hidden = Arrays.copyOf(hidden, count * 2);
        }
        if (cached == null) {
            lacking++;
        } else {
            partsCached++;
            bytesCached += directory.length(leaf, part);
        }
        leaves[count] = leaf;
        parts[count] = part;
        contents[count] = cached;
        hidden[count++] = isHidden;
    }

    /** Fetches what was asked for since the last batch was taken. */
    void fetch() throws IOException {
        taken = 0;
        if (lacking > 0) {
            fetchLacking();
        }
    }

    private void fetchLacking() throws IOException {
        int[] missing = new int[count];
        int[] missingLeaves = new int[count];
        int[] missingParts = new int[count];
        int absent = 0;
        boolean madeMissing = false;
        for (int i = 0; i < count; i++) {
            if (contents[i] != null) {
                continue;
            }
            if (directory.isMade(leaves[i], parts[i])) {
                madeMissing = true;
                continue;
            }
            missing[absent] = i;
            missingLeaves[absent] = leaves[i];
            missingParts[absent++] = parts[i];
        }
        if (absent > 0) {
            LeafPart[] read = new LeafPart[absent];
            partsRead += absent;
            long encoded = 0;
            for (int m = 0; m < absent; m++) {
                encoded += directory.length(missingLeaves[m], missingParts[m]);
            }
            memory.reserve(encoded);
            long begin = System.nanoTime();
            open().read(missingLeaves, missingParts, absent, read, this::take);
            readNanos += System.nanoTime() - begin;
            bytesRead += encoded;
            memory.release(encoded);
            for (int m = 0; m < absent; m++) {
                contents[missing[m]] = read[m];
                cache.put(file, missingLeaves[m], missingParts[m], read[m]);
            }
        }
        if (madeMissing) {
            makeMissing();
        }
    }

    /** Makes what is not stored: first columns, as keys may be made of them. */
    private void makeMissing() {
        DependentColumns dependents = new DependentColumns(directory);
        for (int i = 0; i < count; i++) {
            if (contents[i] == null && parts[i] != ChunkDirectory.KEYS) {
                keep(i, dependents.make(leaves[i], parts[i], beside(i, directory.source(parts[i]))));
            }
        }
        for (int i = 0; i < count; i++) {
            if (contents[i] == null) {
                int at = i;
                keep(i, directory.keys(leaves[i], part -> beside(at, part)));
            }
        }
    }

    private void keep(int index, LeafPart made) {
        contents[index] = made;
        take(made.weight());
        cache.put(file, leaves[index], parts[index], made);
    }

    private void take(long bytes) {
        memory.reserve(bytes);
        batchBytes += bytes;
    }

    /** Bytes that the parts of this batch take which the cache did not have. */
    long batchBytes() {
        return batchBytes;
    }

    /** Another part of the same leaf. */
    private LeafPart beside(int index, int part) {
        int i = index;
        while (i > 0 && leaves[i - 1] == leaves[index]) {
            i--;
        }
        for (; i < count && leaves[i] == leaves[index]; i++) {
            if (parts[i] == part) {
                return known(i);
            }
        }
        throw new IllegalStateException("part " + part + " was not asked for");
    }

    private LeafPart known(int index) {
        LeafPart content = contents[index];
        if (content == null) {
            throw new IllegalStateException("part " + parts[index] + " of leaf " + leaves[index] + " was not fetched");
        }
        return content;
    }

    /** The next part of the batch, in the order asked. */
    LeafPart take() {
        while (hidden[taken]) {
            taken++;
        }
        return known(taken++);
    }

    /** What was read and what the cache had, of all batches. */
    ScanStatistics.Parts sum() {
        long directoryBytes = directoriesRead * directory.bytes();
        return new ScanStatistics.Parts(
                partsRead,
                bytesRead,
                partsCached,
                bytesCached,
                directoriesRead,
                directoryBytes,
                handedOut - bytesRead - directoryBytes,
                readNanos);
    }

    /** Ends the batch, whatever of it was taken. */
    void endBatch() {
        Arrays.fill(contents, 0, count, null);
        memory.release(batchBytes);
        batchBytes = 0;
        count = 0;
        lacking = 0;
        taken = 0;
    }

    private ChunkStore.Input openFile() throws IOException {
        if (cachedOnly) {
            throw new NotQuickException();
        }
        ChunkStore.Input input;
        try {
            input = store.open(file);
        } catch (NoSuchFileException e) {
            // No damage yet: another server may find it, and a snapshot may be older than the catalog is.
            throw new IOException(
                    "there is no such file in the chunk store: see that the store's disk is mounted; 'waterwheel chunk"
                            + " verify' tells which files are lost, to be restored from a copy",
                    e);
        }
        return new WatchedInput(input, (bytes, read) -> {
            read.run();
            handedOut += bytes;
        });
    }

    private ChunkReader open() throws IOException {
        ChunkReader open = reader;
        if (open == null) {
            open = ChunkReader.open(openFile(), directory);
            reader = open;
        }
        return open;
    }

    @Override
    public void close() throws IOException {
        if (reader != null) {
            reader.close();
        }
    }
}
