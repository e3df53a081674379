/** The template tree that holds the newest tuples in memory. */
@NullMarked
package io.waterwheel.index;

import org.jspecify.annotations.NullMarked;
