/**
 * Shapes on the sphere: box, circle and polygon, checked when they are made. What lies inside one is decided by
 * {@code key}. Uses nothing.
 */
@NullMarked
package io.waterwheel.geo;

import org.jspecify.annotations.NullMarked;
