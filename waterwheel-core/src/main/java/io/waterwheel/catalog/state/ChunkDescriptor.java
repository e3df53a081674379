package io.waterwheel.catalog.state;

import io.waterwheel.tuple.KeyBox;
import io.waterwheel.tuple.Region;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One chunk as the catalog knows it. Immutable. A coordinator holds millions: the name of a file that is named as usual
 * is not kept, but made when it is asked for.
 */
public final class ChunkDescriptor {
    /**
     * Flushes whose chunks lie in one folder: a NameNode takes 1,048,576 files in one
     * ({@code dfs.namenode.fs-limits.max-directory-items}), and a flush makes three, more with what crashes leave.
     */
    static final long FLUSHES_A_FOLDER = 10_000;

    /** Parts from this number on were written by merges; a flush has few. */
    public static final int FIRST_MERGED_PART = 1_000;

    /** No part has a higher number: names have nine digits for it. */
    public static final int LAST_PART = 999_999_999;

    /** The stream's folder in the chunk store, one string for all its chunks; or null where {@link #name} is kept. */
    private final @Nullable String folder;
    /** The name of a file that is not named as usual. */
    private final @Nullable String name;

    private final int indexer;
    private final int epoch;
    private final long flush;
    private final int part;
    private final long tuples;
    private final long bytes;
    private final Region region;
    /** A reference fits where objects end on a multiple of 8 bytes: it costs nothing where it is null. */
    private final @Nullable KeyBox box;

    /**
     * One chunk of which only the region is known.
     *
     * @param file name in the chunk store: {@link #fileName}, used once only
     * @param indexer the logical indexer that wrote it
     * @param epoch that indexer's epoch
     * @param flush that indexer's flush sequence number; of a merged chunk, the highest of those it replaced
     * @param part number of the chunk within the flush; {@link #FIRST_MERGED_PART} or above where a merge wrote it
     * @param tuples rows in it, at least 1
     * @param bytes length of the file
     * @param region smallest region that holds all its tuples
     */
    public ChunkDescriptor(
            String file, int indexer, int epoch, long flush, int part, long tuples, long bytes, Region region) {
        this(file, indexer, epoch, flush, part, tuples, bytes, region, null);
    }

    /**
     * One chunk.
     *
     * @param box bounds of the dimensions of its keys; null where keys have none, or they are not known
     */
    public ChunkDescriptor(
            String file,
            int indexer,
            int epoch,
            long flush,
            int part,
            long tuples,
            long bytes,
            Region region,
            @Nullable KeyBox box) {
        if (tuples < 1 || bytes < 1) {
            throw new IllegalArgumentException("chunk " + file + ": tuples " + tuples + ", bytes " + bytes);
        }
        int slash = file.indexOf('/');
        String start = slash < 0 ? "" : file.substring(0, slash);
        boolean usual = slash > 0 && file.equals(fileName(start, indexer, epoch, flush, part));
        // As many as there are streams.
        this.folder = usual ? start.intern() : null;
        this.name = usual ? null : file;
        this.indexer = indexer;
        this.epoch = epoch;
        this.flush = flush;
        this.part = part;
        this.tuples = tuples;
        this.bytes = bytes;
        this.region = region;
        this.box = box;
    }

    /**
     * The name of a chunk file: {@code <stream>-<id>/<indexer>-<flush div
     * 10,000>/<indexer>-<epoch>-<flush>-<part>.chunk}. Never reused: a flush never uses (epoch, flush) again, and a
     * merge takes a part that no file has.
     */
    public static String fileName(String stream, int streamId, int indexer, int epoch, long flush, int part) {
        return fileName(stream + "-" + streamId, indexer, epoch, flush, part);
    }

    private static String fileName(String folder, int indexer, int epoch, long flush, int part) {
        return folder + "/" + indexer + "-" + flush / FLUSHES_A_FOLDER + "/" + bareName(indexer, epoch, flush, part);
    }

    /** As files were named while a stream was one folder: manifests of that time leave such names out. */
    public static String flatFileName(String stream, int streamId, int indexer, int epoch, long flush, int part) {
        return stream + "-" + streamId + "/" + bareName(indexer, epoch, flush, part);
    }

    private static String bareName(int indexer, int epoch, long flush, int part) {
        return indexer + "-" + epoch + "-" + flush + "-" + part + ".chunk";
    }

    /** Compares by indexer, flush, part and epoch. Names are not made for it: a query may have thousands of chunks. */
    public static int compareOrder(ChunkDescriptor one, ChunkDescriptor other) {
        int order = Integer.compare(one.indexer, other.indexer);
        order = order != 0 ? order : Long.compare(one.flush, other.flush);
        order = order != 0 ? order : Integer.compare(one.part, other.part);
        return order != 0 ? order : Integer.compare(one.epoch, other.epoch);
    }

    /** Name in the chunk store. Made anew at each call where it is named as usual. */
    public String file() {
        return name != null ? name : fileName(Objects.requireNonNull(folder), indexer, epoch, flush, part);
    }

    /** The logical indexer that wrote it. */
    public int indexer() {
        return indexer;
    }

    /** That indexer's epoch. */
    public int epoch() {
        return epoch;
    }

    /** That indexer's flush sequence number; of a merged chunk, the highest of those it replaced. */
    public long flush() {
        return flush;
    }

    /** Number of the chunk within the flush. */
    public int part() {
        return part;
    }

    /** Whether it replaced others, all of this flush or of earlier ones of the same indexer. */
    public boolean merged() {
        return part >= FIRST_MERGED_PART;
    }

    /** Rows in it, at least 1. */
    public long tuples() {
        return tuples;
    }

    /** Length of the file. */
    public long bytes() {
        return bytes;
    }

    /** Smallest region that holds all its tuples. */
    public Region region() {
        return region;
    }

    /** Bounds of the dimensions of its keys; null where keys have none, or they are not known. */
    public @Nullable KeyBox box() {
        return box;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        if (this == other) {
            return true;
        }
        return other instanceof ChunkDescriptor that
                && Objects.equals(folder, that.folder)
                && Objects.equals(name, that.name)
                && indexer == that.indexer
                && epoch == that.epoch
                && flush == that.flush
                && part == that.part
                && tuples == that.tuples
                && bytes == that.bytes
                && region.equals(that.region)
                && Objects.equals(box, that.box);
    }

    @Override
    public int hashCode() {
        return 31 * (31 * (31 * Long.hashCode(flush) + indexer) + epoch) + part;
    }

    @Override
    public String toString() {
        return "chunk " + file() + ", " + tuples + " tuples, " + bytes + " bytes, " + region;
    }
}
