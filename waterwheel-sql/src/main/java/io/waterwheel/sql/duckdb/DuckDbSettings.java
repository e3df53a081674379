package io.waterwheel.sql.duckdb;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * What DuckDB may take, for all statements together.
 *
 * @param memoryBytes of memory, beside about 150 MB of the process itself
 * @param spillBytes of the disk with the temporary folder, where rows go that do not fit in memory
 * @param threads that compute
 * @param atOnce statements at a time; others wait
 * @param files folder whose files statements may read; null for none
 */
public record DuckDbSettings(
        long memoryBytes,
        long spillBytes,
        int threads,
        int atOnce,
        @Nullable Path files) {
    /** Settings by which no file is read. */
    public DuckDbSettings(long memoryBytes, long spillBytes, int threads, int atOnce) {
        this(memoryBytes, spillBytes, threads, atOnce, null);
    }
}
