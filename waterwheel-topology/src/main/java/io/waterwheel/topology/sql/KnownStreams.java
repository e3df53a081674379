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
        StreamInfo stream = find(name);
        return stream == null ? null : stream.schema();
    }

    /** The stream of this name; null when there is none. */
    @Nullable
    StreamInfo find(String name) {
        for (StreamInfo stream : services.streams().streams().values()) {
            if (stream.name().equals(name)) {
                return stream;
            }
        }
        return services.namespace().find(name).orElse(null);
    }

    /** The name of the stream that is written so, in other letters perhaps; as it is written when there is none. */
    String nameOf(String written) {
        List<String> names = names();
        return names.contains(written)
                ? written
                : names.stream().filter(written::equalsIgnoreCase).findFirst().orElse(written);
    }
}
