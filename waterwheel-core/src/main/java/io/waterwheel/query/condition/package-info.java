/**
 * The nodes of conditions: comparisons, IN, LIKE, AND, OR and NULLIF, and what a condition says of single fields, by
 * which leaves and chunks are left out. {@link io.waterwheel.query.condition.Conditions} is the door; the nodes are the
 * room's own. A node that yields a truth value by a test enters; what computes a value is in query.function. Tests:
 * {@code EvaluationTest} in query.compile compares them with a plain interpreter and SQLite, {@code LikePieceTest} is
 * here, {@code LeafZonesTest} in query.scan. Uses query.column and query.expression.
 */
@NullMarked
package io.waterwheel.query.condition;

import org.jspecify.annotations.NullMarked;
