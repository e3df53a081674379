/**
 * Rows under keys: what is sent again under the same key is stored once.
 *
 * <pre>
 * request, key --> LaneProtocol: known? under way? --> a batch of a lane --> rows and a note, one transaction --> Kafka
 *                       ^                                                        |
 *                       +--- claim: shut out others, read the notes <------------+ whatever fails
 *                       |                                                        |
 *                       +--- no answer -- another gateway, asked to store it <--- look whose lanes they are
 * </pre>
 *
 * {@link io.waterwheel.gateway.keyed.LaneProtocol} decides everything and knows neither threads nor Kafka; a simulation
 * in the tests drives it. {@link io.waterwheel.gateway.keyed.KeyedSlot} does what it says, on threads of a pool;
 * {@link io.waterwheel.gateway.keyed.OtherGateways} asks others by HTTP. Uses the client's lanes and
 * {@code gateway.http}.
 */
@NullMarked
package io.waterwheel.gateway.keyed;

import org.jspecify.annotations.NullMarked;
