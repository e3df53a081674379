/**
 * The HTTP gateway as a part of the one-process server, and as a process of its own. Start with
 * {@link io.waterwheel.embedded.gateway.GatewayCommand}. Uses the gateway, the configuration and the command line.
 */
@NullMarked
package io.waterwheel.embedded.gateway;

import org.jspecify.annotations.NullMarked;
