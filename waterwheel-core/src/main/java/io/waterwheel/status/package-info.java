/**
 * What a server knows of itself and its streams: {@link io.waterwheel.status.ServerReport}, made by a coordinator,
 * rendered as JSON by {@link io.waterwheel.status.StatusJson} and in words by the server and the command line; and what
 * it keeps of rows that it rejected. Values; any thread. Uses nothing.
 */
@NullMarked
package io.waterwheel.status;

import org.jspecify.annotations.NullMarked;
