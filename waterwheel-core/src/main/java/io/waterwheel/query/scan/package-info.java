/**
 * Reading: {@link io.waterwheel.query.scan.TreeScan} for fresh tuples and {@link io.waterwheel.query.scan.ChunkScan}
 * for chunks answer a {@link io.waterwheel.query.scan.ScanSpec} column by column;
 * {@link io.waterwheel.query.scan.FreshReader} and {@link io.waterwheel.query.scan.ChunkCache} serve the indexers'
 * views and decoded columns. Uses index, chunk, query.column, query.condition, query.compile, query.rows and
 * query.result.
 */
@NullMarked
package io.waterwheel.query.scan;

import org.jspecify.annotations.NullMarked;
