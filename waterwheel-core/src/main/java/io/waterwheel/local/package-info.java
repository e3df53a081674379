/**
 * The engine as a library: a stream in a folder of this machine, without Storm, Kafka or ZooKeeper.
 * {@link io.waterwheel.local.LocalStream} takes tuple blocks, flushes them into chunks and answers the same queries in
 * the same way as a coordinator. It is what benchmarks and comparisons use. One writer thread; any number of readers.
 * Uses key, index, chunk, catalog and query.*.
 */
@NullMarked
package io.waterwheel.local;

import org.jspecify.annotations.NullMarked;
