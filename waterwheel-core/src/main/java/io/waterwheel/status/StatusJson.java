package io.waterwheel.status;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Reports as JSON, for programs. Sums are written beside what they are of. Reading takes a missing number for 0, a
 * missing text for an empty one, and steps over members that it does not know: servers and clients may differ.
 */
public final class StatusJson {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private StatusJson() {}

    /** The report as one line. */
    public static String write(ServerReport report) {
        ObjectNode json = MAPPER.createObjectNode();
        texts(json, "troubles", report.troubles());
        ArrayNode streams = json.putArray("streams");
        report.streams().forEach(stream -> write(stream, streams.addObject()));
        ServerReport.Collector collector = report.collector();
        if (collector != null) {
            ObjectNode files = json.putObject("collector");
            files.put("removed", collector.removed());
            files.put("removedBytes", collector.removedBytes());
            ServerReport.Found last = collector.last();
            if (last != null) {
                files.put("files", last.files());
                files.put("waiting", last.waiting());
                files.put("foreign", last.foreign());
            }
        }
        ServerReport.RollUps rollUps = report.rollUps();
        if (rollUps != null) {
            json.putObject("rollUps").put("manifests", rollUps.manifests()).put("failure", rollUps.failure());
        }
        ArrayNode gateways = json.putArray("gateways");
        report.gateways().forEach(gateway -> write(gateway, gateways.addObject()));
        try {
            return MAPPER.writeValueAsString(json);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a JSON tree could not be written", e);
        }
    }

    private static void write(ServerReport.Gateway gateway, ObjectNode json) {
        json.put("place", gateway.place());
        if (!gateway.version().isEmpty()) {
            json.put("version", gateway.version());
        }
        if (gateway.startedMillis() != 0) {
            json.put("startedMillis", gateway.startedMillis());
        }
    }

    private static void write(StreamReport stream, ObjectNode json) {
        json.put("name", stream.name());
        json.put("topic", stream.definition().topic());
        json.put("partitions", stream.definition().partitions());
        json.put("edit", stream.edit());
        texts(json, "troubles", stream.troubles());
        StreamReport.Routing routing = stream.routing();
        if (routing != null) {
            ArrayNode waiting = json.putObject("routing")
                    .put("announced", routing.announced())
                    .putArray("notAdopted");
            routing.notAdopted().forEach(waiting::add);
        }
        json.put("chunks", stream.chunks().count());
        json.put("chunkTuples", stream.chunks().tuples());
        json.put("chunkBytes", stream.chunks().bytes());
        ArrayNode indexers = json.putArray("indexers");
        stream.indexers().forEach(indexer -> write(indexer, indexers.addObject()));
        json.put("memoryTuples", stream.memoryTuples());
        json.put("rejected", stream.rejected());
        json.put("deadLetters", stream.definition().deadLetters());
        json.put("logLoss", stream.definition().logLoss());
        ArrayNode partitions = json.putArray("sources");
        stream.source().partitions().forEach(partition -> write(partition, partitions.addObject()));
        json.put("lag", stream.lag());
        json.put("sourceCheckMillis", stream.source().checkMillis());
        json.put("sourceCheckWantedMillis", stream.source().wantedMillis());
        ArrayNode lost = json.putArray("lost");
        for (StreamReport.Lost range : stream.source().lost()) {
            lost.addObject()
                    .put("partition", range.partition())
                    .put("from", range.from())
                    .put("to", range.to())
                    .put("reason", range.reason());
        }
        if (!stream.dimensions().isEmpty()) {
            ArrayNode dimensions = json.putArray("dimensions");
            for (StreamReport.Dimension dimension : stream.dimensions()) {
                dimensions
                        .addObject()
                        .put("field", dimension.field())
                        .put("cells", dimension.cells())
                        .put("used", dimension.used())
                        .put("crowded", dimension.crowded());
            }
        }
    }

    private static void write(StreamReport.Indexer indexer, ObjectNode json) {
        json.put("indexer", indexer.indexer());
        json.put("epoch", indexer.epoch());
        json.put("flushed", indexer.flushed());
        json.put("tuples", indexer.tuples());
        json.put("rejected", indexer.rejected());
        json.put("recovering", indexer.recovering());
        json.put("memoryUsed", indexer.memory().usedBytes());
        json.put("memoryLimit", indexer.memory().limitBytes());
        json.put("unflushedTrees", indexer.memory().unflushedTrees());
        json.put("trouble", indexer.memory().trouble());
        json.put("rebuilds", indexer.rebuilds().count());
        json.put("skewnessBefore", indexer.rebuilds().skewnessBefore());
        json.put("skewnessAfter", indexer.rebuilds().skewnessAfter());
        json.put("longestRebuildPauseMs", indexer.rebuilds().longestPauseMs());
        json.put("longestRebuildCpuMs", indexer.rebuilds().longestCpuMs());
        ArrayNode watermarks = json.putArray("watermarks");
        indexer.watermarks().forEach(watermarks::add);
    }

