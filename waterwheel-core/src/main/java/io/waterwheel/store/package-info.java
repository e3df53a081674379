/**
 * Where files are kept: {@link io.waterwheel.store.ChunkStore} is the seam, {@link io.waterwheel.store.LocalChunkStore}
 * a folder; HDFS is {@code topology.hdfs}'s. A file is written whole under its name or not at all, and never changed.
 * Chunks, manifests and marks are such files. Every store passes {@code ChunkStoreContract}. Uses error.
 */
@NullMarked
package io.waterwheel.store;

import org.jspecify.annotations.NullMarked;
