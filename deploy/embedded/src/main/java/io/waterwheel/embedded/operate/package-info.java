/**
 * Commands that operate a topology on a Storm cluster: {@code waterwheel topology submit|list|drain|kill}. They talk to
 * Nimbus over Thrift ({@link io.waterwheel.embedded.operate.Nimbus}), to coordinators as any client does, and read the
 * catalog; they are here, not among the client's commands, because the client has no Storm on its class path. Loaded
 * when one of them is asked for. One thread.
 */
@NullMarked
package io.waterwheel.embedded.operate;

import org.jspecify.annotations.NullMarked;
