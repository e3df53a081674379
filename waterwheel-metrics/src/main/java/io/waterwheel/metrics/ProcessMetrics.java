package io.waterwheel.metrics;

import java.util.List;

/** Of the process, beside what the library tells of its JVM. */
public final class ProcessMetrics {
    static final Room ROOM = new Room("The process", "Every process has these, and the JVM's own, below.");

    static final Metric FAILURES = ROOM.counter(
            "waterwheel_metrics_failures_total",
            "Values that could not be read for a scrape, and are missing in it.",
            "A defect, which the log has once a minute.");

    /** All definitions, by part of the system. */
    static final List<Room> ROOMS = List.of(
            WayInMetrics.ROOM, ChunkMetrics.ROOM, CatalogMetrics.ROOM, QueryMetrics.ROOM, GatewayMetrics.ROOM, ROOM);

    private ProcessMetrics() {}
}
