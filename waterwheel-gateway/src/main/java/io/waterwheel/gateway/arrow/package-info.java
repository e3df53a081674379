/**
 * Arrow in the bodies of requests: {@link io.waterwheel.gateway.arrow.ArrowDecoder} makes
 * {@link io.waterwheel.gateway.rows.PushedRows} of an Arrow IPC stream. The bytes come from anybody: each length is
 * checked against the body before it is used, and no memory is taken because a message says so. On the thread of its
 * caller.
 */
@NullMarked
package io.waterwheel.gateway.arrow;

import org.jspecify.annotations.NullMarked;
