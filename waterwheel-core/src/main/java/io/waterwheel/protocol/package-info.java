/**
 * The messages by which dispatchers, indexers and coordinators meet ({@link io.waterwheel.protocol.Control}). Their
 * bytes are {@code wire.ControlCodec}'s; the numbered rules are in docs/protocol.md. Uses tuple.
 */
@NullMarked
package io.waterwheel.protocol;

import org.jspecify.annotations.NullMarked;
