package io.waterwheel.topology.coordinator;

import io.waterwheel.catalog.maintenance.FileCollector;
import io.waterwheel.catalog.state.ChunkDescriptor;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.catalog.state.StreamSnapshot;
import io.waterwheel.key.sample.CellUse;
import io.waterwheel.protocol.Control;
import io.waterwheel.query.plan.Endpoints;
import io.waterwheel.status.ServerReport;
import io.waterwheel.status.StreamReport;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.Region;
import io.waterwheel.tuple.TimeInterval;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Makes the report of a server of what its coordinator knows. Pure functions. */
final class StatusReports {
    /** Partitions that a sentence names. */
    private static final int MOST_NAMED = 20;

    private StatusReports() {}

    /**
     * What is known of one stream.
     *
     * @param reports by indexer, the latest
     * @param partitions by partition, the latest
     * @param troubles what is wrong with the stream as a whole, in sentences for people
     * @param checkMillis how often topics should be looked at
     * @param cells of the key's dimensions, by the newest keys; none where they are not known
     */
    record Known(
            StreamSnapshot snapshot,
            Map<Integer, Control.Report> reports,
            Map<Integer, Control.PartitionReport> partitions,
            List<String> troubles,
            long checkMillis,
            List<CellUse> cells) {}

    /**
     * All of it.
     *
     * @param troubles what is wrong with all streams, in sentences for people
     * @param collector what the collector of files has done, where it runs
     * @param rollUps what has become of the edits, where they are rolled up
     * @param gateways in front of the server
     */
    static ServerReport server(
            List<String> troubles,
            List<StreamReport> streams,
            MaintenanceTask.@Nullable Totals collector,
            ManifestCompactions.@Nullable Totals rollUps,
            List<ServerReport.Gateway> gateways) {
        List<String> all = new ArrayList<>(troubles);
        FileCollector.Found last = collector == null ? null : collector.last();
        if (last != null) {
            last.unreadable()
                    .forEach((stream, why) ->
                            all.add("no file of stream " + stream + " is collected, since it cannot be read: " + why));
        }
        if (rollUps != null && !rollUps.failure().isEmpty()) {
            all.add("edits cannot be rolled up and stay in ZooKeeper: " + rollUps.failure());
        }
        return new ServerReport(
                all,
                streams,
                collector == null
                        ? null
                        : new ServerReport.Collector(
                                collector.removed(),
                                collector.removedBytes(),
                                last == null
                                        ? null
                                        : new ServerReport.Found(last.files(), last.waiting(), last.foreign())),
                rollUps == null ? null : new ServerReport.RollUps(rollUps.manifests(), rollUps.failure()),
                gateways);
    }

    static StreamReport stream(StreamInfo stream, Known known) {
        StreamSnapshot snapshot = known.snapshot();
        List<String> troubles = new ArrayList<>(known.troubles());
        StreamReport.Routing routing = snapshot.announced()
                .map(table -> new StreamReport.Routing(table.version(), snapshot.notAdopted()))
                .orElse(null);
        if (routing != null) {
            List<Integer> not = routing.notAdopted();
            troubles.add("routing table " + routing.announced() + " is announced, and " + not.size() + " of "
                    + snapshot.partitions() + " partitions have not adopted it yet: "
                    + not.subList(0, Math.min(not.size(), MOST_NAMED)) + (not.size() > MOST_NAMED ? " and more" : "")
                    + "; the first coordinator sees to it every few seconds");
        }
        return new StreamReport(
                new StreamReport.Definition(
                        stream.name(),
                        stream.topic(),
                        stream.partitions(),
                        stream.policy().badRecords().toString(),
                        stream.policy().logLoss().toString()),
                snapshot.edit(),
                troubles,
                routing,
                chunks(snapshot),
                known.reports().values().stream().map(StatusReports::indexer).toList(),
                source(stream, known),
                known.cells().stream()
                        .map(use -> new StreamReport.Dimension(use.field(), use.cells(), use.used(), use.crowded()))
                        .toList());
    }

    /** Which indexers this process should host and cannot start, in a sentence for each reason. */
    static List<String> absences(int indexers, Endpoints endpoints) {
        Map<String, List<Integer>> byReason = new LinkedHashMap<>();
        for (int indexer = 0; indexer < indexers; indexer++) {
            String why = endpoints.absence(indexer);
            if (!why.isEmpty()) {
                byReason.computeIfAbsent(why, reason -> new ArrayList<>()).add(indexer);
            }
        }
        List<String> said = new ArrayList<>();
        byReason.forEach((why, ids) -> said.add("indexers " + ids.subList(0, Math.min(ids.size(), MOST_NAMED))
                + (ids.size() > MOST_NAMED ? " and more" : "")
                + " cannot start, and queries wait for them; it is tried again: " + why));
        return said;
    }

    private static StreamReport.Chunks chunks(StreamSnapshot snapshot) {
        long[] sums = {0, 0};
        snapshot.chunks(new Region(KeyInterval.ALL, TimeInterval.ALL), (ChunkDescriptor chunk) -> {
            sums[0] += chunk.tuples();
            sums[1] += chunk.bytes();
        });
        return new StreamReport.Chunks(snapshot.chunkCount(), sums[0], sums[1]);
    }

    private static StreamReport.Indexer indexer(Control.Report report) {
        Control.Memory memory = report.memory();
        Control.Templates templates = report.templates();
        List<Long> watermarks = new ArrayList<>(report.watermarks().length);
        for (long watermark : report.watermarks()) {
            watermarks.add(watermark);
        }
        return new StreamReport.Indexer(
                report.indexer(),
                report.epoch(),
                report.flushed(),
                report.tuples(),
                report.rejected(),
                report.recovering(),
                new StreamReport.Memory(
                        memory.usedBytes(), memory.limitBytes(), memory.unflushedTrees(), memory.trouble()),
                new StreamReport.Rebuilds(
                        templates.rebuilds(),
                        templates.before(),
                        templates.after(),
                        templates.longestNanos() / 1e6,
                        templates.longestCpuNanos() / 1e6),
                watermarks);
    }

    private static StreamReport.Source source(StreamInfo stream, Known known) {
        long longestCheck = 0;
        List<StreamReport.Partition> partitions = new ArrayList<>();
        for (Control.PartitionReport report : known.partitions().values()) {
            longestCheck = Math.max(longestCheck, report.lookMillis());
            partitions.add(new StreamReport.Partition(
                    report.partition(),
                    new StreamReport.Positions(
                            report.positions().routed(),
                            report.indexed(known.reports().values()),
                            report.positions().start(),
                            report.positions().end()),
                    report.deadLetters(),
                    report.warning(),
                    report.trouble().sentence(stream.name())));
        }
        return new StreamReport.Source(
                longestCheck,
                known.checkMillis(),
                partitions,
                known.snapshot().lost().stream()
                        .map(range ->
                                new StreamReport.Lost(range.partition(), range.from(), range.to(), range.reason()))
                        .toList());
    }
}
