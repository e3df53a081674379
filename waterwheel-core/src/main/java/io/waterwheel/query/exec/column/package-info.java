/**
 * Evaluates expressions over the rows of a page or leaf, column by column:
 * {@link io.waterwheel.query.exec.column.ExpressionCompiler} turns an expression into
 * {@link io.waterwheel.query.exec.column.ColumnNode}s, which read a {@link io.waterwheel.query.exec.column.RowView} at
 * the selected rows and leave {@link io.waterwheel.query.exec.column.Values}. No object a row. Each set of nodes serves
 * one scan, on its thread. Uses model and query.expression.
 */
@NullMarked
package io.waterwheel.query.exec.column;

import org.jspecify.annotations.NullMarked;
