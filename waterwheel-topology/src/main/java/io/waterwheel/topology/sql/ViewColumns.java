package io.waterwheel.topology.sql;

import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.catalog.state.View;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.schema.Field;
import io.waterwheel.sql.SystemTable;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The columns of the views, for tools that ask for all of them again and again: a view is planned anew when a stream, a
 * view or a table has changed. Thread-safe; blocks.
 */
final class ViewColumns {
    private static final Logger LOG = LoggerFactory.getLogger(ViewColumns.class);

    private final KnownStreams streams;
    /** Of the last that was asked; null before. */
    private volatile @Nullable Known known;

    ViewColumns(KnownStreams streams) {
        this.streams = streams;
    }

    /** What the columns of views depend on. */
    private record Basis(List<StreamInfo> streams, Map<String, View> views, List<SystemTable> tables) {}

    private record Known(Basis basis, Map<String, List<Field>> columns) {}

    /** By name; none of a view that cannot be planned, as when its stream was dropped. */
    Map<String, List<Field>> all() {
        Basis basis = new Basis(
                streams.all(),
                Map.copyOf(streams.views().all()),
                streams.tables().all());
        Known last = known;
        if (last != null && last.basis().equals(basis)) {
            return last.columns();
        }
        Map<String, List<Field>> columns = new TreeMap<>();
        boolean whole = true;
        for (View view : basis.views().values()) {
            try {
                columns.put(view.name(), new ViewChanges(streams).fields(view));
            } catch (WaterwheelException e) {
                LOG.debug("[views] the columns of view {} cannot be told", view.name(), e);
                columns.put(view.name(), List.of());
                // What is wrong for a moment only is asked again.
                whole &= e.kind() == WaterwheelException.Kind.USER;
            }
        }
        if (whole) {
            known = new Known(basis, columns);
        }
        return columns;
    }

    List<Field> of(View view) {
        return all().getOrDefault(view.name(), List.of());
    }
}
