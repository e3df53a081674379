package io.waterwheel.catalog;

import static io.waterwheel.catalog.JsonMembers.intOf;
import static io.waterwheel.catalog.JsonMembers.longOf;
import static io.waterwheel.catalog.JsonMembers.longs;
import static io.waterwheel.catalog.JsonMembers.require;
import static io.waterwheel.catalog.JsonMembers.text;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.github.benmanes.caffeine.cache.Interner;
import io.waterwheel.catalog.manifest.ManifestPointer;
import io.waterwheel.catalog.state.CheckpointStep;
import io.waterwheel.catalog.state.ChunkDescriptor;
import io.waterwheel.catalog.state.Edit;
import io.waterwheel.catalog.state.IndexerCheckpoint;
import io.waterwheel.catalog.state.LogIdentity;
import io.waterwheel.catalog.state.PartitionRoute;
import io.waterwheel.catalog.state.RoutingTable;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.catalog.store.CorruptCatalogException;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.schema.BadRecords;
import io.waterwheel.schema.Balancing;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.LogLoss;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Retention;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.SchemaJson;
import io.waterwheel.schema.StreamPolicy;
import io.waterwheel.schema.StreamPolicy.IndexedRecords;
import io.waterwheel.tuple.KeyBox;
import io.waterwheel.tuple.LostRange;
import io.waterwheel.tuple.Region;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** The catalog's entries as JSON, which a person can read with any ZooKeeper shell. Layout: docs/catalog.md. */
public final class CatalogJson {
    /** The boundaries of a table whose keys are made by later scales. */
    private static final String SCALED_BOUNDARIES = "scaledBoundaries";

    private static final ObjectMapper MAPPER = new ObjectMapper();
    /**
     * One object for equal ones, as long as somebody has it: an entry may be read by each of a thousand partitions, and
     * list thousands of cuts. What is made of a schema is found by the object, and so made once.
     */
    private static final Interner<Schema> SCHEMAS = Interner.newWeakInterner();

    /**
     * Of a stream's entry, and of everything that hangs under it. 1 has no number in it and lacks what has defaults; up
     * to 2 nothing is rolled up; up to 3 a routing table enters everywhere at once, and all watermarks are in the
     * nodes.
     */
    public static final int LAYOUT = 5;
    /**
     * Of the entry of a stream that releases of {@link #LAYOUT} must leave alone: its topic was another stream's
     * before, and they read a topic for one stream only, or it has a text index, of which they know nothing. What hangs
     * under it is as in {@link #LAYOUT}.
     */
    static final int SPECIAL_LAYOUT = 6;

    /** Of the entry of a stream whose dimensions have later scales, by which older releases would make no keys. */
    static final int SCALED_LAYOUT = 7;

    /** Of the entry of a stream whose dimensions have longer cuts, or more, than older releases read. */
    static final int LATEST_LAYOUT = 8;

    private CatalogJson() {}

    public static byte[] write(StreamInfo stream) {
        ObjectNode json = MAPPER.createObjectNode();
        json.put("layout", layoutOf(stream));
        json.put("name", stream.name());
        json.put("id", stream.id());
        json.put("topic", stream.topic());
        if (stream.sharesTopic()) {
            json.put("sharesTopic", true);
        }
        json.put("format", stream.format().name());
        json.put("partitions", stream.partitions());
        json.put("indexers", stream.indexers());
        json.put("deadLetters", stream.policy().badRecords().toString());
        json.put("logLoss", stream.policy().logLoss().toString());
        json.put("balancing", stream.policy().balancing().toString());
        json.put("retention", stream.policy().retention().toString());
        json.put("indexedRecords", stream.policy().indexedRecords().toString());
        try {
            json.set("schema", MAPPER.readTree(SchemaJson.write(stream.schema())));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a schema's JSON form could not be read back", e);
        }
        ScalesJson.write(stream.schema(), json);
        return bytes(json);
    }

