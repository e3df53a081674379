package io.waterwheel.topology.worker;

import io.waterwheel.store.ChunkStore;

/** What tasks need that read or write chunks. Thread-safe. */
public interface ChunkServices extends TaskServices {
    /** Until it can be reached, its calls fail at once. */
    ChunkStore chunkStore();

    /** Why the chunk store cannot be used, for people; empty when it can. */
    String chunkStoreTrouble();
}
