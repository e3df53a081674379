package io.waterwheel.ingest.indexer;

import io.waterwheel.index.FreshView;
import io.waterwheel.index.TemplateTree;
import io.waterwheel.protocol.Control;

/** What an indexer wants done. Calls return at once; answers come back as events, on its thread, or never. */
public interface IndexerEffects {
    /** Carry it to the dispatcher of the partition. */
    void subscribe(Control.Subscribe subscribe);

    /** Carry it to the dispatcher of the partition. */
    void credit(Control.Credit credit);

    /** Carry it to every coordinator. */
    void report(Control.Report report);

    /**
     * Write a sealed tree as a chunk and commit it; answer by {@link IndexerCore#onFlushed}. Trees of one indexer are
     * flushed in the order of this call.
     */
    void flush(SealedTree sealed);

    /** Say that a tree's template no longer fitted, and was rebuilt. */
    void rebuilt(TemplateTree.Rebuilt rebuilt);

    /** Let readers see this from now on. */
    void publish(FreshView view);
}
