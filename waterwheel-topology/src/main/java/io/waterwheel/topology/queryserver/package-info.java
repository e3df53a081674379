/**
 * Query servers: a task that keeps a place for one. The work is the worker's ({@code topology.wiring}), which answers
 * subqueries on its own port. Uses task and worker.
 */
@NullMarked
package io.waterwheel.topology.queryserver;

import org.jspecify.annotations.NullMarked;
