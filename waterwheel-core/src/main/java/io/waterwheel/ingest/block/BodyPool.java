package io.waterwheel.ingest.block;

import io.waterwheel.schema.RowLayout;
import io.waterwheel.tuple.TupleBlock;
import java.util.concurrent.ArrayBlockingQueue;

/**
 * Block bodies of one stream for use again. Bounded: bodies beyond that are left to the collector; and so are those
 * that are unused for a while. Thread-safe.
 */
public final class BodyPool {
    private final RowLayout layout;
    private final ArrayBlockingQueue<BlockBody> free;
    /** The fewest that were free since the last {@link #shrink}. A lost update lets a few go too soon. */
    private volatile int idle;

    public BodyPool(RowLayout layout, int capacity) {
        this.layout = layout;
        this.free = new ArrayBlockingQueue<>(capacity);
    }

    /** An empty body with one holder. */
    public BlockBody take(long base) {
        BlockBody body = free.poll();
        idle = Math.min(idle, free.size());
        if (body == null) {
            body = new BlockBody(new TupleBlock(layout, 0), this);
        }
        body.start(base);
        return body;
    }

    /** Lets go of the bodies that were not taken since the call before. Call every few seconds. */
    public void shrink() {
        for (int left = idle; left > 0 && free.poll() != null; left--) {
            // The collector's.
        }
        idle = free.size();
    }

    /** Bodies that wait to be taken. */
    public int size() {
        return free.size();
    }

    void giveBack(BlockBody body) {
        // A full pool lets it go.
        boolean kept = free.offer(body);
        assert kept || free.remainingCapacity() == 0;
    }
}
