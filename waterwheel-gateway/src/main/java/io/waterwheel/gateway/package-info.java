/**
 * HTTP in front of a Waterwheel server.
 *
 * <pre>
 * client --HTTP--> Gateway -- GatewayHandler finds the Route, reads the body
 *                                 Endpoint, on a thread of its own --Flight--> a coordinator
 * client &lt;-- JSON, CSV, Arrow -- AnswerStream, as fast as the client takes it &lt;-- rows, then a verdict
 * </pre>
 *
 * Stateless: any number of gateways serve the same streams. Read {@link io.waterwheel.gateway.Gateway}, then
 * {@code Routes}, which lists all endpoints, and {@code QueryEndpoint}. Uses the client, and of the command line the
 * options of a query. Jetty's threads take requests in; what waits for a server, or for a client, has a thread of a
 * pool that is bounded.
 */
@NullMarked
package io.waterwheel.gateway;

import org.jspecify.annotations.NullMarked;
