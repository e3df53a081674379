/** HDFS behind the core's chunk store seam. */
@NullMarked
package io.waterwheel.topology.hdfs;

import org.jspecify.annotations.NullMarked;
