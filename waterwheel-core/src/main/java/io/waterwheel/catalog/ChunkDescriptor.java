package io.waterwheel.catalog;

import io.waterwheel.model.Region;

/**
 * One chunk as the catalog knows it.
 *
 * @param file name in the chunk store: {@link #fileName}, used once only
 * @param indexer the logical indexer that wrote it
 * @param epoch that indexer's epoch
 * @param flush that indexer's flush sequence number
 * @param part number of the chunk within the flush
 * @param tuples rows in it, at least 1
 * @param bytes length of the file
 * @param region smallest region that holds all its tuples
 */
public record ChunkDescriptor(
        String file, int indexer, int epoch, long flush, int part, long tuples, long bytes, Region region) {
    public ChunkDescriptor {
        if (tuples < 1 || bytes < 1) {
            throw new IllegalArgumentException("chunk " + file + ": tuples " + tuples + ", bytes " + bytes);
        }
    }

    /**
     * Flushes whose chunks lie in one folder: a NameNode takes 1,048,576 files in one
     * ({@code dfs.namenode.fs-limits.max-directory-items}), and a flush makes three, more with what crashes leave.
     */
    static final long FLUSHES_A_FOLDER = 10_000;

    /**
     * The name of a chunk file: {@code <stream>-<id>/<indexer>-<flush div
     * 10,000>/<indexer>-<epoch>-<flush>-<part>.chunk}. Never reused, because (epoch, flush) never is.
     */
    public static String fileName(String stream, int streamId, int indexer, int epoch, long flush, int part) {
        return stream + "-" + streamId + "/" + indexer + "-" + flush / FLUSHES_A_FOLDER + "/"
                + bareName(indexer, epoch, flush, part);
    }

    /** As files were named while a stream was one folder: manifests of that time leave such names out. */
    static String flatFileName(String stream, int streamId, int indexer, int epoch, long flush, int part) {
        return stream + "-" + streamId + "/" + bareName(indexer, epoch, flush, part);
    }

    private static String bareName(int indexer, int epoch, long flush, int part) {
        return indexer + "-" + epoch + "-" + flush + "-" + part + ".chunk";
    }
}