    private static void write(StreamReport.Partition partition, ObjectNode json) {
        json.put("partition", partition.partition());
        json.put("position", partition.positions().routed());
        json.put("indexed", partition.positions().indexed());
        json.put("logStart", partition.positions().logStart());
        json.put("logEnd", partition.positions().logEnd());
        json.put("lag", partition.lag());
        json.put("deadLetters", partition.deadLetters());
        json.put("warning", partition.warning());
        json.put("trouble", partition.trouble());
    }

    private static void texts(ObjectNode json, String name, List<String> texts) {
        ArrayNode array = json.putArray(name);
        texts.forEach(array::add);
    }

    /**
     * Reads what {@link #write} wrote, here or in another version.
     *
     * @throws IllegalArgumentException when it is no JSON
     */
    public static ServerReport read(String text) {
        JsonNode json;
        try {
            json = MAPPER.readTree(text);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("status: expected JSON, got '" + text + "'", e);
        }
        return new ServerReport(
                list(json.path("troubles"), JsonNode::asText),
                list(json.path("streams"), StatusJson::stream),
                json.has("collector") ? collector(json.path("collector")) : null,
                json.has("rollUps") ? rollUps(json.path("rollUps")) : null,
                list(json.path("gateways"), StatusJson::gateway));
    }

    private static ServerReport.Collector collector(JsonNode json) {
        ServerReport.@Nullable Found last = json.has("files")
                ? new ServerReport.Found(
                        json.path("files").asLong(),
                        json.path("waiting").asLong(),
                        json.path("foreign").asLong())
                : null;
        return new ServerReport.Collector(
                json.path("removed").asLong(), json.path("removedBytes").asLong(), last);
    }

    private static ServerReport.RollUps rollUps(JsonNode json) {
        return new ServerReport.RollUps(
                json.path("manifests").asLong(), json.path("failure").asText());
    }

    private static ServerReport.Gateway gateway(JsonNode json) {
        return new ServerReport.Gateway(
                json.path("place").asText(),
                json.path("version").asText(),
                json.path("startedMillis").asLong());
    }

    private static StreamReport stream(JsonNode json) {
        JsonNode routing = json.path("routing");
        return new StreamReport(
                new StreamReport.Definition(
                        json.path("name").asText(),
                        json.path("topic").asText(),
                        json.path("partitions").asInt(),
                        json.path("deadLetters").asText(),
                        json.path("logLoss").asText()),
                json.path("edit").asLong(),
                list(json.path("troubles"), JsonNode::asText),
                routing.isMissingNode()
                        ? null
                        : new StreamReport.Routing(
                                routing.path("announced").asInt(), list(routing.path("notAdopted"), JsonNode::asInt)),
                new StreamReport.Chunks(
                        json.path("chunks").asLong(),
                        json.path("chunkTuples").asLong(),
                        json.path("chunkBytes").asLong()),
                list(json.path("indexers"), StatusJson::indexer),
                new StreamReport.Source(
                        json.path("sourceCheckMillis").asLong(),
                        json.path("sourceCheckWantedMillis").asLong(),
                        list(json.path("sources"), StatusJson::partition),
                        list(json.path("lost"), StatusJson::lost)),
                list(json.path("dimensions"), StatusJson::dimension));
    }

    private static StreamReport.Indexer indexer(JsonNode json) {
        return new StreamReport.Indexer(
                json.path("indexer").asInt(),
                json.path("epoch").asInt(),
                json.path("flushed").asLong(),
                json.path("tuples").asLong(),
                json.path("rejected").asLong(),
                json.path("recovering").asBoolean(),
                new StreamReport.Memory(
                        json.path("memoryUsed").asLong(),
                        json.path("memoryLimit").asLong(),
                        json.path("unflushedTrees").asInt(),
                        json.path("trouble").asText()),
                new StreamReport.Rebuilds(
                        json.path("rebuilds").asLong(),
                        json.path("skewnessBefore").asDouble(),
                        json.path("skewnessAfter").asDouble(),
                        json.path("longestRebuildPauseMs").asDouble(),
                        json.path("longestRebuildCpuMs").asDouble()),
                list(json.path("watermarks"), JsonNode::asLong));
    }

    private static StreamReport.Partition partition(JsonNode json) {
        return new StreamReport.Partition(
                json.path("partition").asInt(),
                new StreamReport.Positions(
                        json.path("position").asLong(),
                        json.path("indexed").asLong(),
                        json.path("logStart").asLong(),
                        json.path("logEnd").asLong()),
                json.path("deadLetters").asLong(),
                json.path("warning").asText(),
                json.path("trouble").asText());
    }

    private static StreamReport.Dimension dimension(JsonNode json) {
        return new StreamReport.Dimension(
                json.path("field").asText(),
                json.path("cells").asInt(),
                json.path("used").asDouble(),
                json.path("crowded").asBoolean());
    }

    private static StreamReport.Lost lost(JsonNode json) {
        return new StreamReport.Lost(
                json.path("partition").asInt(),
                json.path("from").asLong(),
                json.path("to").asLong(),
                json.path("reason").asText());
    }

    private static <T> List<T> list(JsonNode json, Function<JsonNode, T> item) {
        List<T> items = new ArrayList<>(json.size());
        json.forEach(node -> items.add(item.apply(node)));
        return items;
    }
}