    private static int layoutOf(StreamInfo stream) {
        boolean hasText = stream.schema().fields().stream().anyMatch(field -> field.index() == Field.Index.TEXT);
        KeySpec.Dimensions key = stream.schema().key().dimensional();
        if (key != null && key.hasLongOrManyCuts()) {
            return LATEST_LAYOUT;
        }
        if (stream.scales() > 1) {
            return SCALED_LAYOUT;
        }
        return stream.sharesTopic() || hasText ? SPECIAL_LAYOUT : LAYOUT;
    }

    /** The topic that an entry names, whatever else is in it; empty when that cannot be told. */
    static Optional<String> topic(byte[] entry) {
        try {
            return Optional.ofNullable(MAPPER.readTree(entry).path("topic").textValue());
        } catch (IOException e) {
            // The reader of the entry says what is wrong with it.
            return Optional.empty();
        }
    }

    public static StreamInfo readStream(String path, byte[] data) {
        return read(path, data, json -> {
            if (json.path("layout").asInt(1) > LATEST_LAYOUT) {
                throw new IllegalArgumentException("layout " + json.path("layout") + ", expected at most "
                        + LATEST_LAYOUT + ": written by a newer release; run that");
            }
            return new StreamInfo(
                    text(json, "name"),
                    intOf(json, "id"),
                    SCHEMAS.intern(ScalesJson.read(
                            SchemaJson.read(require(json, "schema").toString()), json)),
                    RecordFormat.valueOf(text(json, "format")),
                    text(json, "topic"),
                    intOf(json, "partitions"),
                    intOf(json, "indexers"),
                    policyOf(json),
                    json.path("sharesTopic").asBoolean());
        });
    }

    private static StreamPolicy policyOf(JsonNode json) {
        StreamPolicy policy = StreamPolicy.DEFAULT;
        if (json.has("deadLetters")) {
            policy = policy.withBadRecords(BadRecords.parse(text(json, "deadLetters")));
        }
        if (json.has("logLoss")) {
            policy = policy.withLogLoss(LogLoss.parse(text(json, "logLoss")));
        }
        if (json.has("balancing")) {
            policy = policy.withBalancing(Balancing.parse(text(json, "balancing")));
        }
        if (json.has("retention")) {
            policy = policy.withRetention(Retention.parse(text(json, "retention")));
        }
        if (json.has("indexedRecords")) {
            policy = policy.withIndexedRecords(IndexedRecords.parse(text(json, "indexedRecords")));
        }
        return policy;
    }

    public static byte[] write(PartitionRoute route) {
        ObjectNode json = MAPPER.createObjectNode();
        json.put("limit", route.limit());
        ArrayNode versions = json.putArray("versions");
        route.versions()
                .forEach(entry ->
                        versions.addObject().put("version", entry.version()).put("since", entry.since()));
        if (!route.log().equals(LogIdentity.ANY)) {
            json.putObject("log")
                    .put("topicId", route.log().topicId())
                    .put("base", route.log().base())
                    .put("since", route.log().since());
        }
        if (!route.lost().isEmpty()) {
            ArrayNode lost = json.putArray("lost");
            route.lost().forEach(range -> lost.add(toJson(range)));
        }
        return bytes(json);
    }

    static byte[] writeTopicsLeft(List<String> topicIds) {
        ObjectNode json = MAPPER.createObjectNode();
        ArrayNode left = json.putArray("left");
        topicIds.forEach(left::add);
        return bytes(json);
    }

    static List<String> readTopicsLeft(String path, byte[] data) {
        return read(path, data, json -> {
            List<String> topicIds = new ArrayList<>();
            require(json, "left").forEach(id -> topicIds.add(id.asText()));
            return topicIds;
        });
    }

