package io.waterwheel.topology.worker;

import io.waterwheel.query.scan.FreshReader;

/** What an indexer task needs. Thread-safe. */
public interface IndexerServices extends ChunkServices, SourceTopics {
    /**
     * Lets subqueries reach an indexer that a task of this worker hosts.
     *
     * @return closing it ends that
     */
    AutoCloseable hostIndexer(int streamId, int indexer, FreshReader reader);
}
