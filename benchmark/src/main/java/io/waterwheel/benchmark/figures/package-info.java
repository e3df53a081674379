/**
 * The figures of [Wang 2018] about one indexer, measured on ours: updates of the template, skewed keys, sizes of
 * chunks.
 */
@NullMarked
package io.waterwheel.benchmark.figures;

import org.jspecify.annotations.NullMarked;
