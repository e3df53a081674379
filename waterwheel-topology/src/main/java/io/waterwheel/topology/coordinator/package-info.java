/**
 * Coordinators in Storm: {@link io.waterwheel.topology.coordinator.CoordinatorBolt} starts a coordinator's port, and in
 * the first of them the maintenance of all streams ({@link io.waterwheel.topology.coordinator.MaintenanceTask},
 * {@link io.waterwheel.topology.coordinator.KeyBalancer}, {@link io.waterwheel.topology.coordinator.ChunkScrub}). Uses
 * worker and config.
 */
@NullMarked
package io.waterwheel.topology.coordinator;

import org.jspecify.annotations.NullMarked;
