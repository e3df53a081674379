package io.waterwheel.topology.coordinator;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.waterwheel.catalog.store.CatalogStore;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the scrub has found, as a node of the catalog: one coordinator scrubs, and {@code status} of every one tells.
 * Stateless but for the store; thread-safe.
 */
final class ScrubFindings {
    static final String NODE = "/scrub";

    /**
     * Sentences that are kept of all streams, and the length of one: the node stays far below what ZooKeeper takes.
     * Each stream has a fair share of them.
     */
    static final int MOST = 200;

    private static final int MOST_CHARACTERS = 1_000;
    private static final int MAX_TRIES = 20;
    private static final Logger LOG = LoggerFactory.getLogger(ScrubFindings.class);
    private static final ObjectMapper MAPPER = new ObjectMapper();

    /** The last sentence of a stream that has more than its share. */
    private static final Pattern REST = Pattern.compile("and \\d+ more, see the log");

    private final CatalogStore catalog;
    private final Runnable requireCatalog;

    /** @param requireCatalog throws when the catalog is not there any longer */
    ScrubFindings(CatalogStore catalog, Runnable requireCatalog) {
        this.catalog = catalog;
        this.requireCatalog = requireCatalog;
    }

    /**
     * Replaces what is there, when it is other.
     *
     * @param byStream by stream id sentences for people
     * @throws io.waterwheel.error.WaterwheelException TEMPORARY when the catalog is away, CATALOG_LOST when it was
     *     removed
     */
    void publish(Map<Integer, List<String>> byStream) {
        byte[] content = write(byStream);
        String conflict = "";
        for (int tries = 0; tries < MAX_TRIES; tries++) {
            Optional<CatalogStore.Node> present = catalog.read(NODE);
            if (present.isPresent() ? Arrays.equals(present.get().data(), content) : byStream.isEmpty()) {
                return;
            }
            try {
                catalog.commit(List.of(
                        present.isPresent()
                                ? new CatalogStore.Op.Set(
                                        NODE, content, present.get().version())
                                : new CatalogStore.Op.Create(NODE, content)));
                return;
            } catch (CatalogStore.ConflictException | CatalogStore.UnknownOutcomeException e) {
                // A predecessor that still scrubs was quicker, or it is done: what is there is looked at again.
                LOG.debug("[scrub] {} was written by another meanwhile", NODE, e);
                conflict = String.valueOf(e.getMessage());
                // In a catalog that was removed every write is a conflict.
                requireCatalog.run();
                catalog.sync();
            }
        }
        LOG.warn(
                "[scrub] what was found could not be written to {} of the catalog in {} tries; the last met: {}",
                NODE,
                MAX_TRIES,
                conflict);
    }

    /**
     * By stream id what is there, in sentences for people.
     *
     * @throws io.waterwheel.error.WaterwheelException TEMPORARY when the catalog is away
     */
    Map<Integer, List<String>> read() {
        Optional<CatalogStore.Node> present = catalog.read(NODE);
        if (present.isEmpty()) {
            return Map.of();
        }
        try {
            Map<Integer, List<String>> byStream = new TreeMap<>();
            for (Map.Entry<String, JsonNode> entry :
                    MAPPER.readTree(present.get().data()).properties()) {
                List<String> sentences = new ArrayList<>();
                entry.getValue().forEach(sentence -> sentences.add(sentence.asText()));
                byStream.put(Integer.valueOf(entry.getKey()), sentences);
            }
            return byStream;
        } catch (IOException | NumberFormatException e) {
            LOG.warn("[scrub] {} cannot be read; the next round writes it anew", NODE, e);
            return Map.of();
        }
    }

    /** Whether a sentence only counts those that had no room. */
    static boolean isRest(String sentence) {
        return REST.matcher(sentence).matches();
    }

    /** The most sentences a stream, such that all together are at most {@link #MOST}; at least one. */
    private static int share(Collection<List<String>> all) {
        int share = 1;
        while (share < MOST) {
            int next = share + 1;
            if (all.stream().mapToInt(of -> Math.min(of.size(), next)).sum() > MOST) {
                break;
            }
            share = next;
        }
        return share;
    }

    private static byte[] write(Map<Integer, List<String>> byStream) {
        ObjectNode json = MAPPER.createObjectNode();
        int share = share(byStream.values());
        // Where more streams than that have damage, the store as a whole is in trouble, and the log has the others.
        int left = MOST;
        for (Map.Entry<Integer, List<String>> entry : byStream.entrySet()) {
            List<String> all = entry.getValue();
            int kept = Math.min(Math.min(all.size(), share), left);
            if (kept == 0) {
                continue;
            }
            left -= kept;
            ArrayNode sentences = json.putArray(Integer.toString(entry.getKey()));
            for (String sentence : all.subList(0, kept)) {
                sentences.add(
                        sentence.length() > MOST_CHARACTERS
                                ? sentence.substring(0, MOST_CHARACTERS) + "..."
                                : sentence);
            }
            if (kept < all.size()) {
                sentences.add("and " + (all.size() - kept) + " more, see the log");
            }
        }
        try {
            return MAPPER.writeValueAsString(json).getBytes(UTF_8);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a JSON tree could not be written", e);
        }
    }
}
