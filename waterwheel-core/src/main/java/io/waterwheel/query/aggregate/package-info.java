/**
 * The aggregate functions, one class each: its name, its types, and which state it has.
 * {@link io.waterwheel.query.aggregate.AggregateFunctions} lists them. A new function enters here; arithmetic and
 * sketches are in query.aggregate.state. Tests: {@code AggregateFunctionsTest} walks the list, and compares each with
 * {@code AggregateOracle}. Uses query.expression and query.aggregate.state.
 */
@NullMarked
package io.waterwheel.query.aggregate;

import org.jspecify.annotations.NullMarked;
