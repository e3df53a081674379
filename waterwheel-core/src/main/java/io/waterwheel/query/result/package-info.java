/**
 * What becomes of matching rows: a {@link io.waterwheel.query.result.Gather} a query makes a collector at each tree and
 * chunk, which makes a part (rows, the first by an order, partial aggregates, the newest of each key), and a merge of
 * the parts at the coordinator. Memory is reserved before it is taken. Uses query, query.column and query.memory.
 */
@NullMarked
package io.waterwheel.query.result;

import org.jspecify.annotations.NullMarked;
