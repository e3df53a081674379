package io.waterwheel.sim;

import io.waterwheel.catalog.Namespace;
import io.waterwheel.catalog.StreamCatalog;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.catalog.store.CatalogStore;
import io.waterwheel.index.FreshView;
import io.waterwheel.index.TemplateTree;
import io.waterwheel.ingest.block.BlockBody;
import io.waterwheel.ingest.block.ChannelBlock;
import io.waterwheel.ingest.indexer.FlushSequence;
import io.waterwheel.ingest.indexer.IndexerCore;
import io.waterwheel.ingest.indexer.IndexerEffects;
import io.waterwheel.ingest.indexer.IndexerLaunch;
import io.waterwheel.ingest.indexer.SealedTree;
import io.waterwheel.protocol.ChannelEpoch;
import io.waterwheel.protocol.Control;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.TupleBlock;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A stream that is created, fills what memory it is given, and is dropped while its chunks cannot be written. Its
 * blocks come at once, as from a dispatcher that has always something to send.
 */
final class PassingStream implements IndexerEffects {
    private static final Schema SCHEMA = new Schema(
            List.of(new Field("k", FieldType.LONG, false), new Field("t", FieldType.TIMESTAMP, false)),
            new KeySpec.Ordered("k"),
            "t");
    private static final RowLayout LAYOUT = RowLayout.of(SCHEMA);
    private static final int ROWS = 10;

    private final StreamsSimulation all;
    private final StreamInfo info;
    private final FlushSequence flushes;
    private final SimFiles files;
    private final IndexerCore core;
    private @Nullable ChannelEpoch epoch;
    private long sent;
    private long granted;
    private long offset;

    PassingStream(StreamsSimulation all, Namespace namespace, CatalogStore store, String name) {
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
        while (granted > sent) {
            send();
        }
        core.onSealRequest(SealedTree.Reason.REQUEST, all.now);
        flushStep();
    }

    private void send() {
        TupleBlock rows = new TupleBlock(LAYOUT, ROWS);
        int[] offsets = new int[ROWS];
        for (int row = 0; row < ROWS; row++) {
            rows.keys()[row] = (offset + row) * 0x9E3779B97F4A7C15L;
            rows.times()[row] = all.now / 1_000_000;
            offsets[row] = row;
        }
        rows.setSize(ROWS);
        BlockBody body = BlockBody.of(rows, offset, offsets, new int[0]);
        sent += body.bytes();
        long from = offset;
        offset += ROWS;
        all.onBlock(new ChannelBlock(info.id(), 0, 0, epoch, from, offset, 1, body));
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
    public void subscribe(Control.Subscribe subscribe) {
        if (!subscribe.epoch().equals(epoch)) {
            epoch = subscribe.epoch();
            sent = subscribe.consumed();
            granted = 0;
        }
        granted = Math.max(granted, subscribe.granted());
    }

    @Override
    public void credit(Control.Credit credit) {
        granted = Math.max(granted, credit.granted());
    }

    @Override
    public void flush(SealedTree sealed) {
        flushes.add(sealed);
    }

    @Override
    public void report(Control.Report report) {}

    @Override
    public void rebuilt(TemplateTree.Rebuilt rebuilt) {}

    @Override
    public void publish(FreshView view) {}
}
