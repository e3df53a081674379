package io.waterwheel.catalog;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.waterwheel.catalog.state.View;
import io.waterwheel.catalog.store.CatalogStore;
import io.waterwheel.catalog.store.CatalogStore.Op;
import io.waterwheel.catalog.store.CorruptCatalogException;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The views of a namespace: one node of the catalog, {@code /views}, so they are read by one call. Calls block. */
public final class ViewCatalog {
    /** Path of the node; watch it to learn of changes. */
    public static final String PATH = "/views";

    public static final int MOST_VIEWS = 256;
    /** Of one query. */
    public static final int MOST_CHARACTERS = 16_384;
    /** Of all views together; ZooKeeper takes nodes of up to 1 MiB. */
    public static final int MOST_BYTES = 512 << 10;

    private static final ObjectMapper MAPPER = new ObjectMapper();

    private final CatalogStore store;

    public ViewCatalog(CatalogStore store) {
        this.store = store;
    }

    /**
     * All views by name.
     *
     * @throws CorruptCatalogException when they cannot be read
     */
    public Map<String, View> read() {
        return store.read(PATH).map(node -> parse(node.data())).orElse(Map.of());
    }

    /**
     * Adds a view.
     *
     * @param replace whether one of this name gives way
     * @throws WaterwheelException VIEW_EXISTS when there is one; BAD_REQUEST when there are too many, or it is too long
     */
    public void create(View view, boolean replace) {
        if (view.query().length() > MOST_CHARACTERS) {
            throw new WaterwheelException(
                    ErrorCode.BAD_REQUEST,
                    "view " + view.name() + ": its query has " + view.query().length()
                            + " characters, expected at most " + MOST_CHARACTERS);
        }
        change(view.name(), (views, again) -> {
            boolean done = again && view.equals(views.get(view.name()));
            if (views.containsKey(view.name()) && !replace && !done) {
                throw new WaterwheelException(
                        ErrorCode.VIEW_EXISTS,
                        "view " + view.name() + " exists already; CREATE OR REPLACE VIEW replaces it");
            }
            Map<String, View> changed = new TreeMap<>(views);
            changed.put(view.name(), view);
            return changed;
        });
    }

    /** Removes a view; whether there was one. */
    public boolean drop(String name) {
        boolean[] found = {false};
        change(name, (views, again) -> {
            // A try before this one may have done it.
            found[0] |= views.containsKey(name);
            Map<String, View> changed = new TreeMap<>(views);
            changed.remove(name);
            return changed;
        });
        return found[0];
    }

    private interface Edit {
        /** @param again whether a try before this one may have done it */
        Map<String, View> of(Map<String, View> views, boolean again);
    }

    private void change(String name, Edit by) {
        store.ensure(PATH);
        store.sync();
        boolean unused = new CatalogTransaction(store, "view " + name + " could not be changed").run(before -> {
            CatalogStore.Node node = store.read(PATH).orElseThrow();
            Map<String, View> views = parse(node.data());
            Map<String, View> changed = by.of(views, before != null);
            if (!changed.equals(views)) {
                store.commit(List.of(new Op.Set(PATH, written(name, changed), node.version())));
            }
            return true;
        });
    }

    private static byte[] written(String name, Map<String, View> views) {
        ObjectNode json = MAPPER.createObjectNode();
        views.forEach((key, view) -> {
            ObjectNode one = json.putObject(key);
            ArrayNode columns = one.putArray("columns");
            view.columns().forEach(columns::add);
            one.put("query", view.query());
        });
        byte[] data;
        try {
            data = MAPPER.writeValueAsBytes(json);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        if (views.size() > MOST_VIEWS || data.length > MOST_BYTES) {
            throw new WaterwheelException(
                    ErrorCode.BAD_REQUEST,
                    "view " + name + ": with it there would be " + views.size() + " views of " + data.length
                            + " bytes, expected at most " + MOST_VIEWS + " of " + MOST_BYTES + "; drop one first");
        }
        return data;
    }

    private static Map<String, View> parse(byte[] data) {
        if (data.length == 0) {
            return Map.of();
        }
        try {
            Map<String, View> views = new TreeMap<>();
            JsonNode json = MAPPER.readTree(data);
            json.properties().forEach(entry -> {
                List<String> columns = new ArrayList<>();
                entry.getValue().path("columns").forEach(column -> columns.add(column.asText()));
                String query = entry.getValue().path("query").asText();
                views.put(entry.getKey(), new View(entry.getKey(), columns, query));
            });
            return views;
        } catch (IOException e) {
            throw new CorruptCatalogException(PATH, e);
        }
    }
}
