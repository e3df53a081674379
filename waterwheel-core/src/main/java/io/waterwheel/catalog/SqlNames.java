package io.waterwheel.catalog;

import io.waterwheel.catalog.store.CatalogStore;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import java.util.Map;

/** Names that statements of SQL know beside those of streams. Calls block. */
public final class SqlNames {
    private SqlNames() {}

    /**
     * Refuses the name of a stream that is to be created where a view or a table has it, in whatever letters:
     * statements would mean the one or the other.
     *
     * @throws WaterwheelException VIEW_EXISTS, TABLE_EXISTS
     */
    public static void requireFree(CatalogStore store, String stream) {
        if (has(new ViewCatalog(store).read(), stream)) {
            throw new WaterwheelException(
                    ErrorCode.VIEW_EXISTS,
                    "there is a view '" + stream + "'; drop it first, or choose another name for the stream");
        } else if (has(new TableCatalog(store).read(), stream)) {
            throw new WaterwheelException(
                    ErrorCode.TABLE_EXISTS,
                    "there is a table '" + stream + "'; drop it first, or choose another name for the stream");
        }
    }

    private static boolean has(Map<String, ?> entries, String name) {
        return entries.keySet().stream().anyMatch(name::equalsIgnoreCase);
    }
}
