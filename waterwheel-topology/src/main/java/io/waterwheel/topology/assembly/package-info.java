/** Wires the topology; the only package that sees all others. */
@NullMarked
package io.waterwheel.topology.assembly;

import org.jspecify.annotations.NullMarked;
