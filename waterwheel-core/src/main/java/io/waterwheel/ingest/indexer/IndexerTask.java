package io.waterwheel.ingest.indexer;

import io.waterwheel.ingest.block.BlockBody;
import io.waterwheel.ingest.block.ChannelBlock;
import io.waterwheel.ingest.block.ChannelHeartbeats;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * All indexers that one task hosts, of any streams, and the memory they share (protocol rule 6). Owner: the task's
 * thread.
 */
public final class IndexerTask {
    private final CreditWindow window;

    private record Id(int streamId, int indexer) {}

    private final Map<Id, IndexerCore> cores = new HashMap<>();
    /** Of trees that are sealed because the pool is used up. */
    private boolean oldestIsNext;

    public IndexerTask(CreditWindow window) {
        this.window = window;
    }

    /** Hosts an indexer; one of the same stream and number stops. */
    public void add(IndexerCore core) {
        // Until time passes and it may have more, should it be the only one.
        core.limitMemory(window.poolBytes() / 2);
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
     * is given no more while those that are set aside hold half of the pool together.
     *
     * @param epoch of the instance whose flushes they are; one that has a successor here is passed over
     * @param trouble empty when they go well
     */
    public void onFlushTrouble(int streamId, int indexer, int epoch, String trouble, long now) {
        IndexerCore core = core(streamId, indexer);
        if (core != null && core.epoch() == epoch) {
            core.onFlushTrouble(trouble, now);
            shareMemory();
        }
    }

    /**
     * Sets how much memory each indexer may take until this is called again. Tuples that an indexer holds when its
     * flushes begin to fail are nowhere else, and answers have shown them, so they cannot be taken back. So each
     * indexer is bounded to half of the pool while it is well. If several begin to fail together, they may hold more
     * than half, and get no more.
     */
    private void shareMemory() {
        int aside = 0;
        long asideBytes = 0;
        for (IndexerCore core : cores.values()) {
            if (core.isSetAside()) {
                aside++;
                asideBytes += core.takenBytes();
            }
        }
        window.shareAmong(cores.size());
        if (cores.size() == 1) {
            cores.values().forEach(core -> core.limitMemory(Long.MAX_VALUE));
            return;
        }
        long half = window.poolBytes() / 2;
        // Where all are, be it for a moment, there is no other to leave the rest to.
        long asideLimit = aside == cores.size() ? window.poolBytes() : half;
        long more = aside == 0 ? 0 : Math.max(0, asideLimit - asideBytes) / aside;
        for (IndexerCore core : cores.values()) {
            long limit = half;
            if (core.isSetAside()) {
                limit = more == 0 ? 0 : Math.min(half, core.takenBytes() + more);
            }
            core.limitMemory(limit);
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

    /**
     * When the pool can grant nothing more and nothing is on its way to a chunk, a tree goes, of an indexer that has
     * used up its own: the largest and the oldest in turn. If only the largest ones went, and those that are set aside
     * had all that is shared, one with a small tree would wait for ever behind others that fill theirs again.
     */
    private void sealWhenExhausted(long now) {
        if (!window.exhausted()) {
            return;
        }
        IndexerCore next = null;
        for (IndexerCore core : cores.values()) {
            if (core.isSetAside()) {
                // It may take long: the task does not wait for it.
                continue;
            }
            if (core.unflushedTrees() > 0) {
                return;
            }
            if (core.activeTuples() > 0
                    && core.takenBytes() >= window.ownBytes()
                    && (next == null || goesBefore(core, next))) {
                next = core;
            }
        }
        if (next != null) {
            oldestIsNext = !oldestIsNext;
            next.onSealRequest(SealedTree.Reason.MEMORY, now);
        }
    }

    private boolean goesBefore(IndexerCore one, IndexerCore other) {
        return oldestIsNext
                ? one.activeSinceNanos() < other.activeSinceNanos()
                : one.activeBytes() > other.activeBytes();
    }
}
