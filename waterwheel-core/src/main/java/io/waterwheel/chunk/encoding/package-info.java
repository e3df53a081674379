/**
 * How one column of one leaf becomes bytes and comes back: integers, decimals, dictionaries, Bloom filters,
 * compression. Readers check lengths before they take memory; what does not fit is a
 * {@link io.waterwheel.chunk.encoding.CorruptChunkException}. Start at {@link io.waterwheel.chunk.encoding.PartEncoder}
 * and {@link io.waterwheel.chunk.encoding.ValueEncoder}. Knows no file. Uses schema and tuple.
 */
@NullMarked
package io.waterwheel.chunk.encoding;

import org.jspecify.annotations.NullMarked;
