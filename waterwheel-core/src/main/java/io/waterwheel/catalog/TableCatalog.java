package io.waterwheel.catalog;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.waterwheel.catalog.state.FileTable;
import io.waterwheel.catalog.store.CatalogStore;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.schema.FieldType;
import java.util.ArrayList;
import java.util.List;

/** The tables of files of a namespace: one node of the catalog, {@code /tables}. Calls block. */
public final class TableCatalog extends EntryCatalog<FileTable> {
    public static final int MOST_TABLES = 256;

    public TableCatalog(CatalogStore store) {
        super(store, "/tables", "table", MOST_TABLES);
    }

    /**
     * Adds a table.
     *
     * @param replace whether one of this name gives way
     * @throws WaterwheelException TABLE_EXISTS when there is one; BAD_REQUEST when there are too many
     */
    public void create(FileTable table, boolean replace) {
        add(table, replace);
    }

    @Override
    String nameOf(FileTable table) {
        return table.name();
    }

    @Override
    WaterwheelException exists(String name) {
        return new WaterwheelException(
                ErrorCode.TABLE_EXISTS, "table " + name + " exists already; CREATE OR REPLACE TABLE replaces it");
    }

    @Override
    void write(FileTable table, ObjectNode into) {
        into.put("file", table.file());
        ArrayNode columns = into.putArray("columns");
        table.columns().forEach(column -> columns.addObject()
                .put("name", column.name())
                .put("source", column.source())
                .put("type", column.type().name()));
    }

    @Override
    FileTable parse(String name, JsonNode json) {
        List<FileTable.Column> columns = new ArrayList<>();
        json.path("columns")
                .forEach(column -> columns.add(new FileTable.Column(
                        column.path("name").asText(),
                        column.path("source").asText(),
                        FieldType.valueOf(column.path("type").asText()))));
        return new FileTable(name, json.path("file").asText(), columns);
    }
}
