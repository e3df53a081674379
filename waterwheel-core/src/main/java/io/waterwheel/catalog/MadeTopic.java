package io.waterwheel.catalog;

import static io.waterwheel.catalog.JsonMembers.longOf;
import static io.waterwheel.catalog.JsonMembers.longs;
import static io.waterwheel.catalog.JsonMembers.require;
import static io.waterwheel.catalog.JsonMembers.text;

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
     * @param offsets by partition the first that was not
     */
    @SuppressWarnings("ArrayRecordComponent") // one number per partition; never compared
    public record Mark(long millis, long[] offsets) {}

    private MadeTopic() {}

    private static String path(int streamId) {
        return Namespace.dataPath(streamId) + "/topic";
    }

    /** The operation that creates the node, in the transaction that creates the stream. */
    static Op creation(int streamId, String topicId) {
        return new Op.Create(path(streamId), write(topicId, List.of()));
    }

    /** By stream what is known, in the order of the streams, in as few round trips as the store can. */
    public static List<Optional<Known>> read(CatalogStore store, List<StreamInfo> streams) {
        List<String> paths = streams.stream().map(stream -> path(stream.id())).toList();
        List<Optional<CatalogStore.Node>> nodes = store.readAll(paths);
        List<Optional<Known>> all = new ArrayList<>();
        for (int i = 0; i < paths.size(); i++) {
            String path = paths.get(i);
            all.add(nodes.get(i).map(node -> parse(path, node)));
        }
        return all;
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
            ArrayNode offsets = one.putArray("offsets");
            Arrays.stream(mark.offsets()).forEach(offsets::add);
        }
        return CatalogJson.bytes(json);
    }

    private static Known parse(String path, CatalogStore.Node node) {
        return CatalogJson.read(path, node.data(), json -> {
            List<Mark> marks = new ArrayList<>();
            require(json, "marks")
                    .forEach(mark -> marks.add(new Mark(longOf(mark, "at"), longs(require(mark, "offsets")))));
            return new Known(text(json, "topicId"), marks, node.version());
        });
    }
}
