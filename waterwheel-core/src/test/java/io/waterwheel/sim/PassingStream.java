package io.waterwheel.sim;

import io.waterwheel.catalog.Namespace;
import io.waterwheel.catalog.StreamCatalog;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.catalog.store.CatalogStore;
import io.waterwheel.ingest.block.ChannelBlock;
import io.waterwheel.ingest.indexer.EagerStream;
import io.waterwheel.ingest.indexer.FlushSequence;
import io.waterwheel.ingest.indexer.IndexerCore;
import io.waterwheel.ingest.indexer.IndexerLaunch;
import io.waterwheel.ingest.indexer.SealedTree;
import io.waterwheel.schema.RecordFormat;
import java.io.IOException;

/**
 * A stream that is created, fills what memory it is given, and is dropped while its chunks cannot be written. Its
 * blocks come at once, as from a dispatcher that has always something to send.
 */
final class PassingStream extends EagerStream {
    private static final int ROWS = 10;

    private final StreamsSimulation all;
    private final StreamInfo info;
    private final FlushSequence flushes;
    private final SimFiles files;
    private final IndexerCore core;

    PassingStream(StreamsSimulation all, Namespace namespace, CatalogStore store, String name) {
        super(ROWS);
        this.all = all;
        this.info = namespace.create(name, SCHEMA, RecordFormat.BLOCK, name, new long[1], 1);
        this.files = new SimFiles(all.random, 0, file -> {});
        StreamCatalog catalog = new StreamCatalog(store, info);
        IndexerLaunch launch = IndexerLaunch.of(catalog, 0, () -> new long[1]);
        this.flushes = new FlushSequence(catalog, 0, launch.start());
        this.core = new IndexerCore(
                info,
                0,
                launch.start().checkpoint(),
                launch.targets(),
                all.pool,
                all.window,
                all.indexerSettings,
                this,
                all.now);
        all.indexers.add(core);
    }

    int id() {
        return info.id();
    }

    /** Bytes of tuples that are not in chunks, and of what is under way. */
    long takenBytes() {
        return core.unflushedTuples() * LAYOUT.rowWidth() + core.underWay();
    }

    /** Whether the flusher keeps memory of it. */
    boolean holdsTrees() {
        return flushes.next() != null;
    }

    /** Takes what may be sent, asks for a flush, and tries one. */
    void goOn() {
        sendGranted();
        core.onSealRequest(SealedTree.Reason.REQUEST, all.now);
        flushStep();
    }

    @Override
    protected int streamId() {
        return info.id();
    }

    @Override
    protected long time(long at) {
        return all.now / 1_000_000;
    }

    @Override
    protected void onBlock(ChannelBlock block) {
        all.onBlock(block);
    }

    void flushStep() {
        if (flushes.next() == null) {
            return;
        }
        files.fill(1);
        try {
            FlushSequence.Step ignored = flushes.step(files, all.writer);
        } catch (IOException e) {
            all.indexers.onFlushTrouble(info.id(), 0, core.epoch(), "no room", all.now);
        }
    }

    @Override
    public void flush(SealedTree sealed) {
        flushes.add(sealed);
    }
}
