/**
 * What rows tell of a key before there is a stream: {@link io.waterwheel.key.sample.DimensionLearner} completes the
 * dimensions of a definition. Used by who makes definitions; one thread.
 */
@NullMarked
package io.waterwheel.key.sample;

import org.jspecify.annotations.NullMarked;
