/**
 * From a query to the places to ask: {@link io.waterwheel.query.plan.ResolvedQuery} is the query against a schema,
 * {@link io.waterwheel.query.plan.QueryPlan} names the chunks and the indexers that may hold matching tuples at one
 * snapshot. Uses catalog, key, query.memory, query.condition, query.compile, query.rows, query.result and query.scan.
 */
@NullMarked
package io.waterwheel.query.plan;

import org.jspecify.annotations.NullMarked;
