/**
 * Questions about several fields at once, of keys with dimensions beside keys of one field, positions, and rows in no
 * order: the questions of [Colmenares 2017], and random ones. Begin with
 * {@link io.waterwheel.benchmark.dimensions.DimensionQuestions}.
 */
@NullMarked
package io.waterwheel.benchmark.dimensions;

import org.jspecify.annotations.NullMarked;
