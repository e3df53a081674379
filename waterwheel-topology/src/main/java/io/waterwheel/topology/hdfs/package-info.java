/**
 * HDFS behind the core's chunk store seam, and {@link io.waterwheel.topology.hdfs.ChunkStores}, which opens the store
 * that a URI names.
 */
@NullMarked
package io.waterwheel.topology.hdfs;

import org.jspecify.annotations.NullMarked;
