/**
 * The rows of a request's body: expanded, decoded, checked. {@link io.waterwheel.gateway.rows.RowDecoder} makes
 * {@link io.waterwheel.gateway.rows.PushedRows} of every form of a body. Uses the core's decoders. On the thread of its
 * caller.
 */
@NullMarked
package io.waterwheel.gateway.rows;

import org.jspecify.annotations.NullMarked;
