package io.waterwheel.ingest.indexer;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.catalog.state.IndexerCheckpoint;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.index.PagePool;
import io.waterwheel.ingest.block.ChannelBlock;
import io.waterwheel.schema.RecordFormat;
import org.junit.jupiter.api.Test;

/** Indexers that come and go in one memory pool while no chunk can be written. */
final class SharedPoolTest {
    private static final long POOL = 8 << 20;
    private static final int STREAMS = 50;
    private static final int ROWS = 100;
    private static final long SECOND = 1_000_000_000;

    private final PagePool pool = new PagePool(POOL);
    private final CreditWindow window = new CreditWindow(pool, 1 << 20, POOL);
    private final IndexerTask task = new IndexerTask(window);
    private long now = SECOND;

    /** Takes what it is granted; its flushes are tried, and never committed. */
    private final class Indexer extends EagerStream {
        final StreamInfo info;
        final IndexerCore core;

        Indexer(int stream) {
            this(stream, 1);
        }

        Indexer(int stream, int epoch) {
            super(ROWS);
            info = new StreamInfo("s" + stream, stream, EagerStream.SCHEMA, RecordFormat.BLOCK, "s" + stream, 1, 1);
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
                idle = isGranted() ? 0 : idle;
                sendGranted();
            }
        }

        @Override
        protected int streamId() {
            return info.id();
        }

        @Override
        protected long time(long at) {
            return now / 1_000_000;
        }

        @Override
        protected void onBlock(ChannelBlock block) {
            task.onBlock(block, now, now / 1_000_000);
        }

        @Override
        public void flush(SealedTree tree) {
            // The flusher holds it, until it has been told that the indexer has stopped.
            assertThat(tree.tryRetain()).isTrue();
        }
    }

    private static long tupleBytes(Indexer indexer) {
        return indexer.core.unflushedTuples() * EagerStream.LAYOUT.rowWidth();
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
                    .isLessThanOrEqualTo(POOL + stream * (long) ROWS * EagerStream.LAYOUT.rowWidth());
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
                    .isLessThanOrEqualTo(POOL + stream * (long) ROWS * EagerStream.LAYOUT.rowWidth());
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
