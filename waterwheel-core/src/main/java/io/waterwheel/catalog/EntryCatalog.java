package io.waterwheel.catalog;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.waterwheel.catalog.store.CatalogStore;
import io.waterwheel.catalog.store.CatalogStore.Op;
import io.waterwheel.catalog.store.CorruptCatalogException;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Entries with names, all in one node of the catalog, so they are read by one call. Calls block.
 *
 * @param <T> an entry; {@code equals} tells whether two say the same
 */
public abstract class EntryCatalog<T> {
    /** Of all entries together; ZooKeeper takes nodes of up to 1 MiB. */
    private static final int MOST_BYTES = 512 << 10;

    private static final ObjectMapper MAPPER = new ObjectMapper();

    private final CatalogStore store;
    private final String path;
    private final String word;
    private final int most;

    /**
     * A catalog.
     *
     * @param path of the node; watch it to learn of changes
     * @param word what one is called in messages
     * @param most entries
     */
    EntryCatalog(CatalogStore store, String path, String word, int most) {
        this.store = store;
        this.path = path;
        this.word = word;
        this.most = most;
    }

    /** Path of the node; watch it to learn of changes. */
    public final String path() {
        return path;
    }

    abstract String nameOf(T entry);

    abstract void write(T entry, ObjectNode into);

    abstract T parse(String name, JsonNode json);

    abstract WaterwheelException exists(String name);

    /**
     * All entries by name.
     *
     * @throws CorruptCatalogException when they cannot be read
     */
    public final Map<String, T> read() {
        return store.read(path).map(node -> parse(node.data())).orElse(Map.of());
    }

    /** Adds an entry; one of this name gives way when {@code replace} says so, else there must be none. */
    final void add(T entry, boolean replace) {
        String name = nameOf(entry);
        change(name, (entries, again) -> {
            boolean done = again && entry.equals(entries.get(name));
            if (entries.containsKey(name) && !replace && !done) {
                throw exists(name);
            }
            Map<String, T> changed = new TreeMap<>(entries);
            changed.put(name, entry);
            return changed;
        });
    }

    /** Removes an entry; whether there was one. */
    public final boolean drop(String name) {
        boolean[] found = {false};
        change(name, (entries, again) -> {
            // A try before this one may have done it.
            found[0] |= entries.containsKey(name);
            Map<String, T> changed = new TreeMap<>(entries);
            changed.remove(name);
            return changed;
        });
        return found[0];
    }

    private interface Edit<T> {
        /** @param again whether a try before this one may have done it */
        Map<String, T> of(Map<String, T> entries, boolean again);
    }

    private void change(String name, Edit<T> by) {
        store.ensure(path);
        store.sync();
        boolean unused = new CatalogTransaction(store, word + " " + name + " could not be changed").run(before -> {
            CatalogStore.Node node = store.read(path).orElseThrow();
            Map<String, T> entries = parse(node.data());
            Map<String, T> changed = by.of(entries, before != null);
            if (!changed.equals(entries)) {
                store.commit(List.of(new Op.Set(path, written(name, changed), node.version())));
            }
            return true;
        });
    }

    private byte[] written(String name, Map<String, T> entries) {
        ObjectNode json = MAPPER.createObjectNode();
        entries.forEach((key, entry) -> write(entry, json.putObject(key)));
        byte[] data;
        try {
            data = MAPPER.writeValueAsBytes(json);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        if (entries.size() > most || data.length > MOST_BYTES) {
            throw new WaterwheelException(
                    ErrorCode.BAD_REQUEST,
                    word + " " + name + ": with it there would be " + entries.size() + " " + word + "s of "
                            + data.length + " bytes, expected at most " + most + " of " + MOST_BYTES
                            + "; drop one first");
        }
        return data;
    }

    private Map<String, T> parse(byte[] data) {
        if (data.length == 0) {
            return Map.of();
        }
        try {
            Map<String, T> entries = new TreeMap<>();
            JsonNode json = MAPPER.readTree(data);
            json.properties().forEach(entry -> entries.put(entry.getKey(), parse(entry.getKey(), entry.getValue())));
            return entries;
        } catch (IOException | IllegalArgumentException e) {
            throw new CorruptCatalogException(path, e);
        }
    }
}
