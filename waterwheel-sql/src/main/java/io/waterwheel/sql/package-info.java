/**
 * SQL over streams. {@link io.waterwheel.sql.SqlPlanner} turns the text of a statement into a
 * {@link io.waterwheel.sql.SqlPlan}; {@link io.waterwheel.sql.StreamSchemas} tells it which streams there are. Calcite
 * reads and plans; none of its types is seen here. Uses sql.plan, and of the core what queries are made of.
 */
@NullMarked
package io.waterwheel.sql;

import org.jspecify.annotations.NullMarked;
