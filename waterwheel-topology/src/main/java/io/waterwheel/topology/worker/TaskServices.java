package io.waterwheel.topology.worker;

import io.waterwheel.catalog.Namespace;
import io.waterwheel.catalog.store.CatalogStore;
import io.waterwheel.metrics.Metrics;
import io.waterwheel.topology.config.WaterwheelConfig;
import java.util.concurrent.ExecutorService;

/** What each task of a worker needs: configuration, catalog, control messages, threads for calls. Thread-safe. */
public interface TaskServices {
    WaterwheelConfig config();

    CatalogStore catalogStore();

    Namespace namespace();

    /** The streams of the namespace as last seen; kept fresh by a watch. */
    StreamDirectory streams();

    /**
     * Makes sure that the catalog was not removed under this worker: what is empty in its place must not be taken for
     * it, nor filled. Asks it.
     *
     * @throws io.waterwheel.error.WaterwheelException CORRUPT, code CATALOG_LOST, when it was; TEMPORARY when it is
     *     away
     */
    void requireCatalog();

    ControlBus controlBus();

    /** What the worker measures. */
    Metrics metrics();

    /** Runs blocking calls of event loops: catalog writes, reads. Bounded. */
    ExecutorService blockingCalls();
}
