/**
 * The nodes of conditions: comparisons, IN, LIKE, AND, OR and NULLIF, and what a condition says of single fields, by
 * which leaves and chunks are left out. {@link io.waterwheel.query.condition.Conditions} is the door; the nodes are the
 * room's own. Conditions enter, and NULLIF, which compares; functions of text that yield a truth value are in
 * query.function. Tests: {@code EvaluationTest} in query.compile compares them with a plain interpreter and SQLite,
 * {@code FieldBoundsTest} and {@code LikePieceTest} are here, {@code LeafZonesTest} in query.scan. Uses query.column
 * and query.expression.
 */
@NullMarked
package io.waterwheel.query.condition;

import org.jspecify.annotations.NullMarked;
