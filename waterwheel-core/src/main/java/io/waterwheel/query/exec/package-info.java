/**
 * How a query is answered: decomposition, dispatch, reading, merging. Reading is here:
 * {@link io.waterwheel.query.exec.TreeScan} for fresh tuples and {@link io.waterwheel.query.exec.ChunkScan} for chunks
 * answer a {@link io.waterwheel.query.exec.ScanSpec} column by column into a {@link io.waterwheel.query.exec.RowSink}.
 * Uses model, key, index, chunk, catalog, query.
 */
@NullMarked
package io.waterwheel.query.exec;

import org.jspecify.annotations.NullMarked;
