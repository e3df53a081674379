/**
 * Values by column, and the seam by which expressions are evaluated over the rows of a page or leaf: a
 * {@link io.waterwheel.query.column.ColumnNode} reads a {@link io.waterwheel.query.column.RowView} at the selected rows
 * and leaves {@link io.waterwheel.query.column.Values}. No object a row. Each set of nodes serves one scan, on its
 * thread. The nodes that all others need live here, of a field and of a constant; conditions enter query.condition, all
 * else query.function. Tests: {@code EvaluationTest} in query.compile. Uses query.expression and query.memory.
 */
@NullMarked
package io.waterwheel.query.column;

import org.jspecify.annotations.NullMarked;
