/**
 * The partial states of aggregates, of all groups at once: exact sums and moments, extremes, sets and sketches of
 * distinct values, quantiles. An {@link io.waterwheel.query.aggregate.state.AggregateState} takes values, writes parts,
 * merges parts in any order, and answers. The names and types of functions stay in query.aggregate. Tests:
 * {@code ExactSumTest} and {@code DoubleSumTest} here, {@code AggregateFunctionsTest}, {@code LargeStatesTest} and
 * {@code AggregateBytesTest} in query.aggregate. Uses query.column.
 */
@NullMarked
package io.waterwheel.query.aggregate.state;

import org.jspecify.annotations.NullMarked;
