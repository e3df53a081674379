/** Starts, stops and kills the real daemons, each in its own process. */
@NullMarked
package io.waterwheel.cluster;

import org.jspecify.annotations.NullMarked;
