/**
 * The key of a tuple. {@link io.waterwheel.key.KeyScheme} is the kind of key of a stream and all that depends on it;
 * {@link io.waterwheel.key.KeyMaker} fills the keys of a block, {@link io.waterwheel.key.ZOrder} maps positions to
 * codes, {@link io.waterwheel.key.Area} covers shapes with intervals of codes. Pure functions of their arguments; any
 * thread.
 */
@NullMarked
package io.waterwheel.key;

import org.jspecify.annotations.NullMarked;
