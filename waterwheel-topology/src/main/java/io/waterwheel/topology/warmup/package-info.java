/**
 * What a worker does before its coordinator says that it is there: it answers questions of its own, so that the first
 * of clients find classes loaded and code compiled.
 */
@NullMarked
package io.waterwheel.topology.warmup;

import org.jspecify.annotations.NullMarked;
