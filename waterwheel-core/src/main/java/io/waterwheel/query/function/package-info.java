/**
 * The nodes that compute values: arithmetic, functions of numbers, texts, times and positions, CAST, CASE and COALESCE.
 * {@link io.waterwheel.query.function.Functions} is the door; the nodes are the room's own. A new function of
 * expressions enters here; how it is written and typed is in query.expression. Tests: {@code EvaluationTest} and
 * {@code SqliteTest} in query.compile. Uses query.column and query.expression.
 */
@NullMarked
package io.waterwheel.query.function;

import org.jspecify.annotations.NullMarked;
