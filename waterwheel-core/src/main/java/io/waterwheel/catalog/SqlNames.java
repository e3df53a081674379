package io.waterwheel.catalog;

import io.waterwheel.catalog.store.CatalogStore;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.NearestName;
import io.waterwheel.error.WaterwheelException;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Names that statements of SQL know beside those of streams. Calls block. */
public final class SqlNames {
    private static final Logger LOG = LoggerFactory.getLogger(SqlNames.class);

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

    /**
     * The failure of a call that names a stream which is not there: of a view or a table that it is one, else a name
     * that is near.
     */
    public static WaterwheelException noSuchStream(CatalogStore store, String name) {
        String what = "";
        try {
            String kind = has(new ViewCatalog(store).read(), name)
                    ? "view"
                    : has(new TableCatalog(store).read(), name) ? "table" : null;
            what = kind == null
                    ? NearestName.question(name, store.children(Namespace.STREAMS))
                    : "; it is a " + kind + ": 'waterwheel sql' asks it";
        } catch (WaterwheelException e) {
            // That there is no such stream is known all the same.
            LOG.warn("[catalog] the views, tables and streams cannot be read to say what '{}' is", name, e);
        }
        return new WaterwheelException(
                ErrorCode.NO_SUCH_STREAM,
                "there is no stream '" + name + "'" + what + (what.endsWith("?") ? " " : "; ")
                        + "'waterwheel stream list' shows those there are");
    }

    private static boolean has(Map<String, ?> entries, String name) {
        return entries.keySet().stream().anyMatch(name::equalsIgnoreCase);
    }
}
