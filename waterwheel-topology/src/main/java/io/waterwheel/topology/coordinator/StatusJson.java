package io.waterwheel.topology.coordinator;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.waterwheel.catalog.maintenance.FileCollector;
import io.waterwheel.catalog.state.ChunkDescriptor;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.catalog.state.StreamSnapshot;
import io.waterwheel.protocol.Control;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.LostRange;
import io.waterwheel.tuple.Region;
import io.waterwheel.tuple.TimeInterval;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What a coordinator knows of the streams, as JSON for people and programs. */
final class StatusJson {
    private static final ObjectMapper MAPPER = new ObjectMapper();
    /** Partitions that a sentence names. */
    private static final int MOST_NAMED = 20;

    private StatusJson() {}

    /**
     * What is known of one stream.
     *
     * @param reports by indexer, the latest
     * @param partitions by partition, the latest
     * @param troubles what is wrong with the stream as a whole, in sentences for people
     * @param checkMillis how often topics should be looked at
     */
    record StreamStatus(
            StreamSnapshot snapshot,
            Map<Integer, Control.Report> reports,
            Map<Integer, Control.PartitionReport> partitions,
            List<String> troubles,
            long checkMillis) {}

    /**
     * All of it.
     *
     * @param general what is wrong with all streams, in sentences for people
     * @param rollUps what has become of the edits, where they are rolled up
     * @param collector what the collector of files has done, where it runs
     */
    static String of(
            Collection<StreamInfo> streams,
            Function<StreamInfo, StreamStatus> status,
            List<String> general,
            MaintenanceTask.@Nullable Totals collector,
            ManifestCompactions.@Nullable Totals rollUps) {
        ObjectNode json = MAPPER.createObjectNode();
        ArrayNode troubles = json.putArray("troubles");
        general.forEach(troubles::add);
        ArrayNode list = json.putArray("streams");
        streams.stream().sorted(Comparator.comparing(StreamInfo::name)).forEach(stream -> {
            StreamStatus known = status.apply(stream);
            list.add(of(stream, known));
        });
        if (collector != null) {
            ObjectNode files = json.putObject("collector");
            files.put("removed", collector.removed());
            files.put("removedBytes", collector.removedBytes());
            FileCollector.Found last = collector.last();
            if (last != null) {
                files.put("files", last.files());
                files.put("waiting", last.waiting());
                files.put("foreign", last.foreign());
                last.unreadable()
                        .forEach((stream, why) -> troubles.add(
                                "no file of stream " + stream + " is collected, since it cannot be read: " + why));
            }
        }
        if (rollUps != null) {
            json.putObject("rollUps").put("manifests", rollUps.manifests()).put("failure", rollUps.failure());
            if (!rollUps.failure().isEmpty()) {
                troubles.add("edits cannot be rolled up and stay in ZooKeeper: " + rollUps.failure());
            }
        }
        try {
            return MAPPER.writeValueAsString(json);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a JSON tree could not be written", e);
        }
    }

