/** ZooKeeper behind the core's catalog store seam. */
@NullMarked
package io.waterwheel.topology.zookeeper;

import org.jspecify.annotations.NullMarked;
