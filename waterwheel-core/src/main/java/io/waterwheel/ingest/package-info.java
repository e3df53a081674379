/**
 * The way in: records to segments ({@link io.waterwheel.ingest.Segmenter}), segments to channels
 * ({@link io.waterwheel.ingest.PartitionDispatcher}), channels to trees and sealed trees
 * ({@link io.waterwheel.ingest.IndexerCore}). State machines after the protocol's rules 1 to 7, driven by shells that
 * own the threads. Uses model, key, decode, index, chunk, catalog.
 */
@NullMarked
package io.waterwheel.ingest;

import org.jspecify.annotations.NullMarked;
