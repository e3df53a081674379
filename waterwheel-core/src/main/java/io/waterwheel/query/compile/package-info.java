/**
 * From an expression to its nodes: {@link io.waterwheel.query.compile.ExpressionCompiler} walks the expression, asks
 * query.condition and query.function for nodes, and computes parts without fields at once. Nothing that runs over rows
 * enters. Tests: {@code EvaluationTest} compares all nodes with a plain interpreter of expressions, {@code SqliteTest}
 * with SQLite. Uses query.condition, query.function and query.column.
 */
@NullMarked
package io.waterwheel.query.compile;

import org.jspecify.annotations.NullMarked;
