/**
 * What a task of the topology is, whatever runs it: {@link io.waterwheel.topology.task.Task} takes messages,
 * {@link io.waterwheel.topology.task.SourceTask} reads where they begin, and
 * {@link io.waterwheel.topology.task.TaskContext} is what each is told of itself and of the others. Tasks know no more
 * of who runs them: Storm ({@code storm}), or this process by itself ({@code process}).
 */
@NullMarked
package io.waterwheel.topology.task;

import org.jspecify.annotations.NullMarked;
