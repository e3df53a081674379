/**
 * Queries, answers and calls as bytes: the messages of {@code src/main/proto/waterwheel/v1}, and the conversions
 * between them and the classes that the rest is written in. Whatever comes in is checked here, once: sizes, bounds,
 * fields that this release does not know. Uses query and protocol.
 */
@NullMarked
package io.waterwheel.wire;

import org.jspecify.annotations.NullMarked;