    static byte[] writeLeaderEpochs(Map<Integer, LogMemory.LeaderEpoch> epochs) {
        ObjectNode json = MAPPER.createObjectNode();
        LogMemory.byTopic(epochs).forEach((topicId, byPartition) -> {
            ObjectNode topic = json.putObject(topicId);
            byPartition.forEach((partition, epoch) -> topic.put(String.valueOf(partition), epoch.intValue()));
        });
        return bytes(json);
    }

    static Map<Integer, LogMemory.LeaderEpoch> readLeaderEpochs(String path, byte[] data) {
        return read(path, data, json -> {
            Map<Integer, LogMemory.LeaderEpoch> epochs = new HashMap<>();
            for (Map.Entry<String, JsonNode> topic : json.properties()) {
                for (Map.Entry<String, JsonNode> entry : topic.getValue().properties()) {
                    epochs.put(
                            Integer.valueOf(entry.getKey()),
                            new LogMemory.LeaderEpoch(
                                    topic.getKey(), entry.getValue().asInt(-1)));
                }
            }
            return epochs;
        });
    }

    static PartitionRoute readRoute(String path, byte[] data) {
        return read(path, data, json -> {
            List<PartitionRoute.VersionSince> versions = new ArrayList<>();
            for (JsonNode entry : require(json, "versions")) {
                versions.add(new PartitionRoute.VersionSince(intOf(entry, "version"), longOf(entry, "since")));
            }
            JsonNode log = json.get("log");
            List<LostRange> lost = new ArrayList<>();
            json.path("lost").forEach(range -> lost.add(lostOf(range)));
            return new PartitionRoute(
                    longOf(json, "limit"),
                    versions,
                    log == null
                            ? LogIdentity.ANY
                            : new LogIdentity(text(log, "topicId"), longOf(log, "base"), longOf(log, "since")),
                    lost);
        });
    }

    public static byte[] write(RoutingTable table) {
        return bytes(toJson(table));
    }

    /** A table that only one partition may adopt. */
    public static byte[] write(RoutingTable table, int partition) {
        return bytes(toJson(table).put("partition", partition));
    }

    static boolean isOfOnePartition(String path, byte[] data) {
        return read(path, data, json -> json.has("partition"));
    }

    static RoutingTable readTable(String path, byte[] data) {
        return read(path, data, CatalogJson::tableOf);
    }

    public static byte[] write(IndexerCheckpoint checkpoint) {
        return bytes(toJson(checkpoint));
    }

    static IndexerCheckpoint readCheckpoint(String path, byte[] data) {
        return read(path, data, CatalogJson::checkpointOf);
    }

    public static byte[] write(Edit edit) {
        ObjectNode json = MAPPER.createObjectNode();
        if (edit instanceof Edit.Created created) {
            json.put("edit", "created");
            json.set("table", toJson(created.table()));
            ArrayNode starts = json.putArray("starts");
            created.starts().forEach(starts::add);
        } else if (edit instanceof Edit.Started started) {
            json.put("edit", "started");
            json.put("indexer", started.indexer());
            json.put("epoch", started.epoch());
        } else if (edit instanceof Edit.Flushed flushed) {
            json.put("edit", "flushed");
            json.put("indexer", flushed.indexer());
            json.set("checkpoint", toJson(flushed.checkpoint()));
            ArrayNode chunks = json.putArray("chunks");
            flushed.chunks().forEach(chunk -> chunks.add(toJson(chunk)));
        } else if (edit instanceof Edit.Merged merged) {
            json.put("edit", "merged");
            ArrayNode inputs = json.putArray("inputs");
            merged.inputs().forEach(inputs::add);
            json.set("output", toJson(merged.output()));
        } else if (edit instanceof Edit.Routed routed) {
            json.put("edit", "routed");
            json.set("table", toJson(routed.table()));
            ObjectNode since = json.putObject("since");
            routed.since().forEach((partition, offset) -> since.put(String.valueOf(partition), offset));
            ObjectNode starts = json.putObject("starts");
            routed.starts().forEach((indexer, start) -> starts.set(String.valueOf(indexer), toJson(start)));
        } else if (edit instanceof Edit.Lost lost) {
            json.put("edit", "lost");
            json.set("range", toJson(lost.range()));
            json.set("table", toJson(lost.table()));
            json.set("versions", toJson(lost.versions()));
        } else if (edit instanceof Edit.Joined joined) {
            json.put("edit", "joined");
            ArrayNode indexers = json.putArray("indexers");
            joined.indexers().forEach(indexers::add);
            json.set("checkpoint", toJson(joined.checkpoint()));
        } else if (edit instanceof Edit.Adopted adopted) {
            json.put("edit", "adopted");
            ObjectNode versions = json.putObject("versions");
            adopted.versions().forEach((partition, of) -> versions.set(String.valueOf(partition), toJson(of)));
        } else if (edit instanceof Edit.Extended extended) {
            json.put("edit", "extended");
            json.put("version", extended.version());
            ArrayNode starts = json.putArray("starts");
            extended.starts().forEach(starts::add);
            json.put("raised", extended.raised());
        } else if (edit instanceof Edit.Expired expired) {
            json.put("edit", "expired");
            json.put("horizon", expired.horizon());
        } else {
            throw new IllegalArgumentException("cannot write an edit of " + edit.getClass());
        }
        return bytes(json);
    }

