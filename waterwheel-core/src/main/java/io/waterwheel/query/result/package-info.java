/**
 * What becomes of matching rows: a {@link io.waterwheel.query.result.Gather} a query makes a collector at each tree and
 * chunk, which makes a part (rows, the first by an order, partial aggregates, the newest of each key), and a merge of
 * the parts at the coordinator. Kinds of results enter here, with groups and gaps; what only handles rows is in
 * query.rows. Tests: {@code GroupTableTest} and {@code GapFillTest} here, {@code AggregateFunctionsTest} in
 * query.aggregate. Uses query, query.rows, query.aggregate, query.compile, query.column and query.memory.
 */
@NullMarked
package io.waterwheel.query.result;

import org.jspecify.annotations.NullMarked;
