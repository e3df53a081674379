package io.waterwheel.topology.sql;

import io.waterwheel.catalog.Namespace;
import io.waterwheel.catalog.TableCatalog;
import io.waterwheel.catalog.ViewCatalog;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.catalog.state.View;
import io.waterwheel.catalog.store.CatalogStore;
import io.waterwheel.schema.Schema;
import io.waterwheel.sql.SqlView;
import io.waterwheel.sql.StreamSchemas;
import io.waterwheel.sql.SystemTable;
import io.waterwheel.topology.config.Keys;
import io.waterwheel.topology.worker.TaskServices;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The streams as this worker last saw them; one that it has not seen yet is looked for in the catalog. And the views.
 */
final class KnownStreams implements StreamSchemas, AutoCloseable {
    private final Supplier<? extends Collection<StreamInfo>> seen;
    private final CatalogStore store;
    private final Namespace namespace;
    private final ViewCatalog viewCatalog;
    private final KnownEntries<View> views;
    private final FileTables tables;

    KnownStreams(TaskServices services) {
        this(
                () -> services.streams().streams().values(),
                services.catalogStore(),
                services.namespace(),
                services.config().get(Keys.SQL_TABLES),
                services.config().get(Keys.SQL_TABLE_SIZE).bytes());
    }

    /**
     * Of a catalog.
     *
     * @param seen the streams as this worker last saw them
     * @param folder of the tables' files; or none
     * @param mostBytes of such a file
     */
    KnownStreams(
            Supplier<? extends Collection<StreamInfo>> seen,
            CatalogStore store,
            Namespace namespace,
            String folder,
            long mostBytes) {
        this.seen = seen;
        this.store = store;
        this.namespace = namespace;
        this.viewCatalog = new ViewCatalog(store);
        this.views = new KnownEntries<>(store, viewCatalog);
        TableCatalog files = new TableCatalog(store);
        this.tables = new FileTables(files, new KnownEntries<>(store, files), folder, mostBytes);
    }

    KnownEntries<View> views() {
        return views;
    }

    /**
     * What else has a name that is not there as what it was taken for, behind a message; empty where nothing has it.
     */
    String otherwise(String written) {
        String name = nameOf(written);
        if (find(name) != null) {
            return "; it is a stream: DROP STREAM drops it";
        } else if (views.find(written) != null) {
            return "; it is a view: SELECT asks it, DROP VIEW drops it";
        }
        return tables.has(written) ? "; it is a table of a file: SELECT asks it, DROP TABLE drops it" : "";
    }

    /** Where views are changed; by {@link KnownEntries#change}. */
    ViewCatalog viewCatalog() {
        return viewCatalog;
    }

    FileTables tables() {
        return tables;
    }

    @Override
    public @Nullable SqlView view(String name) {
        View view = views.find(name);
        return view == null ? null : new SqlView(view.name(), view.columns(), view.query());
    }

    @Override
    public void close() {
        views.close();
        tables.close();
    }

    @Override
    public List<String> names() {
        return seen.get().stream().map(StreamInfo::name).sorted().toList();
    }

    @Override
    public List<SystemTable> systemTables() {
        return SystemTables.ALL;
    }

    @Override
    public @Nullable SystemTable file(String name) {
        return tables.table(name);
    }

    /** All streams, by name. */
    List<StreamInfo> all() {
        return seen.get().stream()
                .sorted(Comparator.comparing(StreamInfo::name))
                .toList();
    }

    @Override
    public @Nullable Schema schema(String name) {
        StreamInfo stream = find(name);
        return stream == null ? null : stream.schema();
    }

    /** The stream of this name; null when there is none. */
    @Nullable
    StreamInfo find(String name) {
        for (StreamInfo stream : seen.get()) {
            if (stream.name().equals(name)) {
                return stream;
            }
        }
        return namespace.find(name).orElse(null);
    }

    /**
     * The stream of this name as the catalog has it now, with every change that ended before the call; null when there
     * is none. Asks the catalog.
     */
    @Nullable
    StreamInfo current(String name) {
        store.sync();
        return namespace.find(name).orElse(null);
    }

    /** The name of the stream that is written so, in other letters perhaps; as it is written when there is none. */
    String nameOf(String written) {
        List<String> names = names();
        return names.contains(written)
                ? written
                : names.stream().filter(written::equalsIgnoreCase).findFirst().orElse(written);
    }
}
