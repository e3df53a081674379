/**
 * Statements that change something: CREATE, ALTER and DROP STREAM, and the head of INSERT.
 * {@link io.waterwheel.sql.change.ChangeParser} reads them; what they mean says
 * {@link io.waterwheel.sql.change.Change}. The rest of an INSERT is a query, which the planner reads. Pure functions.
 * Uses error.
 */
@NullMarked
package io.waterwheel.sql.change;

import org.jspecify.annotations.NullMarked;
