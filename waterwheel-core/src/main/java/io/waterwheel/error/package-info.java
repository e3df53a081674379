/**
 * How things fail: one unchecked exception, {@link io.waterwheel.error.WaterwheelException}, with a code of
 * {@link io.waterwheel.error.ErrorCode}, which says its kind and what to do. {@link io.waterwheel.error.NearestName}
 * finds what somebody may have meant. Uses nothing.
 */
@NullMarked
package io.waterwheel.error;

import org.jspecify.annotations.NullMarked;
