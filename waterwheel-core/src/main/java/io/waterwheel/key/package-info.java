/**
 * How a tuple gets its key, and a box its key intervals: {@link io.waterwheel.key.ZOrder} maps positions to codes,
 * {@link io.waterwheel.key.KeyMaker} fills the keys of a block, {@link io.waterwheel.key.BoxIntervals} covers a box
 * with codes. Pure functions of their arguments; any thread. Uses model.
 */
@NullMarked
package io.waterwheel.key;

import org.jspecify.annotations.NullMarked;
