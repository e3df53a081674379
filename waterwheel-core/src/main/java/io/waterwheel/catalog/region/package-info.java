/**
 * An R*-tree over regions of key and time, whose versions share what did not change:
 * {@link io.waterwheel.catalog.region.RegionIndex}. It says which chunks a query may touch. Uses tuple.
 */
@NullMarked
package io.waterwheel.catalog.region;

import org.jspecify.annotations.NullMarked;
