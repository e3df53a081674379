/**
 * What a worker does for its first clients: it answers questions of its own, one of each kind before its coordinator
 * says that it is there, others beside the first clients. So these find classes loaded, and later ones code compiled.
 */
@NullMarked
package io.waterwheel.topology.warmup;

import org.jspecify.annotations.NullMarked;
