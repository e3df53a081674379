package io.waterwheel.topology.coordinator;

import io.waterwheel.catalog.maintenance.FileCollector;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.catalog.state.StreamSnapshot;
import io.waterwheel.metrics.CatalogMetrics;
import io.waterwheel.metrics.ChunkMetrics;
import io.waterwheel.metrics.Metrics;
import io.waterwheel.metrics.Source;
import io.waterwheel.metrics.WayInMetrics;
import io.waterwheel.protocol.Control;
import io.waterwheel.topology.worker.Closing;
import io.waterwheel.topology.worker.CoordinatorServices;
import java.util.Collection;
import java.util.Map;
import java.util.function.ToLongFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Measures what the first coordinator knows of all streams, as it was last told: nothing is asked for at a scrape.
 * Thread-safe.
 */
final class StreamMeter implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(StreamMeter.class);
    /** Partitions of a stream that have series of their own. */
    static final int MOST_PARTITIONS = 64;

    private final CoordinatorServices services;
    private final Metrics metrics;
    private final SnapshotCache snapshots;
    private final AutoCloseable[] parts;

    StreamMeter(CoordinatorServices services, SnapshotCache snapshots, MaintenanceTask maintenance) {
        this.services = services;
        this.metrics = services.metrics();
        this.snapshots = snapshots;
        this.parts = new AutoCloseable[] {
            metrics.read(WayInMetrics.LAG, this::lag),
            metrics.read(WayInMetrics.STANDING, this::standing),
            metrics.read(ChunkMetrics.CHUNKS, values -> snapshots(values, StreamSnapshot::chunkCount)),
            metrics.read(CatalogMetrics.ROUTING_VERSION, values -> snapshots(values, StreamSnapshot::version)),
            // So that there is a series before the first one.
            metrics.read(ChunkMetrics.EXPIRED_CHUNKS, values -> snapshots(values, snapshot -> 0)),
            metrics.read(ChunkMetrics.MERGED_CHUNKS, values -> snapshots(values, snapshot -> 0)),
            metrics.read(ChunkMetrics.MERGED_TUPLES, values -> snapshots(values, snapshot -> 0)),
            metrics.read(WayInMetrics.DELETED_RECORDS, values -> snapshots(values, snapshot -> 0)),
            metrics.read(
                    ChunkMetrics.COLLECTED_FILES,
                    values -> values.add(maintenance.totals().removed())),
            metrics.read(
                    ChunkMetrics.COLLECTED_BYTES,
                    values -> values.add(maintenance.totals().removedBytes())),
            metrics.read(ChunkMetrics.WAITING_FILES, values -> {
                FileCollector.Found last = maintenance.totals().last();
                values.add(last == null ? 0 : last.waiting());
            }),
            metrics.read(
                    ChunkMetrics.MANIFESTS,
                    values -> values.add(maintenance.rollUps().manifests()))
        };
    }

    private void lag(Source.Values values) {
        for (StreamInfo stream : services.streams().streams().values()) {
            String label = metrics.stream(stream.name());
            Collection<Control.Report> indexers =
                    snapshots.lastReports(stream.id()).values();
            for (Control.PartitionReport partition :
                    snapshots.partitionReports(stream.id()).values()) {
                values.add(
                        partition.lag(indexers),
                        label,
                        partition.partition() < MOST_PARTITIONS ? String.valueOf(partition.partition()) : "other");
            }
        }
    }

    private void standing(Source.Values values) {
        for (StreamInfo stream : services.streams().streams().values()) {
            Map<Integer, Control.PartitionReport> partitions = snapshots.partitionReports(stream.id());
            long standing = partitions.values().stream()
                    .filter(partition -> !partition.trouble().isNone())
                    .count();
            values.add(standing, metrics.stream(stream.name()));
        }
    }

    private void snapshots(Source.Values values, ToLongFunction<StreamSnapshot> figure) {
        for (StreamInfo stream : services.streams().streams().values()) {
            snapshots
                    .followed(stream)
                    .ifPresent(snapshot -> values.add(figure.applyAsLong(snapshot), metrics.stream(stream.name())));
        }
    }

    @Override
    public void close() {
        Closing.all(LOG, "coordinator's metrics", parts);
    }
}
