/** Queries, answers and control messages as bytes. */
@NullMarked
package io.waterwheel.wire;

import org.jspecify.annotations.NullMarked;
