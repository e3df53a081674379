/**
 * ZooKeeper behind the core's catalog store seam. Curator keeps the connection and the session; transactions go to
 * ZooKeeper's own client, because Curator repeats what it sends, and a repeated transaction would refuse itself.
 */
@NullMarked
package io.waterwheel.topology.zookeeper;

import org.jspecify.annotations.NullMarked;
