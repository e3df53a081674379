package io.waterwheel.topology.bolt;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.waterwheel.catalog.ChunkDescriptor;
import io.waterwheel.catalog.FileCollector;
import io.waterwheel.catalog.StreamInfo;
import io.waterwheel.catalog.StreamSnapshot;
import io.waterwheel.model.Control;
import io.waterwheel.model.KeyInterval;
import io.waterwheel.model.Region;
import io.waterwheel.model.TimeInterval;
import java.util.Collection;
import java.util.Comparator;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What a coordinator knows of the streams, as JSON for people and programs. */
final class StatusJson {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private StatusJson() {}

    /**
     * What is known of one stream.
     *
     * @param reports by indexer, the latest
     */
    record StreamStatus(StreamSnapshot snapshot, Map<Integer, Control.Report> reports) {}

    /** @param collector what the collector of files has done, where it runs */
    static String of(
            Collection<StreamInfo> streams,
            Function<StreamInfo, StreamStatus> status,
            Collector.@Nullable Totals collector) {
        ObjectNode json = MAPPER.createObjectNode();
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
            ArrayNode watermarks = indexer.putArray("watermarks");
            for (long watermark : report.watermarks()) {
                watermarks.add(watermark);
            }
        }
        json.put("memoryTuples", memoryTuples);
        json.put("rejected", rejected);
        return json;
    }
}
