/**
 * Statements to plans. {@link io.waterwheel.sql.plan.StatementPlanner} goes through the steps: sql.parse makes a tree;
 * a {@code Rewriter} puts the engine's functions and literals in place; Calcite validates and makes relational
 * operators; sql.leaf takes those that the engine answers into leaves, and sql.residual makes a SELECT of the rest.
 * Knows Calcite.
 */
@NullMarked
package io.waterwheel.sql.plan;

import org.jspecify.annotations.NullMarked;
