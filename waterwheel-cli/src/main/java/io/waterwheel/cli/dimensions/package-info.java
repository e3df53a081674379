/**
 * How a key of several fields divides each of them: learned from the rows of a file, and shown beside the division
 * before. Enter by {@link io.waterwheel.cli.dimensions.DimensionRows}. Uses the files and lines of {@code cli.input}
 * and the core's keys.
 */
@NullMarked
package io.waterwheel.cli.dimensions;

import org.jspecify.annotations.NullMarked;
