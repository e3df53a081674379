/**
 * Chunks: immutable files of one sealed tree each, in a store. {@link io.waterwheel.chunk.ChunkWriter} encodes a tree,
 * {@link io.waterwheel.chunk.ChunkStore} keeps files, {@link io.waterwheel.chunk.ChunkReader} reads the leaves and
 * columns that are asked for, checked. The bytes are specified in {@code docs/chunk-format.md}. Uses model, key, index.
 */
@NullMarked
package io.waterwheel.chunk;

import org.jspecify.annotations.NullMarked;