    public static Edit readEdit(String path, byte[] data) {
        return read(path, data, json -> switch (text(json, "edit")) {
            case "created" -> {
                List<Long> starts = new ArrayList<>();
                require(json, "starts").forEach(start -> starts.add(start.asLong()));
                yield new Edit.Created(tableOf(require(json, "table")), starts);
            }
            case "started" -> new Edit.Started(intOf(json, "indexer"), intOf(json, "epoch"));
            case "flushed" -> {
                List<ChunkDescriptor> chunks = new ArrayList<>();
                require(json, "chunks").forEach(chunk -> chunks.add(chunkOf(chunk)));
                yield new Edit.Flushed(intOf(json, "indexer"), stepOf(require(json, "checkpoint")), chunks);
            }
            case "merged" -> {
                List<String> inputs = new ArrayList<>();
                require(json, "inputs").forEach(input -> inputs.add(input.asText()));
                yield new Edit.Merged(inputs, chunkOf(require(json, "output")));
            }
            case "routed" -> {
                Map<Integer, Long> since = new HashMap<>();
                require(json, "since")
                        .properties()
                        .forEach(entry -> since.put(
                                Integer.valueOf(entry.getKey()),
                                entry.getValue().asLong()));
                Map<Integer, IndexerCheckpoint> starts = new HashMap<>();
                require(json, "starts")
                        .properties()
                        .forEach(entry -> starts.put(Integer.valueOf(entry.getKey()), checkpointOf(entry.getValue())));
                yield new Edit.Routed(tableOf(require(json, "table")), since, starts);
            }
            case "lost" ->
                new Edit.Lost(
                        lostOf(require(json, "range")),
                        tableOf(require(json, "table")),
                        versionsOf(json.path("versions")));
            case "joined" -> {
                List<Integer> indexers = new ArrayList<>();
                require(json, "indexers").forEach(indexer -> indexers.add(indexer.asInt()));
                yield new Edit.Joined(indexers, checkpointOf(require(json, "checkpoint")));
            }
            case "adopted" -> {
                Map<Integer, List<PartitionRoute.VersionSince>> versions = new HashMap<>();
                require(json, "versions")
                        .properties()
                        .forEach(entry -> versions.put(Integer.valueOf(entry.getKey()), versionsOf(entry.getValue())));
                yield new Edit.Adopted(versions);
            }
            case "extended" -> {
                List<Long> starts = new ArrayList<>();
                require(json, "starts").forEach(start -> starts.add(start.asLong()));
                yield new Edit.Extended(
                        intOf(json, "version"), starts, json.path("raised").asBoolean(true));
            }
            case "expired" -> new Edit.Expired(longOf(json, "horizon"));
            default -> throw new IllegalArgumentException("unknown edit '" + text(json, "edit") + "'");
        });
    }

