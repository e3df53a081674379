/** The catalog at the size that is aimed at. */
@NullMarked
package io.waterwheel.benchmark.catalog;

import org.jspecify.annotations.NullMarked;
