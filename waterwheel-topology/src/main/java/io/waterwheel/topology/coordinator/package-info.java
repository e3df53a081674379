/**
 * Coordinators: {@link io.waterwheel.topology.coordinator.CoordinatorTask} starts a coordinator's port, and in the
 * first of them the maintenance of all streams ({@link io.waterwheel.topology.coordinator.MaintenanceTask},
 * {@link io.waterwheel.topology.coordinator.KeyBalancer}, {@link io.waterwheel.topology.coordinator.ChunkScrub}). Uses
 * task, worker and config.
 */
@NullMarked
package io.waterwheel.topology.coordinator;

import org.jspecify.annotations.NullMarked;
