/** The words of the system: schema, tuple block, intervals, region, source position, error codes. */
@NullMarked
package io.waterwheel.model;

import org.jspecify.annotations.NullMarked;
