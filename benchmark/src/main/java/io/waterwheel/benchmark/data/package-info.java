/**
 * Tuples made up from a seed: {@code TaxiTuples} (moving objects, z-order keys) and {@code NetworkTuples} (skewed keys,
 * text).
 */
@NullMarked
package io.waterwheel.benchmark.data;

import org.jspecify.annotations.NullMarked;
