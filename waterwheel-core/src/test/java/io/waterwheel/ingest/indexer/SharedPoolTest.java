package io.waterwheel.ingest.indexer;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.catalog.state.IndexerCheckpoint;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.index.FreshView;
import io.waterwheel.index.PagePool;
import io.waterwheel.index.TemplateTree;
import io.waterwheel.ingest.block.BlockBody;
import io.waterwheel.ingest.block.ChannelBlock;
import io.waterwheel.protocol.ChannelEpoch;
import io.waterwheel.protocol.Control;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.TupleBlock;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Indexers that come and go in one memory pool while no chunk can be written. */
final class SharedPoolTest {
    private static final long POOL = 8 << 20;
    private static final int STREAMS = 50;
    private static final int ROWS = 100;
    private static final long SECOND = 1_000_000_000;
    private static final Schema SCHEMA = new Schema(
            List.of(new Field("k", FieldType.LONG, false), new Field("t", FieldType.TIMESTAMP, false)),
            new KeySpec.Ordered("k"),
            "t");
    private static final RowLayout LAYOUT = RowLayout.of(SCHEMA);

    private final PagePool pool = new PagePool(POOL);
    private final CreditWindow window = new CreditWindow(pool, 1 << 20, POOL);
    private final IndexerTask task = new IndexerTask(window);
    private long now = SECOND;

    /** Takes what it is granted; its flushes are tried, and never committed. */
    private final class Indexer implements IndexerEffects {
        final StreamInfo info;
        final IndexerCore core;
        ChannelEpoch epoch;
        long sent;
        long granted;
        long offset;

        Indexer(int stream) {
            this(stream, 1);
        }

        Indexer(int stream, int epoch) {
            info = new StreamInfo("s" + stream, stream, SCHEMA, RecordFormat.BLOCK, "s" + stream, 1, 1);
            core = new IndexerCore(
                    info,
                    0,
                    new IndexerCheckpoint(epoch, 0, new long[1], 0),
                    new long[1],
                    pool,
                    window,
                    IndexerSettings.DEFAULT,
                    this,
                    now);
            task.add(core);
        }

        /** Until nothing more is granted. */
        void fill() {
            for (int idle = 0; idle < 4; idle++) {
                task.onTick(now += SECOND / 20);
                while (granted > sent) {
                    send();
                    idle = 0;
                }
            }
        }

        private void send() {
            TupleBlock rows = new TupleBlock(LAYOUT, ROWS);
            int[] offsets = new int[ROWS];
            for (int row = 0; row < ROWS; row++) {
                rows.keys()[row] = (offset + row) * 0x9E3779B97F4A7C15L;
                rows.times()[row] = now / 1_000_000;
                offsets[row] = row;
            }
            rows.setSize(ROWS);
            BlockBody body = BlockBody.of(rows, offset, offsets, new int[0]);
            sent += body.bytes();
            offset += ROWS;
            task.onBlock(
                    new ChannelBlock(info.id(), 0, 0, epoch, offset - ROWS, offset, 1, body), now, now / 1_000_000);
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
        public void flush(SealedTree tree) {
            // The flusher holds it, until it has been told that the indexer has stopped.
            assertThat(tree.tryRetain()).isTrue();
        }

        @Override
        public void report(Control.Report report) {}

        @Override
        public void rebuilt(TemplateTree.Rebuilt rebuilt) {}

        @Override
        public void publish(FreshView view) {}
    }

    private static long tupleBytes(Indexer indexer) {
        return indexer.core.unflushedTuples() * LAYOUT.rowWidth();
    }

    @Test
    void streamsThatAreAddedOneByOneStayWithinThePool() {
        long tuples = 0;
        for (int stream = 1; stream <= STREAMS; stream++) {
            Indexer indexer = new Indexer(stream);
            indexer.fill();
            task.onFlushTrouble(stream, 0, 1, "no room", now);
            tuples += tupleBytes(indexer);
            assertThat(tuples + window.underWay())
                    .as("tuples and what is under way, after %s streams", stream)
                    .isLessThanOrEqualTo(POOL + stream * (long) ROWS * LAYOUT.rowWidth());
        }
    }

    @Test
    void treesOfStreamsThatWereDroppedStayWithinThePool() {
        Indexer neighbour = new Indexer(1);
        neighbour.fill();
        task.onFlushTrouble(1, 0, 1, "no room", now);
        long dropped = 0;
        for (int stream = 2; stream <= STREAMS; stream++) {
            Indexer indexer = new Indexer(stream);
            indexer.fill();
            indexer.core.onSealRequest(SealedTree.Reason.REQUEST, now);
            dropped += tupleBytes(indexer);
            task.remove(stream);
            assertThat(tupleBytes(neighbour) + dropped + window.underWay())
                    .as("tuples and what is under way, after %s streams", stream)
                    .isLessThanOrEqualTo(POOL + stream * (long) ROWS * LAYOUT.rowWidth());
        }
    }

    /** The predecessor's write may hang for long, and end after its successor's began to fail. */
    @Test
    void aPredecessorsTroubleIsNotItsSuccessors() {
        Indexer predecessor = new Indexer(1, 1);
        task.onFlushTrouble(1, 0, 1, "a flush takes longer than 5 s", now);
        assertThat(predecessor.core.isSetAside()).isTrue();
        Indexer successor = new Indexer(1, 2);
        task.onFlushTrouble(1, 0, 1, "a flush takes longer than 5 s", now);
        assertThat(successor.core.isSetAside()).isFalse();
        task.onFlushTrouble(1, 0, 2, "no room", now);
        task.onFlushTrouble(1, 0, 1, "", now);
        assertThat(successor.core.isSetAside()).isTrue();
        task.onFlushTrouble(1, 0, 2, "", now);
        assertThat(successor.core.isSetAside()).isFalse();
    }
}
