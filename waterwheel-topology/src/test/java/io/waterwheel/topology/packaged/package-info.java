/** Tests of the topology jar as it is shipped. Nothing but io.waterwheel's own types is in what is run against it. */
@NullMarked
package io.waterwheel.topology.packaged;

import org.jspecify.annotations.NullMarked;
