/**
 * What a worker does for its first clients: it answers questions of its own. One of each kind about rows of its own,
 * then some hundred about streams that are there, as clients ask, before its coordinator says that it is there; others
 * beside the first clients. So these find classes loaded, rows in memory and much of the code compiled.
 */
@NullMarked
package io.waterwheel.topology.warmup;

import org.jspecify.annotations.NullMarked;
