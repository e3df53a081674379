package io.waterwheel.ingest;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** All indexers that one task hosts, of any streams, and the memory they share. Owner: the task's thread. */
public final class IndexerTask {
    private final CreditWindow window;

    private record Id(int streamId, int indexer) {}

    private final Map<Id, IndexerCore> cores = new HashMap<>();

    public IndexerTask(CreditWindow window) {
        this.window = window;
    }

    public void add(IndexerCore core) {
        IndexerCore old = cores.put(new Id(core.stream().id(), core.indexer()), core);
        if (old != null) {
            old.stop();
        }
    }

    /** Stops and forgets the indexers of a stream. */
    public void remove(int streamId) {
        cores.values().removeIf(core -> {
            if (core.stream().id() != streamId) {
                return false;
            }
            core.stop();
            return true;
        });
    }

    /** Stops and forgets one indexer. */
    public void remove(int streamId, int indexer) {
        IndexerCore core = cores.remove(new Id(streamId, indexer));
        if (core != null) {
            core.stop();
        }
    }

    public @Nullable IndexerCore core(int streamId, int indexer) {
        return cores.get(new Id(streamId, indexer));
    }

    public Iterable<IndexerCore> cores() {
        return cores.values();
    }

    /**
     * Takes a block, or drops it when its stream is not hosted here.
     *
     * @param clockMillis time of day, milliseconds since 1970 UTC
     */
    public void onBlock(ChannelBlock block, long now, long clockMillis) {
        IndexerCore core = cores.get(new Id(block.streamId(), block.indexer()));
        if (core != null) {
            core.onBlock(block, now, clockMillis);
        } else {
            BlockBody body = block.body();
            if (body != null) {
                body.release();
            }
        }
        sealWhenExhausted(now);
    }

    /** Time passes. Call about every 50 ms. */
    public void onTick(long now) {
        cores.values().forEach(core -> core.onTick(now));
        sealWhenExhausted(now);
    }

    /** When the pool can grant nothing more and nothing is on its way to a chunk, the largest tree goes. */
    private void sealWhenExhausted(long now) {
        if (!window.exhausted()) {
            return;
        }
        IndexerCore largest = null;
        for (IndexerCore core : cores.values()) {
            if (core.unflushedTrees() > 0) {
                return;
            }
            if (core.activeTuples() > 0 && (largest == null || core.activeBytes() > largest.activeBytes())) {
                largest = core;
            }
        }
        if (largest != null) {
            largest.onSealRequest(SealedTree.Reason.MEMORY, now);
        }
    }
}
