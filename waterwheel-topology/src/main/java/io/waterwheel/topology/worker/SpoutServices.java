package io.waterwheel.topology.worker;

import io.waterwheel.ingest.source.LogSource;

/** What a spout task needs. Thread-safe. */
public interface SpoutServices extends TaskServices, SourceTopics {
    /** A reader of its own for one spout task. */
    LogSource openLogSource();

    /**
     * Keeps an ephemeral node of the catalog, as long as the result is not closed and this process lives.
     *
     * @param path whose parents are made when absent
     */
    AutoCloseable announce(String path, String content);
}