    public static byte[] write(ManifestPointer pointer) {
        ObjectNode json = MAPPER.createObjectNode();
        json.put("edit", pointer.edit());
        ArrayNode files = json.putArray("files");
        for (ManifestPointer.ManifestFile file : pointer.files()) {
            files.addObject()
                    .put("file", file.file())
                    .put("bytes", file.bytes())
                    .put("crc32c", String.format(Locale.ROOT, "%08x", file.checksum()))
                    .put("from", file.from())
                    .put("to", file.to())
                    .put("added", file.added())
                    .put("removed", file.removed());
        }
        return bytes(json);
    }

    public static ManifestPointer readManifest(String path, byte[] data) {
        if (data.length == 0) {
            return ManifestPointer.NONE;
        }
        return read(path, data, json -> {
            List<ManifestPointer.ManifestFile> files = new ArrayList<>();
            for (JsonNode file : require(json, "files")) {
                files.add(new ManifestPointer.ManifestFile(
                        text(file, "file"),
                        longOf(file, "bytes"),
                        Integer.parseUnsignedInt(text(file, "crc32c"), 16),
                        longOf(file, "from"),
                        longOf(file, "to"),
                        intOf(file, "added"),
                        intOf(file, "removed")));
            }
            return new ManifestPointer(longOf(json, "edit"), files);
        });
    }

    /** The layout that a stream's entry was written in. */
    public static int layoutOf(String path, byte[] data) {
        return read(path, data, json -> json.path("layout").asInt(1));
    }

    private static ObjectNode toJson(LostRange range) {
        ObjectNode json = MAPPER.createObjectNode();
        json.put("partition", range.partition());
        json.put("from", range.from());
        json.put("to", range.to());
        json.put("reason", range.reason());
        return json;
    }

    private static LostRange lostOf(JsonNode json) {
        return new LostRange(intOf(json, "partition"), longOf(json, "from"), longOf(json, "to"), text(json, "reason"));
    }

    /** Version, offset, version, offset: there may be thousands of these in one edit. */
    private static ArrayNode toJson(List<PartitionRoute.VersionSince> versions) {
        ArrayNode json = MAPPER.createArrayNode();
        versions.forEach(entry -> json.add(entry.version()).add(entry.since()));
        return json;
    }

    private static List<PartitionRoute.VersionSince> versionsOf(JsonNode json) {
        if (json.size() % 2 != 0) {
            throw new IllegalArgumentException("versions and offsets are not in pairs: " + json);
        }
        List<PartitionRoute.VersionSince> versions = new ArrayList<>();
        for (int i = 0; i < json.size(); i += 2) {
            versions.add(new PartitionRoute.VersionSince(
                    json.get(i).asInt(), json.get(i + 1).asLong()));
        }
        return versions;
    }

    private static ObjectNode toJson(RoutingTable table) {
        ObjectNode json = MAPPER.createObjectNode();
        json.put("version", table.version());
        // A release that does not know of scales must not read on: it would make other keys.
        ArrayNode boundaries = json.putArray(table.scales() > 1 ? SCALED_BOUNDARIES : "boundaries");
        for (long boundary : table.boundaries()) {
            boundaries.add(boundary);
        }
        ArrayNode indexers = json.putArray("indexers");
        for (int indexer : table.indexers()) {
            indexers.add(indexer);
        }
        if (table.scales() > 1) {
            json.put("scales", table.scales());
        }
        return json;
    }

