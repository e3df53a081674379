package io.waterwheel.topology.admin;

import io.waterwheel.catalog.SqlNames;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.topology.worker.CoordinatorServices;

/** Finds the streams that calls name. */
final class StreamNames {
    private StreamNames() {}

    /**
     * @throws io.waterwheel.error.WaterwheelException USER, code NO_SUCH_STREAM, when there is none; CORRUPT when the
     *     catalog is gone
     */
    static StreamInfo require(CoordinatorServices services, String name) {
        return services.namespace().find(name).orElseThrow(() -> {
            services.requireCatalog();
            return SqlNames.noSuchStream(services.catalogStore(), name);
        });
    }
}
