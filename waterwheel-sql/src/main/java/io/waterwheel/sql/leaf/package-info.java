/**
 * Statements' operators taken into queries of the engine. {@link io.waterwheel.sql.leaf.LeafPushdown} takes what the
 * engine answers as SQL says into leaves, {@link io.waterwheel.sql.leaf.Leaf}; {@code ConditionTranslator} makes
 * expressions of Calcite expressions of the engine. {@link io.waterwheel.sql.leaf.SqlTypes} and
 * {@link io.waterwheel.sql.leaf.EngineFunctions} are how Calcite sees the engine. Knows Calcite.
 */
@NullMarked
package io.waterwheel.sql.leaf;

import org.jspecify.annotations.NullMarked;
