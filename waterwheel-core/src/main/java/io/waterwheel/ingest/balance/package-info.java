/**
 * When and how the keys are divided anew between indexers: {@link io.waterwheel.ingest.balance.Balancer} sums what
 * dispatchers sampled and proposes a routing table. Uses catalog.state and protocol.
 */
@NullMarked
package io.waterwheel.ingest.balance;

import org.jspecify.annotations.NullMarked;
