/** The Arrow Flight server that takes queries and streams answers. */
@NullMarked
package io.waterwheel.topology.rpc;

import org.jspecify.annotations.NullMarked;
