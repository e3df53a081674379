/**
 * The topology as Storm gets it: {@link io.waterwheel.topology.WaterwheelTopology} is the main class of {@code storm
 * jar}, declares the components and their streams, and sizes the workers' JVMs. Uses everything below.
 */
@NullMarked
package io.waterwheel.topology;

import org.jspecify.annotations.NullMarked;
