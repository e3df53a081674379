package io.waterwheel.catalog;

import static io.waterwheel.catalog.JsonMembers.longOf;
import static io.waterwheel.catalog.JsonMembers.longs;
import static io.waterwheel.catalog.JsonMembers.require;
import static io.waterwheel.catalog.JsonMembers.text;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.catalog.store.CatalogStore;
import io.waterwheel.catalog.store.CatalogStore.ConflictException;
import io.waterwheel.catalog.store.CatalogStore.Op;
import io.waterwheel.catalog.store.CatalogStore.UnknownOutcomeException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * That a stream's topic was made for it, and how far the topic's records were in chunks at some moments. The node is
 * created with the stream and removed with it; a stream of a topic that was there before has none, and so have those of
 * older releases. Thread-safe as far as its store is; calls block.
 *
 * <pre>
 * /data/ID/topic     id of the topic; marks, oldest first
 * </pre>
 */
public final class MadeTopic {
    /**
     * What the node holds.
     *
     * @param topicId Kafka's id of the topic that was made: a later one of its name is another
     * @param marks oldest first
     * @param version of the node
     */
    public record Known(String topicId, List<Mark> marks, int version) {
        public Known {
            marks = List.copyOf(marks);
        }
    }

    /**
     * How far the topic's records were in chunks at some moment.
     *
     * @param millis since 1970
     * @param streams ids of those that read the topic then, ascending
     * @param offsets of the log, by partition the first that was not in the chunks of all of them
     * @param epochs by partition of its leader
     * @param bases by partition the sum of what {@link #baseOf} makes of the bases of these streams' logs, which
     *     changes when one follows another log
     */
    @SuppressWarnings("ArrayRecordComponent") // one number per partition; never compared
    public record Mark(long millis, int[] streams, long[] offsets, int[] epochs, long[] bases) {
        /**
         * A stream's part of {@link #bases}: nothing as long as its log is the first. A sum of plain bases would be the
         * same again where one stream is dropped and another follows by as much.
         */
        public static long baseOf(int stream, long base) {
            if (base == 0) {
                return 0;
            }
            // The finish of MurmurHash3, by whose bits each of those that come in changes about half.
            long mixed = (base + stream * 0x9E3779B97F4A7C15L) * 0xFF51AFD7ED558CCDL;
            mixed = (mixed ^ (mixed >>> 33)) * 0xC4CEB9FE1A85EC53L;
            return mixed ^ (mixed >>> 33);
        }

        /** Whether it says the same, if of another time. */
        public boolean says(Mark other) {
            return Arrays.equals(streams, other.streams)
                    && Arrays.equals(offsets, other.offsets)
                    && Arrays.equals(epochs, other.epochs)
                    && Arrays.equals(bases, other.bases);
        }

        /** Whether a later one is of the same log of a partition, as far as its streams know. */
        public boolean isOfSameLog(Mark later, int partition) {
            return partition < offsets.length
                    && epochs[partition] == later.epochs[partition]
                    && bases[partition] == later.bases[partition];
        }
    }

    private MadeTopic() {}

    private static String path(int streamId) {
        return Namespace.dataPath(streamId) + "/topic";
    }

    /** The operation that creates the node, in the transaction that creates the stream. */
    static Op creation(int streamId, String topicId) {
        return new Op.Create(path(streamId), write(topicId, List.of()));
    }

    /**
     * What is known of a stream's topic; nothing where the topic was there before.
     *
     * @throws io.waterwheel.catalog.store.CorruptCatalogException when it cannot be read
     */
    public static Optional<Known> read(CatalogStore store, StreamInfo stream) {
        String path = path(stream.id());
        return store.read(path).map(node -> parse(path, node));
    }

    /** Those of some streams whose topics were made for them, in as few round trips as the store can. */
    public static List<StreamInfo> owners(CatalogStore store, List<StreamInfo> streams) {
        List<Optional<CatalogStore.Node>> nodes =
                store.readAll(streams.stream().map(stream -> path(stream.id())).toList());
        return IntStream.range(0, streams.size())
                .filter(i -> nodes.get(i).isPresent())
                .mapToObj(streams::get)
                .toList();
    }

    /**
     * Remembers marks.
     *
     * @param known what was read; nothing is changed where the node is another by now, or gone with its stream
     * @return whether they are remembered
     */
    public static boolean remember(CatalogStore store, StreamInfo stream, Known known, List<Mark> marks) {
        try {
            store.commit(List.of(new Op.Set(path(stream.id()), write(known.topicId(), marks), known.version())));
            return true;
        } catch (ConflictException | UnknownOutcomeException e) {
            // The next look reads what there is then.
            return false;
        }
    }

    private static byte[] write(String topicId, List<Mark> marks) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("topicId", topicId);
        ArrayNode all = json.putArray("marks");
        for (Mark mark : marks) {
            ObjectNode one = all.addObject();
            one.put("at", mark.millis());
            ArrayNode streams = one.putArray("streams");
            Arrays.stream(mark.streams()).forEach(streams::add);
            ArrayNode offsets = one.putArray("offsets");
            Arrays.stream(mark.offsets()).forEach(offsets::add);
            ArrayNode epochs = one.putArray("epochs");
            Arrays.stream(mark.epochs()).forEach(epochs::add);
            ArrayNode bases = one.putArray("bases");
            Arrays.stream(mark.bases()).forEach(bases::add);
        }
        return CatalogJson.bytes(json);
    }

    private static int[] ints(JsonNode mark, String member) {
        return Arrays.stream(longs(require(mark, member)))
                .mapToInt(Math::toIntExact)
                .toArray();
    }

    private static Known parse(String path, CatalogStore.Node node) {
        return CatalogJson.read(path, node.data(), json -> {
            List<Mark> marks = new ArrayList<>();
            require(json, "marks")
                    .forEach(mark -> marks.add(new Mark(
                            longOf(mark, "at"),
                            ints(mark, "streams"),
                            longs(require(mark, "offsets")),
                            ints(mark, "epochs"),
                            longs(require(mark, "bases")))));
            return new Known(text(json, "topicId"), marks, node.version());
        });
    }
}
