package io.waterwheel.sql.duckdb;

/**
 * What DuckDB may take, for all statements together.
 *
 * @param memoryBytes of memory, beside about 150 MB of the process itself
 * @param spillBytes of the disk with the temporary folder, where rows go that do not fit in memory
 * @param threads that compute
 * @param atOnce statements at a time; others wait
 */
public record DuckDbSettings(long memoryBytes, long spillBytes, int threads, int atOnce) {}