    private static ObjectNode of(StreamInfo stream, StreamStatus known) {
        ObjectNode json = MAPPER.createObjectNode();
        json.put("name", stream.name());
        json.put("topic", stream.topic());
        json.put("partitions", stream.partitions());
        json.put("edit", known.snapshot().edit());
        ArrayNode troubles = json.putArray("troubles");
        known.troubles().forEach(troubles::add);
        known.snapshot().announced().ifPresent(table -> {
            List<Integer> not = known.snapshot().notAdopted();
            ArrayNode waiting =
                    json.putObject("routing").put("announced", table.version()).putArray("notAdopted");
            not.forEach(waiting::add);
            troubles.add("routing table " + table.version() + " is announced, and " + not.size() + " of "
                    + known.snapshot().partitions() + " partitions have not adopted it yet: "
                    + not.subList(0, Math.min(not.size(), MOST_NAMED)) + (not.size() > MOST_NAMED ? " and more" : "")
                    + "; the first coordinator sees to it every few seconds");
        });
        long[] chunkTuples = {0, 0};
        known.snapshot().chunks(new Region(KeyInterval.ALL, TimeInterval.ALL), (ChunkDescriptor chunk) -> {
            chunkTuples[0] += chunk.tuples();
            chunkTuples[1] += chunk.bytes();
        });
        json.put("chunks", known.snapshot().chunkCount());
        json.put("chunkTuples", chunkTuples[0]);
        json.put("chunkBytes", chunkTuples[1]);
        long memoryTuples = 0;
        long rejected = 0;
        ArrayNode indexers = json.putArray("indexers");
        for (Control.Report report : known.reports().values()) {
            memoryTuples += report.tuples();
            rejected += report.rejected();
            ObjectNode indexer = indexers.addObject();
            indexer.put("indexer", report.indexer());
            indexer.put("epoch", report.epoch());
            indexer.put("flushed", report.flushed());
            indexer.put("tuples", report.tuples());
            indexer.put("rejected", report.rejected());
            indexer.put("recovering", report.recovering());
            indexer.put("memoryUsed", report.memory().usedBytes());
            indexer.put("memoryLimit", report.memory().limitBytes());
            indexer.put("unflushedTrees", report.memory().unflushedTrees());
            indexer.put("trouble", report.memory().trouble());
            indexer.put("rebuilds", report.templates().rebuilds());
            indexer.put("skewnessBefore", report.templates().before());
            indexer.put("skewnessAfter", report.templates().after());
            indexer.put("longestRebuildPauseMs", report.templates().longestNanos() / 1e6);
            indexer.put("longestRebuildCpuMs", report.templates().longestCpuNanos() / 1e6);
            ArrayNode watermarks = indexer.putArray("watermarks");
            for (long watermark : report.watermarks()) {
                watermarks.add(watermark);
            }
        }
        json.put("memoryTuples", memoryTuples);
        json.put("rejected", rejected);
        json.put("deadLetters", stream.policy().badRecords().toString());
        json.put("logLoss", stream.policy().logLoss().toString());
        long lag = 0;
        long longestCheck = 0;
        ArrayNode partitions = json.putArray("sources");
        for (Control.PartitionReport report : known.partitions().values()) {
            long indexed = indexed(report, known.reports().values());
            long behind = report.end() < 0 ? 0 : Math.max(0, report.end() - Math.max(0, indexed));
            lag += behind;
            longestCheck = Math.max(longestCheck, report.lookMillis());
            ObjectNode partition = partitions.addObject();
            partition.put("partition", report.partition());
            partition.put("position", report.position());
            partition.put("indexed", indexed);
            partition.put("logStart", report.start());
            partition.put("logEnd", report.end());
            partition.put("lag", behind);
            partition.put("deadLetters", report.deadLetters());
            partition.put("warning", report.warning());
            partition.put("trouble", report.trouble().replace("STREAM", stream.name()));
        }
        json.put("lag", lag);
        json.put("sourceCheckMillis", longestCheck);
        json.put("sourceCheckWantedMillis", known.checkMillis());
        ArrayNode lost = json.putArray("lost");
        for (LostRange range : known.snapshot().lost()) {
            lost.addObject()
                    .put("partition", range.partition())
                    .put("from", range.from())
                    .put("to", range.to())
                    .put("reason", range.reason());
        }
        return json;
    }

    /** Position below which every indexer that has reported has everything. */
    private static long indexed(Control.PartitionReport partition, Collection<Control.Report> reports) {
        long least = Long.MAX_VALUE;
        for (Control.Report report : reports) {
            if (partition.partition() < report.watermarks().length) {
                least = Math.min(least, report.watermarks()[partition.partition()]);
            }
        }
        return least == Long.MAX_VALUE ? partition.position() : least;
    }
}
