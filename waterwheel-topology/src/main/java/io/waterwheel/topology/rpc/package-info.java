/**
 * The one port of a worker: an Arrow Flight server that takes clients' queries and calls, and what workers ask of one
 * another.
 *
 * <pre>
 *   client  --DoGet(query)-->      RpcServer --> QueryHandler   (a coordinator's)   --> record batches, verdict
 *   client  --DoAction(name)-->    RpcServer --> AdminHandler
 *   worker  --DoAction(control)--> RpcServer --> PeerHandler    (control messages; may be lost)
 *   worker  --DoGet(subquery)-->   RpcServer --> PeerHandler    (a stream of messages)
 * </pre>
 *
 * <p>Read {@link io.waterwheel.topology.rpc.RpcServer} first, then {@link io.waterwheel.topology.rpc.PeerClient}.
 * Handlers run on the server's bounded pools, where they may block; queries and subqueries have a pool each, because a
 * query waits for subqueries. What a slow receiver has not taken yet is bounded by Flight's back-pressure.
 */
@NullMarked
package io.waterwheel.topology.rpc;

import org.jspecify.annotations.NullMarked;
