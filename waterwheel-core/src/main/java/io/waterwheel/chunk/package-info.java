/**
 * Chunks: immutable files of one sealed tree each. {@link io.waterwheel.chunk.ChunkWriter} encodes a tree,
 * {@link io.waterwheel.chunk.ChunkReader} reads the leaves and columns that are asked for, checked, by the
 * {@link io.waterwheel.chunk.ChunkDirectory} of the file. The bytes are specified in {@code docs/chunk-format.md}. Uses
 * chunk.encoding, store, index, key, schema and tuple.
 */
@NullMarked
package io.waterwheel.chunk;

import org.jspecify.annotations.NullMarked;
