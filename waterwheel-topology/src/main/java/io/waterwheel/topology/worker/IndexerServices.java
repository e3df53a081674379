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

    /**
     * Tells those who ask for an indexer why a task of this worker could not start it, until it is hosted.
     *
     * @param why a sentence for people
     */
    void indexerAbsent(int streamId, int indexer, String why);
}
