package io.waterwheel.catalog;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.waterwheel.catalog.state.View;
import io.waterwheel.catalog.store.CatalogStore;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import java.util.ArrayList;
import java.util.List;

/** The views of a namespace: one node of the catalog, {@code /views}. Calls block. */
public final class ViewCatalog extends EntryCatalog<View> {
    public static final int MOST_VIEWS = 256;
    /** Of one query. */
    public static final int MOST_CHARACTERS = 16_384;

    public ViewCatalog(CatalogStore store) {
        super(store, "/views", "view", MOST_VIEWS);
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
        add(view, replace);
    }

    @Override
    String nameOf(View view) {
        return view.name();
    }

    @Override
    WaterwheelException exists(String name) {
        return new WaterwheelException(
                ErrorCode.VIEW_EXISTS, "view " + name + " exists already; CREATE OR REPLACE VIEW replaces it");
    }

    @Override
    void write(View view, ObjectNode into) {
        ArrayNode columns = into.putArray("columns");
        view.columns().forEach(columns::add);
        into.put("query", view.query());
    }

    @Override
    View parse(String name, JsonNode json) {
        List<String> columns = new ArrayList<>();
        json.path("columns").forEach(column -> columns.add(column.asText()));
        return new View(name, columns, json.path("query").asText());
    }
}
