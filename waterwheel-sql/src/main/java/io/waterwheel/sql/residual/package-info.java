/**
 * What is left of a plan above its leaves, as a SELECT for an executor.
 * {@link io.waterwheel.sql.residual.ResidualPlanner} makes it; {@code ResidualText} goes through the operators,
 * {@code ResidualExpressions} through what they compute, and {@code Narrowings} finds what joins say about other
 * leaves. {@link io.waterwheel.sql.residual.PartialAggregates} has leaves compute aggregates in part first. Knows
 * Calcite, and DuckDB's dialect.
 */
@NullMarked
package io.waterwheel.sql.residual;

import org.jspecify.annotations.NullMarked;
