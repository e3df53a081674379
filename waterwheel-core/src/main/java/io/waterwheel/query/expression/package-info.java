/**
 * Conditions and values over the fields of a tuple: {@link io.waterwheel.query.expression.Expression} is the tree,
 * {@link io.waterwheel.query.expression.ExpressionParser} and {@link io.waterwheel.query.expression.ExpressionPrinter}
 * are its text form, a strict subset of SQL (docs/queries.md), {@link io.waterwheel.query.expression.ExpressionTypes}
 * checks it against a schema. No evaluation. Uses schema.
 */
@NullMarked
package io.waterwheel.query.expression;

import org.jspecify.annotations.NullMarked;
