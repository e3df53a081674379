/**
 * Evaluates expressions over the rows of a page or leaf, column by column:
 * {@link io.waterwheel.query.column.ExpressionCompiler} turns an expression into
 * {@link io.waterwheel.query.column.ColumnNode}s, which read a {@link io.waterwheel.query.column.RowView} at the
 * selected rows and leave {@link io.waterwheel.query.column.Values}. No object a row. Each set of nodes serves one
 * scan, on its thread. Uses query.expression and query.memory.
 */
@NullMarked
package io.waterwheel.query.column;

import org.jspecify.annotations.NullMarked;
