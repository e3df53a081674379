/**
 * Statements to plans. {@link io.waterwheel.sql.plan.StatementPlanner} goes through the steps: Calcite parses; a
 * {@link io.waterwheel.sql.plan.Rewriter} puts the engine's functions and literals in place; Calcite validates and
 * makes relational operators; {@link io.waterwheel.sql.plan.LeafPushdown} takes those that the engine answers into
 * leaves, {@link io.waterwheel.sql.plan.Leaf}. {@link io.waterwheel.sql.plan.ConditionTranslator} makes expressions of
 * Calcite expressions of the engine. The only room, with sql.exec, that knows Calcite.
 */
@NullMarked
package io.waterwheel.sql.plan;

import org.jspecify.annotations.NullMarked;
