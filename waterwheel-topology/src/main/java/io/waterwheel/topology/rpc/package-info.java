/**
 * The ports of a worker, Arrow Flight servers both: a coordinator's for clients' queries and calls, and the worker's
 * own for what workers ask of one another.
 *
 * <pre>
 *   client  --DoGet(query)-->      forClients --> QueryHandler   (a coordinator's)   --> record batches, verdict
 *   client  --DoGet(statement)-->  forClients --> StatementHandler                   --> the same
 *   client  --DoAction(name)-->    forClients --> AdminHandler
 *   worker  --DoAction(proof)-->   forPeers   --> PeerGate       (once a connection)
 *   worker  --DoAction(control)--> forPeers   --> PeerHandler    (control messages; may be lost)
 *   worker  --DoGet(subquery)-->   forPeers   --> PeerHandler    (a stream of messages)
 * </pre>
 *
 * <p>Read {@link io.waterwheel.topology.rpc.RpcServer} first, then {@link io.waterwheel.topology.rpc.PeerClient}.
 * Handlers run on the server's bounded pools, where they may block; queries and subqueries have a pool each, because a
 * query waits for subqueries. What a slow receiver has not taken yet is bounded by Flight's back-pressure.
 */
@NullMarked
package io.waterwheel.topology.rpc;

import org.jspecify.annotations.NullMarked;
