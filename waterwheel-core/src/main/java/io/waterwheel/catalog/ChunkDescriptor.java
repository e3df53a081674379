package io.waterwheel.catalog;

import io.waterwheel.model.Region;

/**
 * One chunk as the catalog knows it.
 *
 * @param file name in the chunk store: {@code <stream>-<id>/<indexer>-<epoch>-<flush>-<part>.chunk}, used once only
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

    /** The name of a chunk file: never reused, because (epoch, flush) never is. */
    public static String fileName(String stream, int streamId, int indexer, int epoch, long flush, int part) {
        return stream + "-" + streamId + "/" + indexer + "-" + epoch + "-" + flush + "-" + part + ".chunk";
    }
}
