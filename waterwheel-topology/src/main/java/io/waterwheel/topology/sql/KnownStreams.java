package io.waterwheel.topology.sql;

import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.schema.Schema;
import io.waterwheel.sql.StreamSchemas;
import io.waterwheel.sql.SystemTable;
import io.waterwheel.topology.worker.TaskServices;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The streams as this worker last saw them; one that it has not seen yet is looked for in the catalog. */
final class KnownStreams implements StreamSchemas {
    private final TaskServices services;

    KnownStreams(TaskServices services) {
        this.services = services;
    }

    @Override
    public List<String> names() {
        return services.streams().streams().values().stream()
                .map(StreamInfo::name)
                .sorted()
                .toList();
    }

    @Override
    public List<SystemTable> systemTables() {
        return SystemTables.ALL;
    }

    /** All streams, by name. */
    List<StreamInfo> all() {
        return services.streams().streams().values().stream()
                .sorted(Comparator.comparing(StreamInfo::name))
                .toList();
    }

    @Override
    public @Nullable Schema schema(String name) {
        for (StreamInfo stream : services.streams().streams().values()) {
            if (stream.name().equals(name)) {
                return stream.schema();
            }
        }
        return services.namespace().find(name).map(StreamInfo::schema).orElse(null);
    }
}
