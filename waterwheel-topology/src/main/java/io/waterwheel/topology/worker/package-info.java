/**
 * What the tasks of one worker process share, and how they reach tasks of others. The tasks ({@code dispatcher},
 * {@code indexer}, {@code coordinator}, {@code spout}) see these interfaces, each the part that it needs, such as
 * {@link io.waterwheel.topology.worker.IndexerServices}; {@code wiring} fills them. Uses config and the core.
 */
@NullMarked
package io.waterwheel.topology.worker;

import org.jspecify.annotations.NullMarked;
