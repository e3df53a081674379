/** Tests of rows under keys: the protocol in a simulation, and planted bugs that the simulation must find. */
@NullMarked
package io.waterwheel.gateway.keyed;

import org.jspecify.annotations.NullMarked;
