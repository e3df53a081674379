package io.waterwheel.ingest.indexer;

import io.waterwheel.ingest.block.BlockBody;
import io.waterwheel.ingest.block.ChannelBlock;
import io.waterwheel.ingest.block.ChannelHeartbeats;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** All indexers that one task hosts, of any streams, and the memory they share. Owner: the task's thread. */
public final class IndexerTask {
    private final CreditWindow window;

    /** Of the pool, the most that one indexer may hold unflushed while others share it. */
    private static final double ONE_SHARE = 0.75;
    /** Of the pool, the most that indexers whose flushes fail may hold together while others' do not. */
    private static final double ASIDE_SHARE = 0.5;

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
        if (core != null) {
            sealAtLimit(core, now);
        }
        sealWhenExhausted(now);
    }

    /** Hears of channels on which nothing flows; those of indexers that are not hosted here are passed over. */
    public void onHeartbeats(ChannelHeartbeats heartbeats, long now) {
        IndexerCore core = null;
        for (int i = 0; i < heartbeats.size(); i++) {
            int stream = heartbeats.streamId(i);
            int indexer = heartbeats.indexer(i);
            if (core == null || core.stream().id() != stream || core.indexer() != indexer) {
                core = cores.get(new Id(stream, indexer));
            }
            if (core != null) {
                core.onHeartbeat(heartbeats, i, now);
            }
        }
    }

    /**
     * How an indexer's flushes go from now on. While they fail, the others do not wait for them: it is set aside, and
     * may hold no more than a share of the pool.
     *
     * @param trouble empty when they go well
     */
    public void onFlushTrouble(int streamId, int indexer, String trouble, long now) {
        IndexerCore core = core(streamId, indexer);
        if (core != null) {
            core.onFlushTrouble(trouble, now);
            shareMemory();
        }
    }

    private void shareMemory() {
        int aside = 0;
        for (IndexerCore core : cores.values()) {
            aside += core.isSetAside() ? 1 : 0;
        }
        // Where all are, be it for a moment, none may take what the others need when they go on.
        double asideShare = aside == cores.size() ? 1.0 : ASIDE_SHARE;
        for (IndexerCore core : cores.values()) {
            double share = core.isSetAside() ? asideShare / aside : ONE_SHARE;
            core.limitMemory(cores.size() == 1 ? Long.MAX_VALUE : (long) (share * window.poolBytes()));
        }
    }

    /** Time passes. Call about every 50 ms. */
    public void onTick(long now) {
        shareMemory();
        cores.values().forEach(core -> sealAtLimit(core, now));
        cores.values().forEach(core -> core.onTick(now));
        sealWhenExhausted(now);
    }

    /** One that may be given nothing more goes on only when its tree is in a chunk. */
    private static void sealAtLimit(IndexerCore core, long now) {
        if (core.unflushedTrees() == 0 && core.activeTuples() > 0 && core.isAtLimit()) {
            core.onSealRequest(SealedTree.Reason.MEMORY, now);
        }
    }

    /** When the pool can grant nothing more and nothing is on its way to a chunk, the largest tree goes. */
    private void sealWhenExhausted(long now) {
        if (!window.exhausted()) {
            return;
        }
        IndexerCore largest = null;
        for (IndexerCore core : cores.values()) {
            if (core.isSetAside()) {
                // It may take long: the task does not wait for it.
                continue;
            }
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