    private static RoutingTable tableOf(JsonNode json) {
        JsonNode indexers = require(json, "indexers");
        int[] ids = new int[indexers.size()];
        for (int i = 0; i < ids.length; i++) {
            ids[i] = indexers.get(i).asInt();
        }
        return new RoutingTable(
                intOf(json, "version"),
                longs(require(json, json.has("scales") ? SCALED_BOUNDARIES : "boundaries")),
                ids,
                json.has("scales") ? intOf(json, "scales") : 1);
    }

    private static ObjectNode toJson(IndexerCheckpoint checkpoint) {
        return toJson(CheckpointStep.to(checkpoint));
    }

    private static ObjectNode toJson(CheckpointStep checkpoint) {
        ObjectNode json = MAPPER.createObjectNode();
        json.put("epoch", checkpoint.epoch());
        json.put("flushed", checkpoint.flushed());
        if (!checkpoint.whole()) {
            ArrayNode moved = json.putArray("partitions");
            for (int partition : checkpoint.partitions()) {
                moved.add(partition);
            }
        }
        ArrayNode watermarks = json.putArray("watermarks");
        for (long watermark : checkpoint.watermarks()) {
            watermarks.add(watermark);
        }
        json.put("rejected", checkpoint.rejected());
        return json;
    }

    private static CheckpointStep stepOf(JsonNode json) {
        JsonNode moved = json.path("partitions");
        int[] partitions = new int[moved.size()];
        for (int i = 0; i < partitions.length; i++) {
            partitions[i] = moved.get(i).asInt(-1);
        }
        return new CheckpointStep(
                intOf(json, "epoch"),
                longOf(json, "flushed"),
                moved.isMissingNode(),
                partitions,
                longs(require(json, "watermarks")),
                longOf(json, "rejected"));
    }

    private static IndexerCheckpoint checkpointOf(JsonNode json) {
        return new IndexerCheckpoint(
                intOf(json, "epoch"),
                longOf(json, "flushed"),
                longs(require(json, "watermarks")),
                longOf(json, "rejected"));
    }

    private static ObjectNode toJson(ChunkDescriptor chunk) {
        ObjectNode json = MAPPER.createObjectNode();
        json.put("file", chunk.file());
        json.put("indexer", chunk.indexer());
        json.put("epoch", chunk.epoch());
        json.put("flush", chunk.flush());
        json.put("part", chunk.part());
        json.put("tuples", chunk.tuples());
        json.put("bytes", chunk.bytes());
        json.put("lowKey", chunk.region().keys().low());
        json.put("highKey", chunk.region().keys().high());
        json.put("fromTime", chunk.region().times().from());
        json.put("toTime", chunk.region().times().to());
        KeyBox box = chunk.box();
        if (box != null) {
            json.put("leastCells", box.least());
            json.put("greatestCells", box.greatest());
        }
        return json;
    }

    private static ChunkDescriptor chunkOf(JsonNode json) {
        return new ChunkDescriptor(
                text(json, "file"),
                intOf(json, "indexer"),
                intOf(json, "epoch"),
                longOf(json, "flush"),
                intOf(json, "part"),
                longOf(json, "tuples"),
                longOf(json, "bytes"),
                Region.of(
                        longOf(json, "lowKey"),
                        longOf(json, "highKey"),
                        longOf(json, "fromTime"),
                        longOf(json, "toTime")),
                json.has("leastCells") ? new KeyBox(longOf(json, "leastCells"), longOf(json, "greatestCells")) : null);
    }

    interface Reader<T> {
        T read(JsonNode json);
    }

    static <T> T read(String path, byte[] data, Reader<T> reader) {
        try {
            return reader.read(MAPPER.readTree(data));
        } catch (IOException | IllegalArgumentException | WaterwheelException e) {
            // A schema of a later release is refused by its own error.
            throw new CorruptCatalogException(path, e);
        }
    }

    static byte[] bytes(ObjectNode json) {
        try {
            return MAPPER.writeValueAsBytes(json);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a JSON tree could not be written", e);
        }
    }
}
