/**
 * The aggregate functions, one class each: its name, its types and its partial state.
 * {@link io.waterwheel.query.aggregate.AggregateFunctions} lists them. Uses query.expression and query.column.
 */
@NullMarked
package io.waterwheel.query.aggregate;

import org.jspecify.annotations.NullMarked;
