/**
 * What answers the rest of a plan: {@link io.waterwheel.sql.exec.ResidualExecutor}, given the rows of the leaves. Knows
 * no library; {@code sql.duckdb} is the one that there is.
 */
@NullMarked
package io.waterwheel.sql.exec;

import org.jspecify.annotations.NullMarked;
