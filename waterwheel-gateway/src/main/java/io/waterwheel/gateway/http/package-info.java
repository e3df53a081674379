/**
 * The words of HTTP that all endpoints share: failures and their codes, parameters, media types, small documents, and
 * the bytes that requests hold; and the threads that connections get. Start with
 * {@link io.waterwheel.gateway.http.HttpFailure}. Uses the core's errors.
 */
@NullMarked
package io.waterwheel.gateway.http;

import org.jspecify.annotations.NullMarked;
