/**
 * What the tasks of one worker process share, and how they reach tasks of others. The shells ({@code bolt},
 * {@code spout}) see these interfaces; {@code assembly} fills them. Uses config and the core.
 */
@NullMarked
package io.waterwheel.topology.worker;

import org.jspecify.annotations.NullMarked;
