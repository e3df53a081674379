/**
 * The rest of a plan answered by DuckDB, in a process of its own: a crash in native code ends statements, and no
 * indexer. {@link io.waterwheel.sql.duckdb.DuckDbExecutor} starts it and talks to it over a Unix domain socket;
 * {@code DuckDbProcess} is what it runs. DuckDB's library is optional: without it such statements are refused.
 */
@NullMarked
package io.waterwheel.sql.duckdb;

import org.jspecify.annotations.NullMarked;
