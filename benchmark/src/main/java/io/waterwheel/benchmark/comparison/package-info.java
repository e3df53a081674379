/** The engine against a scan over all rows, on the real data sets and on generated tuples. */
@NullMarked
package io.waterwheel.benchmark.comparison;

import org.jspecify.annotations.NullMarked;
