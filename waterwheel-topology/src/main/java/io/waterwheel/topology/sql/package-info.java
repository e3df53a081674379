/**
 * Statements of SQL on a coordinator. {@link io.waterwheel.topology.sql.Statements} plans them (module waterwheel-sql)
 * and has the coordinator answer their queries.
 */
@NullMarked
package io.waterwheel.topology.sql;

import org.jspecify.annotations.NullMarked;
