/**
 * The way from matching rows to an answer. Each query has a {@link io.waterwheel.query.result.Gather}. It makes a
 * collector at each tree and chunk, which makes a part (rows, the first by an order, partial aggregates, the newest of
 * each key, the row of each pair of a key and a time), and a merge of the parts at the coordinator. A new kind of
 * result, with groups and gaps, belongs here; classes that only handle rows are in query.rows. Tests:
 * {@code GroupTableTest} and {@code GapFillTest} here, {@code AggregateFunctionsTest} in query.aggregate,
 * {@code SeriesTest} and {@code LookupTest} in local. Uses query, query.rows, query.newest, query.aggregate,
 * query.compile, query.column and query.memory.
 */
@NullMarked
package io.waterwheel.query.result;

import org.jspecify.annotations.NullMarked;
