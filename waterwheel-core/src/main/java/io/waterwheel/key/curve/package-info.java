/**
 * How the cells of several dimensions lie on one line: {@link io.waterwheel.key.curve.Interleaving} makes keys of them
 * bit by bit, {@link io.waterwheel.key.curve.DimensionIntervals} covers sets of cells with intervals of keys. Pure
 * functions of their arguments; any thread.
 */
@NullMarked
package io.waterwheel.key.curve;

import org.jspecify.annotations.NullMarked;
